/**
 * The same events. A reader that leaves before the last one aborts the signal that `run` gets, and the rest happens unread: nothing
 * goes on behind it, and what was begun comes to its end.
 */
export async function* untilLeft<T, R>(
  signal: AbortSignal | undefined,
  run: (signal: AbortSignal) => AsyncGenerator<T, R>,
): AsyncGenerator<T, R> {
  const left = new AbortController();
  const events = run(signal ? AbortSignal.any([signal, left.signal]) : left.signal);
  let ended = false;
  try {
    // Not `yield*`, which would end them where they are.
    for (let step = await events.next(); ; step = await events.next()) {
      ended = step.done === true;
      if (step.done) return step.value;
      yield step.value;
    }
  } finally {
    if (!ended) left.abort();
    while (!(await events.next()).done);
  }
}
