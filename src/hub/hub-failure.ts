import { LlmHostError } from '../errors.ts';

export interface FailureOptions {
  /** Worth retrying. */
  readonly temporary?: boolean;
  /** The server's Retry-After, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  /** Advice for the user, a whole line. */
  readonly advice?: string | undefined;
  readonly cause?: unknown;
}

/** Why something could not be downloaded or stored in the cache; `message` is a whole sentence for people. */
export class HubFailure extends Error {
  override readonly name = 'HubFailure';
  readonly temporary: boolean;
  readonly retryAfterMs: number | undefined;
  readonly advice: string | undefined;

  constructor(message: string, options: FailureOptions = {}) {
    super(message, { cause: options.cause });
    this.temporary = options.temporary ?? false;
    this.retryAfterMs = options.retryAfterMs;
    this.advice = options.advice;
  }
}

/** The error for a model that cannot be downloaded, with the reason on the next line. */
export function modelNotFound(source: string, reason: string, cause?: unknown): LlmHostError {
  return new LlmHostError('MODEL_NOT_FOUND', `Model '${source}' not found or not accessible`, {
    hint: reason,
    cause,
  });
}
