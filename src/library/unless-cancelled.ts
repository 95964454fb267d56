import { LlmHostError } from '../errors.ts';

/** Loads a model, or throws LlmHostError CANCELLED once the signal has ended its download. */
export async function unlessCancelled<T>(
  source: string,
  signal: AbortSignal | undefined,
  load: () => Promise<T>,
): Promise<T> {
  const cancelled = (cause: unknown) =>
    new LlmHostError('CANCELLED', `Loading ${source} was cancelled`, { cause });
  if (signal?.aborted) throw cancelled(signal.reason);
  try {
    return await load();
  } catch (error) {
    throw signal?.aborted && !(error instanceof LlmHostError) ? cancelled(error) : error;
  }
}
