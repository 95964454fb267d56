import { getEventListeners } from 'node:events';
import { expect, onTestFinished, test, vi } from 'vitest';
import { answer, FakeHost } from '../../agent/fakes.ts';
import { ask, chat, contentOf } from '../asking.ts';
import { callText, serveScripted } from '../scripted.ts';

/** What Node notes in a signal for others that follow it. It never shrinks on Node 20. */
function followers(signal: AbortSignal): number {
  const key = Object.getOwnPropertySymbols(signal).find(symbol =>
    String(symbol).includes('DependantSignals'),
  );
  const noted = key && (signal as unknown as Record<symbol, ReadonlySet<unknown> | undefined>)[key];
  return noted?.size ?? 0;
}

test('requests leave nothing behind in what outlives them, and many at once give no warning', async () => {
  const warn = vi.fn();
  process.on('warning', warn);
  onTestFinished(() => void process.off('warning', warn));
  const stop = new AbortController();
  const tools = new FakeHost({ now: answer('noon') });
  const { url } = await serveScripted(
    prompt => (prompt.includes('noon') ? 'It is noon.' : callText('now', {})),
    { stopping: stop.signal, turns: { tools } },
  );
  const replies = await Promise.all(
    Array.from({ length: 40 }, async (_, index) =>
      contentOf(await chat(url, ask(`${index}: What time is it?`))),
    ),
  );
  expect(new Set(replies)).toEqual(new Set(['It is noon.']));
  expect(followers(stop.signal)).toBe(0);
  expect(getEventListeners(stop.signal, 'abort')).toHaveLength(0);
  expect(warn).not.toHaveBeenCalled();
});
