import { type ErrorCode, LlmHostError } from '../../src/errors.ts';

/** The LlmHostError that `run` throws, as `CODE: message`; anything else thrown passes through. */
export function thrown(run: () => unknown): string {
  return thrownError(run, error => `${error.code}: ${error.message}`);
}

export function thrownHint(run: () => unknown): string | undefined {
  return thrownError(run, error => error.hint);
}

export function thrownCode(run: () => unknown): ErrorCode {
  return thrownError(run, error => error.code);
}

function thrownError<T>(run: () => unknown, pick: (error: LlmHostError) => T): T {
  try {
    run();
  } catch (error) {
    if (error instanceof LlmHostError) return pick(error);
    throw error;
  }
  throw new Error('nothing was thrown');
}
