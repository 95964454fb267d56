import type { TurnEvent } from '../../agent/events/turn-event.ts';
import type { Redactor } from '../../mcp/policy/audit-redact.ts';
import type { Log } from '../../run/log.ts';

/** Too many to log one by one; the `assistant` event has the whole text. */
const PIECES: readonly TurnEvent['type'][] = ['token', 'thinking', 'prefill', 'tool_progress'];

/** Logs turns without secrets: errors always, other events at level debug. */
export class TurnLog {
  readonly #log: Log;
  readonly #redactor: Redactor;

  constructor(log: Log, redactor: Redactor) {
    this.#log = log;
    this.#redactor = redactor;
  }

  /** A turn begins. */
  prompt(text: string): void {
    this.#write('debug', 'user', { text });
  }

  event({ type, ...fields }: TurnEvent): void {
    if (!PIECES.includes(type)) this.#write(type === 'error' ? 'error' : 'debug', type, fields);
  }

  #write(level: 'debug' | 'error', what: string, fields: object): void {
    const { logger } = this.#log;
    if (!logger.isLevelEnabled(level)) return;
    // Figures are not secrets, though `promptTokens` may look like one.
    logger[level]({ turn: what === 'stats' ? fields : this.#redactor.value(fields) }, what);
  }
}
