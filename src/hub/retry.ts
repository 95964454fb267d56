import { setTimeout as sleep } from 'node:timers/promises';
import { HubFailure } from './hub-failure.ts';

export interface RetryOptions {
  /** Attempts after the first. */
  readonly retries: number;
  /** Milliseconds before the first retry; doubles each time, with jitter. */
  readonly firstWaitMs: number;
  readonly signal?: AbortSignal | undefined;
}

const MAX_WAIT_MS = 30_000;
/** Longest Retry-After that is waited for. */
const MAX_RETRY_AFTER_MS = 120_000;

/** Runs `attempt`; after a temporary HubFailure waits and retries, up to `retries` times. */
export async function withRetries<T>(attempt: () => Promise<T>, options: RetryOptions): Promise<T> {
  const patience = new Patience(options);
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      await patience.wait(error);
    }
  }
}

/** Counts consecutive failures and waits after each. */
export class Patience {
  readonly #options: RetryOptions;
  #failures = 0;

  constructor(options: RetryOptions) {
    this.#options = options;
  }

  /** Resets the count after progress. */
  reset(): void {
    this.#failures = 0;
  }

  /** Throws `error` if retrying is pointless, else resolves after the wait. */
  async wait(error: unknown): Promise<void> {
    const { retries, firstWaitMs, signal } = this.#options;
    signal?.throwIfAborted();
    if (!(error instanceof HubFailure) || !error.temporary || this.#failures >= retries) throw error;
    if ((error.retryAfterMs ?? 0) > MAX_RETRY_AFTER_MS) throw error;
    const ceiling = Math.min(MAX_WAIT_MS, firstWaitMs * 2 ** this.#failures);
    this.#failures += 1;
    const waitMs = error.retryAfterMs ?? ceiling / 2 + (Math.random() * ceiling) / 2;
    await sleep(waitMs, undefined, signal && { signal });
  }
}
