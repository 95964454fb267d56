/** The text that a push settles, and the stop string that ended it. */
export interface StopResult {
  readonly text: string;
  readonly stopped: string | undefined;
}

/**
 * Cuts streamed text at the first complete stop string. Text that may still become one is held back, so that no part
 * of a stop string is ever shown; at most the length of the longest.
 */
export class StopStrings {
  private readonly stops: readonly string[];
  private readonly longest: number;
  private held = '';
  private done: string | undefined;

  /** Empty strings are ignored. */
  constructor(stops: readonly string[]) {
    this.stops = stops.filter(stop => stop.length > 0);
    this.longest = Math.max(0, ...this.stops.map(stop => stop.length));
  }

  /** After a stop, further pushes return nothing. */
  push(text: string): StopResult {
    if (this.done !== undefined) return { text: '', stopped: this.done };
    const all = this.held + text;
    const match = this.firstMatch(all);
    if (match) {
      this.held = '';
      this.done = match.stop;
      return { text: all.slice(0, match.at), stopped: match.stop };
    }
    const keep = this.heldLength(all);
    this.held = all.slice(all.length - keep);
    return { text: all.slice(0, all.length - keep), stopped: undefined };
  }

  /** The held-back text, which is text after all. */
  end(): string {
    const text = this.held;
    this.held = '';
    return text;
  }

  private firstMatch(text: string): { stop: string; at: number } | undefined {
    let best: { stop: string; at: number } | undefined;
    for (const stop of this.stops) {
      const at = text.indexOf(stop);
      if (at < 0) continue;
      const order = best ? at + stop.length - (best.at + best.stop.length) : -1;
      if (!best || order < 0 || (order === 0 && at < best.at)) best = { stop, at };
    }
    return best;
  }

  private heldLength(text: string): number {
    for (let length = Math.min(this.longest - 1, text.length); length > 0; length--) {
      const tail = text.slice(text.length - length);
      if (this.stops.some(stop => stop.startsWith(tail))) return length;
    }
    return 0;
  }
}
