import type { ParseEvent } from '../../parse/types/parse-event.ts';

/** Counts the tokens of a reply's thoughts, with the marks before them. What a token says may come with a later one. */
export class ThoughtCount {
  #tokens = 0;
  #unsettled = 0;

  get tokens(): number {
    return this.#tokens;
  }

  /** The next token, before what it says. */
  next(): void {
    this.#unsettled += 1;
  }

  /** What the tokens since the last event say: of both kinds, shares by their length. */
  settle(events: readonly ParseEvent[]): readonly ParseEvent[] {
    const all = events.reduce((sum, event) => sum + lengthOf(event), 0);
    if (all === 0) return events;
    const thoughts = events.reduce(
      (sum, event) => sum + (event.type === 'thinking' ? lengthOf(event) : 0),
      0,
    );
    this.#tokens += Math.round((this.#unsettled * thoughts) / all);
    this.#unsettled = 0;
    return events;
  }
}

const lengthOf = (event: ParseEvent): number => ('raw' in event ? event.raw : event.text).length;
