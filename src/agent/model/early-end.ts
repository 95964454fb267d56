import type { GenerateResult, TokenEvent } from '../../engine/engine.ts';
import type { ParseEvent } from '../../parse/types/parse-event.ts';
import { StopStrings } from '../../tokens/stop-strings.ts';
import type { ReplyStats } from '../events/turn-event.ts';

export interface EarlyEndOptions {
  readonly stop: readonly string[];
  readonly repetitionGuard: boolean;
  /** The reply is over after its first call. */
  readonly singleCall: boolean;
  /** The caller's own. */
  readonly signal: AbortSignal | undefined;
}

/** Ends a generation before the engine does: at a stop string, behind a call, or once it repeats itself without end. */
export class EarlyEnd {
  /** For the engine: aborts at the end, and when the caller does. */
  readonly signal: AbortSignal;
  readonly #stops: StopStrings;
  readonly #guard: RepetitionGuard<number> | undefined;
  readonly #caller: AbortSignal | undefined;
  readonly #stopped = new AbortController();
  readonly #singleCall: boolean;
  #reason: 'stop string' | 'call' | 'repetition' | undefined;
  #stopString: string | undefined;

  constructor({ stop, repetitionGuard, singleCall, signal }: EarlyEndOptions) {
    this.#singleCall = singleCall;
    this.#stops = new StopStrings(stop);
    this.#guard = repetitionGuard ? new RepetitionGuard() : undefined;
    this.#caller = signal;
    this.signal = signal ? AbortSignal.any([signal, this.#stopped.signal]) : this.#stopped.signal;
  }

  /** True: the end was reached; what the engine had made ahead is to be dropped. */
  get reached(): boolean {
    return this.#reason !== undefined;
  }

  /** The text that this token settles. */
  push(token: TokenEvent): string {
    const { text, stopped } = this.#stops.push(token.text);
    this.#stopString = stopped;
    if (stopped !== undefined) this.#reason = 'stop string';
    else if (this.#guard?.push(token.id)) this.#reason = 'repetition';
    if (this.#reason) this.#stopped.abort();
    return text;
  }

  /** The events of the parser that belong to the reply. */
  keep(events: readonly ParseEvent[]): readonly ParseEvent[] {
    if (!this.#singleCall) return events;
    if (this.#reason === 'call') return [];
    const at = events.findIndex(({ type }) => type === 'call' || type === 'malformed');
    if (at < 0) return events;
    this.#reason = 'call';
    this.#stopped.abort();
    return events.slice(0, at + 1);
  }

  /** The text held back for a stop string that did not come. */
  rest(): string {
    return this.#stops.end();
  }

  /** The reader has gone. */
  abort(): void {
    this.#stopped.abort();
  }

  /** The engine calls a reply that was ended here cancelled; to the caller it has simply ended, or was too long. */
  statsOf({ timings, ...counts }: GenerateResult): ReplyStats {
    const stats = { ...counts, ...timings };
    if (this.#caller?.aborted || !this.#reason) return stats;
    if (this.#reason === 'repetition') return { ...stats, finishReason: 'length', repetitive: true };
    const stopString = this.#stopString;
    return { ...stats, finishReason: 'stop', ...(stopString !== undefined && { stopString }) };
  }
}

/** Tokens of an n-gram. Shorter ones repeat as one of these too: `a a a` has period 3. */
const MIN_PERIOD = 3;
const MAX_PERIOD = 30;
/** How many of the last tokens must be repetitions of one n-gram. */
const WINDOW = 200;

/**
 * Notices a reply that will never end: its last 200 tokens are one n-gram of at most 30 tokens over and over. Takes 28
 * comparisons a token and keeps 30 tokens.
 */
export class RepetitionGuard<Token extends string | number> {
  /** The last 30 tokens; token `i` at `i % 30`. */
  readonly #last: Token[] = [];
  /** By period: how many tokens in a row equal the one a period before. */
  readonly #runs = new Array<number>(MAX_PERIOD + 1).fill(0);
  #count = 0;

  /** True once the reply repeats itself without end. */
  push(token: Token): boolean {
    let endless = false;
    for (let period = MIN_PERIOD; period <= MAX_PERIOD; period++) {
      const same = this.#count >= period && this.#last[(this.#count - period) % MAX_PERIOD] === token;
      const run = same ? (this.#runs[period] as number) + 1 : 0;
      this.#runs[period] = run;
      if (run >= WINDOW - period) endless = true;
    }
    this.#last[this.#count % MAX_PERIOD] = token;
    this.#count += 1;
    return endless;
  }
}
