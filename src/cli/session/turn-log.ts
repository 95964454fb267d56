import type { TurnEvent } from '../../agent/events/turn-event.ts';
import type { Redactor } from '../../mcp/policy/audit-redact.ts';
import type { Log } from '../../run/log.ts';

/** Too many to be of use one by one; the `assistant` event has the whole text. */
const PIECES: readonly TurnEvent['type'][] = ['token', 'thinking', 'prefill', 'tool_progress'];

/** What a turn comes to, for the log file: errors always, all else among the debug messages. Without secrets. */
export class TurnLog {
  readonly #log: Log;
  readonly #redactor: Redactor;

  constructor(log: Log, redactor: Redactor) {
    this.#log = log;
    this.#redactor = redactor;
  }

  prompt(text: string): void {
    this.#write('debug', 'user', { text });
  }

  event({ type, ...fields }: TurnEvent): void {
    if (!PIECES.includes(type)) this.#write(type === 'error' ? 'error' : 'debug', type, fields);
  }

  #write(level: 'debug' | 'error', what: string, fields: object): void {
    const { logger } = this.#log;
    if (!logger.isLevelEnabled(level)) return;
    // Figures are no secrets, though `promptTokens` may look like one.
    logger[level]({ turn: what === 'stats' ? fields : this.#redactor.value(fields) }, what);
  }
}
