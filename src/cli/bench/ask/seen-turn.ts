import type { ReplyStats, TurnEvent } from '../../../agent/events/turn-event.ts';
import type { Answer } from '../../../bench/tools/answer.ts';
import type { MadeCall } from '../../../bench/tools/cases/tool-case.ts';
import { type ErrorCode, LlmHostError } from '../../../errors.ts';

/** Characters of an answer in words that are kept. */
const MAX_TEXT = 400;
/** Failures of a case, which the next one may not have; any other ends the run. */
const OF_THE_CASE: readonly string[] = ['CONTEXT_FULL', 'TEMPLATE', 'USAGE'] satisfies ErrorCode[];

/** What a turn has shown, or several of one conversation. */
export class SeenTurn {
  readonly #started: number;
  readonly #replies: ReplyStats[] = [];
  #firstSeconds = 0;
  #text = '';
  #error: string | undefined;

  constructor(started: number) {
    this.#started = started;
  }

  add(event: TurnEvent): void {
    if (event.type === 'stats') {
      this.#replies.push(event.stats);
      if (this.#replies.length === 1) this.#firstSeconds = this.#seconds();
    }
    if (event.type === 'assistant') this.#text = event.text;
    if (event.type !== 'error') return;
    if (!OF_THE_CASE.includes(event.code))
      throw new LlmHostError(event.code as ErrorCode, event.message, event.hint ? { hint: event.hint } : {});
    this.#error = event.code;
  }

  /** Why it cannot go on. */
  get error(): string | undefined {
    return this.#error;
  }

  answer(calls: readonly MadeCall[]): Omit<Answer, 'id' | 'pass'> {
    const [first] = this.#replies;
    return {
      calls,
      replies: this.#replies.length,
      text: this.#text.slice(0, MAX_TEXT),
      promptTokens: first?.promptTokens ?? 0,
      firstTokens: first?.generatedTokens ?? 0,
      generatedTokens: this.#replies.reduce((sum, { generatedTokens }) => sum + generatedTokens, 0),
      firstSeconds: this.#firstSeconds,
      seconds: this.#seconds(),
      ...(this.#error !== undefined && { error: this.#error }),
    };
  }

  #seconds(): number {
    return Math.round(performance.now() - this.#started) / 1000;
  }
}
