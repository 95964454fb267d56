import { expect, onTestFinished, test, vi } from 'vitest';
import { MachineGroup } from '../../../src/distributed/leader/machine-group.ts';
import { PROTOCOL } from '../../../src/distributed/link/messages.ts';
import { LlmHostError } from '../../../src/errors.ts';
import { loadAddon } from '../../../src/native/load-addon.ts';
import { ScriptedWorker } from '../scripted-worker.ts';

/** On a busy machine a process takes its time. */
const BUSY = { timeout: 20_000 };

const VERSION = '1.2.3';
const MLX = loadAddon().versions.mlxLoaded;
const HELLO = { type: 'hello', protocol: PROTOCOL, version: VERSION, mlx: MLX };
const MARK = { weights: 'a', tokenizer: 'b', template: 'c', adapters: 'd', numbers: 'e' };
const LOADING = { contextLength: 64, exact: true, cacheBytes: 0, parallel: 1 };
const RING = ['127.0.0.1:9000', '127.0.0.1:9001'];

async function group(...workers: ScriptedWorker[]): Promise<MachineGroup> {
  const hosts = { ring: RING, workers: workers.map(worker => worker.host) };
  const made = await MachineGroup.connect(hosts, VERSION);
  onTestFinished(() => made.close());
  return made;
}

test.each<[string, object, string]>([
  ['an older version', { ...HELLO, version: '1.2.2' }, `has llm-host 1.2.2, this machine ${VERSION}`],
  ['a later protocol', { ...HELLO, protocol: PROTOCOL + 1, version: '9' }, 'has llm-host 9, this machine'],
  ['another MLX', { ...HELLO, mlx: '0.1' }, `has MLX 0.1, this machine ${MLX}`],
])('%s is refused, and let go', async (_, hello, why) => {
  const worker = await ScriptedWorker.start({ hello });
  await expect(group(worker)).rejects.toThrow(`${worker.title} ${why}`);
  await expect.poll(() => worker.socket?.closed, BUSY).toBe(true);
});

test('of three machines one is missing: it is named, and the other is let go', async () => {
  const [worker, missing] = [await ScriptedWorker.start({ hello: HELLO }), await ScriptedWorker.start()];
  const host = { ...missing.host, name: 'three', control: { host: '127.0.0.1', port: 1 } };
  const hosts = { ring: [...RING, '127.0.0.1:9002'], workers: [worker.host, host] };
  await expect(MachineGroup.connect(hosts, VERSION)).rejects.toThrow('three (127.0.0.1:1) runs no worker');
  await expect.poll(() => worker.socket?.closed ?? true, BUSY).toBe(true);
});

test.each([
  ['weights', 'other weights'],
  ['tokenizer', 'another tokenizer'],
  ['template', 'another chat template'],
  ['adapters', 'other adapters'],
  ['numbers', 'another kind of device or precision'],
])('other %s are refused', async (key, what) => {
  const compared = { type: 'compared', facts: { ...MARK, [key]: 'z' } };
  const worker = await ScriptedWorker.start({ hello: HELLO, compare: compared });
  const made = await group(worker);
  await expect(made.compare('m', MARK, LOADING)).rejects.toThrow(
    `${worker.title} has ${what} than this machine for m`,
  );
});

test('the model that this machine cannot load: its error, at once, whatever the others do', async () => {
  const made = await group(await ScriptedWorker.start({ hello: HELLO }));
  const broken = new LlmHostError('MODEL_BROKEN', 'no header');
  await expect(made.load(60_000, () => Promise.reject(broken))).rejects.toBe(broken);
  expect(made.lostNow()).toBeUndefined();
});

test('what this machine cannot join: the others are named, without waiting for them', async () => {
  const worker = await ScriptedWorker.start({ hello: HELLO });
  const made = await group(worker);
  const start = Date.now();
  const error = await made
    .load(60_000, () => Promise.reject(new LlmHostError('ENGINE', 'cannot bind')))
    .catch(thrown => thrown);
  expect(Date.now() - start).toBeLessThan(3000);
  expect(error.message).toBe(`with ${worker.title}: cannot bind`);
  expect(error.hint).toContain(RING.join(', '));
  expect(made.lostNow()).toBe(error);
});

test('a machine that fails while all load: its error, and this one stops waiting', async () => {
  const abandon = vi.spyOn(loadAddon(), 'abandonGroup').mockReturnValue(undefined);
  onTestFinished(() => abandon.mockRestore());
  const failed = { type: 'failed', code: 'OUT_OF_MEMORY', message: 'needs 9 GB' };
  const worker = await ScriptedWorker.start({ hello: HELLO, load: failed });
  const made = await group(worker);
  const joining = () =>
    new Promise<never>((_, reject) => {
      abandon.mockImplementation(why => reject(new LlmHostError('ENGINE', why)));
    });
  await expect(made.load(60_000, joining)).rejects.toMatchObject({
    code: 'OUT_OF_MEMORY',
    message: `${worker.title}: needs 9 GB`,
  });
  expect(abandon).toHaveBeenCalledTimes(1);
});

test('the first reason counts, and closing twice is closing once', async () => {
  const made = await group(await ScriptedWorker.start({ hello: HELLO }));
  const first = new LlmHostError('ENGINE', 'first');
  expect(made.giveUp(first)).toBe(first);
  expect(made.giveUp(new LlmHostError('ENGINE', 'second'))).toBe(first);
  expect(await made.lost(1)).toBe(first);
  await Promise.all([made.close(), made.close()]);
});

test('all wait for data though each answers: given up within 10 s, with names and addresses', {
  timeout: 30_000,
}, async () => {
  const waiting = { sums: 9, waits: true, bytes: 64 };
  const progress = vi.spyOn(loadAddon(), 'groupProgress').mockReturnValue(waiting);
  onTestFinished(() => progress.mockRestore());
  const worker = await ScriptedWorker.start({ hello: HELLO, ping: { type: 'pong', ...waiting } });
  const made = await group(worker);
  const start = Date.now();
  expect((await made.lost(10_000))?.message).toBe(
    `${worker.title}: the data between the machines no longer arrives, at ${RING.join(', ')}`,
  );
  expect(Date.now() - start).toBeGreaterThan(4000);
});
