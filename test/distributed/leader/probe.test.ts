import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import type { WorkerHost } from '../../../src/distributed/leader/group-hosts.ts';
import { probeWorkers, slowest } from '../../../src/distributed/leader/probe.ts';
import { PROTOCOL } from '../../../src/distributed/link/messages.ts';
import { runWorker } from '../../../src/distributed/worker/run-worker.ts';
import { freePort } from '../../e2e/distributed/machines.ts';
import { ScriptedWorker, SECRET } from '../scripted-worker.ts';

const LIMIT = { timeout: 30_000 };
const RANK = fileURLToPath(new URL('../worker/rank-script.mjs', import.meta.url));
const HELLO = { type: 'hello', protocol: PROTOCOL, version: '1', mlx: '1' };

test('a worker over the loopback: a latency and a bandwidth, and it is free again', LIMIT, async () => {
  const control = { host: '127.0.0.1', port: await freePort() };
  const notes: string[] = [];
  const worker = await runWorker({
    listen: control,
    secret: SECRET,
    rankProcess: RANK,
    once: false,
    onNote: note => void notes.push(note),
  });
  onTestFinished(() => worker.close());
  const host: WorkerHost = { name: 'two', control, start: undefined, secret: SECRET, model: undefined };
  const [link] = await probeWorkers([host]);
  expect(link?.title).toBe(`two (127.0.0.1:${control.port})`);
  expect(link?.latency).toBeGreaterThan(1e-6);
  expect(link?.latency).toBeLessThan(0.05);
  // Between what no loopback has, and what no memory has.
  expect(link?.bytesPerSecond).toBeGreaterThan(1e6);
  expect(link?.bytesPerSecond).toBeLessThan(1e12);
  await expect.poll(() => notes.at(-1), LIMIT).toMatch(/It does no more/);
});

test('a connection that is slow in both ways is measured as such', LIMIT, async () => {
  const worker = await ScriptedWorker.start({ hello: HELLO });
  const slow = { latencyMs: 20, bytesPerMs: 2000 };
  let heard = 0;
  worker.onOrder = ({ type, data = '', answer }) => {
    if (type !== 'probe') return;
    heard += data.length;
    if (!answer) return;
    setTimeout(() => worker.say({ type: 'probed' }), 2 * slow.latencyMs + heard / slow.bytesPerMs);
    heard = 0;
  };
  const [link] = await probeWorkers([worker.host]);
  expect(link?.latency).toBeGreaterThan(0.019);
  expect(link?.latency).toBeLessThan(0.06);
  expect(link?.bytesPerSecond).toBeLessThan(2.3e6);
  expect(link?.bytesPerSecond).toBeGreaterThan(0.5e6);
});

test('the slowest connection counts for all', () => {
  const near = { title: 'a', latency: 1e-5, bytesPerSecond: 1e8 };
  const far = { title: 'b', latency: 1e-3, bytesPerSecond: 1e9 };
  expect(slowest([near, far])).toEqual({ latency: 1e-3, bytesPerSecond: 1e8 });
});

test.each<[string, object, string]>([
  ['an older protocol', { ...HELLO, protocol: 1 }, 'has llm-host 1, which cannot be probed'],
  [
    'a worker that is busy',
    { type: 'failed', code: 'USAGE', message: 'it works for another program already' },
    ': it works for another program already',
  ],
])('%s: the machine is named, and let go', LIMIT, async (_, hello, why) => {
  const worker = await ScriptedWorker.start({ hello });
  await expect(probeWorkers([worker.host])).rejects.toThrow(
    `${worker.title}${why.startsWith(':') ? '' : ' '}${why}`,
  );
  await expect.poll(() => worker.socket?.closed, LIMIT).toBe(true);
});

test('one that hangs up meanwhile is named', LIMIT, async () => {
  const worker = await ScriptedWorker.start({ hello: HELLO });
  worker.onOrder = ({ type }) => type === 'probe' && worker.socket?.destroy();
  await expect(probeWorkers([worker.host])).rejects.toThrow(`${worker.title} has closed the connection`);
});
