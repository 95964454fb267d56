import type { ToolMetrics } from '../../agent/calls/metrics.ts';
import { type Decoded, decodedOf } from '../../agent/events/decode-rate.ts';
import type { TurnEvent } from '../../agent/events/turn-event.ts';

/** Calls that ran, and how many of them failed. */
interface ToolRuns {
  readonly ran: number;
  readonly failed: number;
}

/** Totals over the session's replies, whichever models gave them. */
export class SessionTotals {
  replies = 0;
  /** Replies that became a summary, or a part of one. */
  summaries = 0;
  generatedTokens = 0;
  decoded: Decoded = { tokens: 0, ms: 0 };
  /** Errors of the present model: of calls that ran and of those that could not. */
  #toolErrors = 0;
  #ofEarlierModels: ToolRuns = { ran: 0, failed: 0 };

  note(event: TurnEvent): void {
    if (event.type === 'tool_error') this.#toolErrors += 1;
    if (event.type !== 'stats') return;
    if (event.summary) this.summaries += 1;
    else this.replies += 1;
    this.generatedTokens += event.stats.generatedTokens;
    const { tokens, ms } = decodedOf(event.stats);
    this.decoded = { tokens: this.decoded.tokens + tokens, ms: this.decoded.ms + ms };
  }

  /** `metrics`: of the present model. Its right calls are those that ran, its errors those that could not. */
  toolRuns(metrics: ToolMetrics): ToolRuns {
    const { firstAttempt, afterRetry, errors } = metrics.summary();
    const notRun = Object.values(errors).reduce((sum, count) => sum + count, 0);
    const { ran, failed } = this.#ofEarlierModels;
    return {
      ran: ran + firstAttempt + afterRetry,
      failed: failed + Math.max(0, this.#toolErrors - notRun),
    };
  }

  /** Call it with the metrics of the model that goes. */
  changeModel(metrics: ToolMetrics): void {
    this.#ofEarlierModels = this.toolRuns(metrics);
    this.#toolErrors = 0;
  }
}

/** How many tokens of the context the conversation takes; follows a reply as it grows. */
export class ContextUse {
  readonly #count: () => number;
  /** undefined: nobody has asked since the conversation changed. */
  #tokens: number | undefined;

  /** @param count counts the tokens of the conversation as it stands */
  constructor(count: () => number) {
    this.#count = count;
  }

  get tokens(): number {
    this.#tokens ??= this.#count();
    return this.#tokens;
  }

  note(event: TurnEvent): void {
    if (event.type === 'prefill') this.#tokens = event.total;
    else if (event.type === 'token' || event.type === 'thinking') this.#tokens = this.tokens + 1;
    else if (event.type === 'stats' && !event.summary)
      this.#tokens = event.stats.promptTokens + event.stats.generatedTokens;
    // The history is as it was before the turn.
    else if (event.type === 'error') this.changed();
  }

  /** The conversation is longer, shorter or another one. */
  changed(): void {
    this.#tokens = undefined;
  }
}
