import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { StartSlots } from '../../../src/mcp/server/start-slots.ts';

const never = new AbortController().signal;

/** Work that counts itself and ends when it is told to. */
function jobs() {
  const running = new Set<string>();
  const ends = new Map<string, () => void>();
  const log: string[] = [];
  return {
    running,
    log,
    end: (name: string) => ends.get(name)?.(),
    job: (name: string) => async () => {
      running.add(name);
      log.push(name);
      await new Promise<void>(resolve => ends.set(name, resolve));
      running.delete(name);
      return name;
    },
  };
}

test('as many at once as there are places, the others in order', async () => {
  const slots = new StartSlots(2, 60_000);
  const { job, running, log, end } = jobs();
  const all = ['a', 'b', 'c', 'd'].map(name => slots.run(job(name), never));
  await sleep(0);
  expect([...running]).toEqual(['a', 'b']);
  end('b');
  await all[1];
  await sleep(0);
  expect([...running]).toEqual(['a', 'c']);
  end('a');
  end('c');
  await sleep(0);
  end('d');
  expect(await Promise.all(all)).toEqual(['a', 'b', 'c', 'd']);
  expect(log).toEqual(['a', 'b', 'c', 'd']);
});

test('a slow one gives its place to the next, and does not give it twice', async () => {
  const slots = new StartSlots(1, 30);
  const { job, running, end } = jobs();
  const slow = slots.run(job('slow'), never);
  const second = slots.run(job('second'), never);
  await expect.poll(() => [...running]).toEqual(['slow', 'second']);
  end('second');
  await second;
  const third = slots.run(job('third'), never);
  const fourth = slots.run(job('fourth'), never);
  await sleep(0);
  expect(running.has('fourth')).toBe(false);
  end('slow');
  await slow;
  await sleep(0);
  expect(running.has('fourth')).toBe(false);
  end('third');
  await third;
  await sleep(0);
  end('fourth');
  await fourth;
});

test('one that fails makes room, one that is aborted while it waits leaves the queue', async () => {
  const slots = new StartSlots(1, 60_000);
  const failing = slots.run(() => Promise.reject(new Error('no')), never);
  await expect(failing).rejects.toThrow('no');
  const { job, running, end } = jobs();
  const first = slots.run(job('first'), never);
  const abort = new AbortController();
  // Its work runs all the same, and sees the signal.
  const waiting = slots.run(async () => abort.signal.aborted, abort.signal);
  const last = slots.run(job('last'), never);
  abort.abort();
  expect(await waiting).toBe(true);
  expect(await slots.run(async () => 'at once', abort.signal)).toBe('at once');
  expect([...running]).toEqual(['first']);
  end('first');
  await first;
  await sleep(0);
  expect([...running]).toEqual(['last']);
  end('last');
  await last;
});
