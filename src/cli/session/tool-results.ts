import { stripControls } from '../../text/clean/strip-controls.ts';

/** Results kept for display; each is already cut to fit the context. */
const KEPT = 50;

/** The full tool results, of which the conversation shows the first lines. */
export class ToolResults {
  #latestFirst: readonly { readonly name: string; readonly text: string }[] = [];
  #next = 0;

  add(name: string, text: string): void {
    this.#latestFirst = [{ name, text }, ...this.#latestFirst].slice(0, KEPT);
    this.#next = 0;
  }

  /** Another conversation begins. */
  clear(): void {
    this.#latestFirst = [];
    this.#next = 0;
  }

  /** The `number`th result from the end (1: the last), below a title line; or why there is none. */
  show(number: number): string {
    const count = this.#latestFirst.length;
    if (count === 0) return 'No tool has returned a result yet.';
    const found = this.#latestFirst[number - 1];
    if (!found)
      return `There is no result ${number}; ${count === 1 ? 'the only one is 1' : `1 to ${count} are kept, 1 is the last`}.`;
    this.#next = number % count;
    return stripControls(
      `Result ${number} of ${count} from the last, ${found.name}:\n${found.text}`,
    ).trimEnd();
  }

  /** The last result; each further call the one before, then from the last again. */
  step(): string {
    return this.show(this.#next + 1);
  }
}
