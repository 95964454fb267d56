import { stripControls } from '../../text/strip-controls.ts';

/** Results that can still be shown in full; each is cut to what the context bears before it comes here. */
const KEPT = 50;

/** The results of tools, whole, of which the conversation shows the first lines. */
export class ToolResults {
  #latestFirst: readonly { readonly name: string; readonly text: string }[] = [];
  #next = 0;

  add(name: string, text: string): void {
    this.#latestFirst = [{ name, text }, ...this.#latestFirst].slice(0, KEPT);
    this.#next = 0;
  }

  /** The result that came `number`th from the end (1: the last), with a line of its own above it, or what is wrong. */
  show(number: number): string {
    const count = this.#latestFirst.length;
    if (count === 0) return 'No tool has given a result yet.';
    const found = this.#latestFirst[number - 1];
    if (!found)
      return `There is no result ${number}; ${count === 1 ? 'the only one is 1' : `1 to ${count} are kept, 1 is the last`}.`;
    this.#next = number % count;
    return stripControls(
      `Result ${number} of ${count} from the last, ${found.name}:\n${found.text}`,
    ).trimEnd();
  }

  /** The last result; called again, the one before it, and after the first the last again. */
  step(): string {
    return this.show(this.#next + 1);
  }
}
