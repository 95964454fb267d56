import { connect, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { connectSecurely } from '../../../src/distributed/link/secure-connection.ts';
import { runWorker } from '../../../src/distributed/worker/run-worker.ts';
import { freePort } from '../../e2e/distributed/machines.ts';

/** On a busy machine a process takes its time. */
const BUSY = { timeout: 20_000 };

const SECRET = 'a secret that only these machines know';
const RANK = fileURLToPath(new URL('rank-script.mjs', import.meta.url));

async function started({ once = false } = {}) {
  const listen = { host: '127.0.0.1', port: await freePort() };
  const notes: string[] = [];
  const worker = await runWorker({
    listen,
    secret: SECRET,
    rankProcess: RANK,
    once,
    onNote: note => void notes.push(note),
  });
  onTestFinished(() => worker.close());
  return { worker, listen, notes };
}

const closing = (socket: Socket) => new Promise(resolve => socket.once('close', resolve));

/** A program that uses the worker: what it hears, and its connection. */
async function program(listen: { host: string; port: number }) {
  const socket = await connectSecurely(listen, SECRET);
  const heard: { type: string; version?: string; message?: string }[] = [];
  let text = '';
  socket
    .on('error', () => undefined)
    .on('data', chunk => {
      text += String(chunk);
      const lines = text.split('\n');
      text = lines.pop() as string;
      heard.push(...lines.map(line => JSON.parse(line)));
    });
  onTestFinished(() => void socket.destroy());
  return { socket, heard, closed: closing(socket) };
}

const say = (socket: TLSSocket, order: object) => void socket.write(`${JSON.stringify(order)}\n`);
const alive = (pid: string | undefined) => {
  try {
    return process.kill(Number(pid), 0);
  } catch {
    return false;
  }
};

test('one program at a time: the second hears why, the next one is served', async () => {
  const { listen, notes } = await started();
  const first = await program(listen);
  await expect.poll(() => first.heard[0]?.type, BUSY).toBe('hello');
  const second = await program(listen);
  await second.closed;
  expect(second.heard).toEqual([
    { type: 'failed', code: 'USAGE', message: 'it works for another program already' },
  ]);
  say(first.socket, { type: 'ping' });
  await expect.poll(() => first.heard.at(-1)?.type, BUSY).toBe('pong');
  first.socket.destroy();
  await expect.poll(() => alive(first.heard[0]?.version), BUSY).toBe(false);
  await expect.poll(() => notes.at(-1), BUSY).toMatch(/It does no more: the first machine has/);
  const third = await program(listen);
  await expect.poll(() => third.heard[0]?.type, BUSY).toBe('hello');
});

test.each<[string, string, RegExp]>([
  ['no JSON', 'close\n', /cannot be used/],
  ['an unknown order', '{"type":"erase"}\n', /none of this protocol/],
  [
    'numbers out of range',
    '{"type":"load","ring":["a","b"],"rank":9,"limitMs":-1}\n',
    /none of this protocol/,
  ],
  ['70 MB without an end', 'x'.repeat(70_000_000), /an endless message/],
])('who has the secret and sends %s is let go, and the worker stays', async (_, bytes, why) => {
  const { listen, notes } = await started();
  const hostile = await program(listen);
  await expect.poll(() => hostile.heard[0]?.type, BUSY).toBe('hello');
  hostile.socket.write(bytes);
  await hostile.closed;
  await expect.poll(() => notes.at(-1), BUSY).toMatch(why);
  expect(alive(hostile.heard[0]?.version)).toBe(false);
  const next = await program(listen);
  await expect.poll(() => next.heard[0]?.type, BUSY).toBe('hello');
});

test('who does not know the secret starts no process', async () => {
  const { listen, notes } = await started();
  await expect(connectSecurely(listen, `${SECRET}!`)).rejects.toMatchObject({ code: /ERR_SSL/ });
  for (const text of ['{"type":"close"}\n', 'x'.repeat(100_000)]) {
    const socket = connect(listen.port, listen.host, () => socket.write(text)).on('error', () => undefined);
    await closing(socket);
  }
  expect(notes).toEqual([]);
  const known = await program(listen);
  await expect.poll(() => known.heard[0]?.type, BUSY).toBe('hello');
});

test.each([
  ['ENOENT', '/no/such/node'],
  // This one is thrown at once.
  ['ENOTDIR', `${process.execPath}/node`],
])('its process cannot be started (%s): the program hears it, the next one is served', async (code, path) => {
  const { worker, listen, notes } = await started();
  const node = process.execPath;
  process.execPath = path;
  try {
    const { heard, closed } = await program(listen);
    await closed;
    const message = expect.stringMatching(`^its process cannot be started \\(.*${code}\\)$`);
    expect(heard).toEqual([{ type: 'failed', code: 'ENGINE', message }]);
    await expect.poll(() => notes.at(-1), { timeout: 3000 }).toMatch(/It does no more/);
  } finally {
    process.execPath = node;
  }
  const next = await program(listen);
  await expect.poll(() => next.heard[0]?.type, BUSY).toBe('hello');
  await worker.close();
});

test('its process ends: the program hears it', async () => {
  const { listen, notes } = await started();
  const { socket, heard, closed } = await program(listen);
  say(socket, { type: 'load', ring: ['10.0.0.1:1', '10.0.0.2:2'], rank: 1, limitMs: 1 });
  await closed;
  expect(heard.at(-1)).toEqual({
    type: 'failed',
    code: 'ENGINE',
    message: 'its process has ended (exit code 7)',
  });
  await expect.poll(() => notes.at(-1), BUSY).toContain('exit code 7');
});

test('closed twice while a program uses it: its process ends, and it listens no more', async () => {
  const { worker, listen } = await started();
  const { heard, closed } = await program(listen);
  await expect.poll(() => heard[0]?.type, BUSY).toBe('hello');
  await Promise.all([worker.close(), worker.close()]);
  await Promise.all([worker.ended, closed]);
  expect(alive(heard[0]?.version)).toBe(false);
  await expect(connectSecurely(listen, SECRET)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

test('with --once it ends with its first program', async () => {
  const { worker, listen } = await started({ once: true });
  const { socket, heard } = await program(listen);
  await expect.poll(() => heard[0]?.type, BUSY).toBe('hello');
  socket.end();
  await worker.ended;
});

test('a port that is taken, and an address of somebody else', async () => {
  const { listen } = await started();
  const options = { secret: SECRET, rankProcess: RANK, once: false, onNote: () => undefined };
  await expect(runWorker({ ...options, listen })).rejects.toThrow(
    `--listen 127.0.0.1:${listen.port}: another program listens there`,
  );
  await expect(runWorker({ ...options, listen: { host: '192.0.2.1', port: 9001 } })).rejects.toMatchObject({
    hint: expect.stringContaining('must be an address of this machine'),
  });
});
