/** Undefined once `signal` aborts. */
export async function unlessAborted<T>(
  work: Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T | undefined> {
  if (!signal) return await work;
  let end: () => void = () => undefined;
  const aborted = new Promise<undefined>(resolve => {
    end = () => resolve(undefined);
    signal.addEventListener('abort', end);
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', end);
  }
}
