import stringWidth from 'string-width';
import type { FinishedText } from './screen-state.ts';

const DRAWN = '';

/** The items of `<Static>`, which skips as many as it has drawn: those stay in the list, but without their text. */
export class FinishedTexts {
  #items: readonly FinishedText[] = [];
  #drawn = 0;

  get items(): readonly FinishedText[] {
    return this.#items;
  }

  add(lines: readonly string[]): void {
    if (lines.length === 0) return;
    const kept = this.#items.map((item, at) => (at < this.#drawn ? { ...item, text: DRAWN } : item));
    const text = lines.map(line => line || ' ').join('\n');
    const width = Math.max(1, ...lines.map(line => stringWidth(line)));
    this.#items = [...kept, { id: kept.length, text, width }];
  }

  /** The first `count` items are on the terminal. */
  drawn(count: number): void {
    this.#drawn = count;
  }
}
