import { expect, it } from 'vitest';
import { GenerationQueue, QueueFull } from '../../../src/serve/http/generation-queue.ts';

it('lanes take turns, and within one first come, first served', async () => {
  const queue = new GenerationQueue(20);
  const order: string[] = [];
  const run = async (lane: string, name: string) => {
    const place = queue.admit(lane);
    const release = await place.acquire();
    order.push(name);
    await Promise.resolve();
    release?.();
    place.leave();
  };
  await Promise.all([
    run('a', 'a1'),
    run('a', 'a2'),
    run('a', 'a3'),
    run('b', 'b1'),
    run('c', 'c1'),
    run('b', 'b2'),
  ]);
  expect(order).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2']);
  expect(queue).toMatchObject({ admitted: 0, waiting: 0, running: 0 });
});

it('is full at its bound, and keeps an eighth for those who have no place yet', () => {
  const queue = new GenerationQueue(16);
  for (let index = 0; index < 14; index += 1) queue.admit('greedy');
  expect(() => queue.admit('greedy')).toThrow(QueueFull);
  const place = queue.admit('other');
  queue.admit('third');
  expect(() => queue.admit('fourth')).toThrow(
    expect.objectContaining({ retryAfterSeconds: expect.any(Number) }),
  );
  place.leave();
  place.leave();
  expect(queue.admitted).toBe(15);
});

it('who aborts while waiting leaves the line, and the next gets the engine', async () => {
  const queue = new GenerationQueue(3);
  const [first, second, third] = ['a', 'b', 'c'].map(lane => queue.admit(lane));
  const release = await first?.acquire();
  const stop = new AbortController();
  const waiting = second?.acquire(stop.signal);
  const last = third?.acquire();
  stop.abort();
  expect(await waiting).toBeUndefined();
  expect(queue.waiting).toBe(1);
  release?.();
  release?.();
  expect(await last).toBeTypeOf('function');
  expect(await second?.acquire(AbortSignal.abort())).toBeUndefined();
});

it('as many as it has slots run at once, and the others are told how many are ahead', async () => {
  const queue = new GenerationQueue(10, 2);
  const places = ['a', 'b', 'a', 'c', 'a'].map(lane => queue.admit(lane));
  const running = await Promise.all(places.slice(0, 2).map(place => place.acquire()));
  expect(queue).toMatchObject({ running: 2, waiting: 0 });
  const waiting = places.slice(2).map(place => place.acquire());
  expect(queue).toMatchObject({ running: 2, waiting: 3 });
  // Lanes take turns: the last of `a` comes after the one of `c`.
  expect(places.map(place => place.ahead())).toEqual([undefined, undefined, 0, 1, 2]);
  running[0]?.();
  const third = await waiting[0];
  expect(places.map(place => place.ahead())).toEqual([undefined, undefined, undefined, 0, 1]);
  running[1]?.();
  third?.();
  for (const release of await Promise.all(waiting.slice(1))) release?.();
  expect(queue).toMatchObject({ running: 0, waiting: 0 });
});
