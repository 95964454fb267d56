import { setImmediate as nextRound } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { Deadline } from '../../../src/mcp/server/deadline.ts';

it('what fails when the signal has aborted already, or aborts meanwhile, is no unhandled rejection', async () => {
  const unhandled = vi.fn();
  process.on('unhandledRejection', unhandled);
  const controller = new AbortController();
  const deadline = new Deadline(60_000, { signal: controller.signal });
  try {
    let fail = (_error: Error): void => undefined;
    const slow = deadline.race(new Promise((_, reject) => (fail = reject)));
    controller.abort(new Error('stopped'));
    await expect(slow).rejects.toThrow('stopped');
    fail(new Error('late'));
    await expect(deadline.race(Promise.reject(new Error('not running')))).rejects.toThrow('stopped');
    await nextRound();
    await nextRound();
    expect(unhandled).not.toHaveBeenCalled();
  } finally {
    deadline.dispose();
    process.off('unhandledRejection', unhandled);
  }
});
