import { connect, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { Machine } from '../../../src/distributed/leader/machine.ts';
import { ScriptedWorker } from '../scripted-worker.ts';

/** On a busy machine a process takes its time. */
const BUSY = { timeout: 20_000 };

const HELLO = { type: 'hello', protocol: 1, version: '1', mlx: '1' };

async function connected(worker: ScriptedWorker): Promise<Machine> {
  const machine = await Machine.connect(worker.host);
  onTestFinished(() => machine.close());
  return machine;
}

/** Listens where a worker should, but is none. */
async function stranger(onConnection: (socket: Socket) => void) {
  const worker = await ScriptedWorker.start();
  const server = createServer(socket => onConnection(socket.on('error', () => undefined)));
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as { port: number };
  return { ...worker.host, control: { host: '127.0.0.1', port } };
}

test.each<[string, (socket: Socket) => void, RegExp]>([
  [
    'speaks HTTP',
    socket => socket.once('data', () => socket.end('HTTP/1.1 400 Bad\r\n\r\n')),
    /runs another program/,
  ],
  ['speaks SSH', socket => socket.write('SSH-2.0-OpenSSH_9.6\r\n'), /runs another program/],
  ['hangs up', socket => socket.end(), /cannot be reached \(ECONNRESET\)/],
])('what %s there is no worker', async (_, onConnection, why) => {
  const host = await stranger(onConnection);
  const error = await Machine.connect(host).catch(thrown => thrown);
  expect(error).toMatchObject({ code: 'ENGINE', message: expect.stringMatching(why) });
  expect(error.message).toContain(`two (127.0.0.1:${host.control.port})`);
  expect(error.hint).toContain('llm-host worker --listen');
});

test('what never answers there is given up in 5 s', { timeout: 10_000 }, async () => {
  const host = await stranger(() => undefined);
  const start = Date.now();
  await expect(Machine.connect(host)).rejects.toThrow(/two \(.*cannot be reached \(ETIMEDOUT\)/);
  expect(Date.now() - start).toBeLessThan(7000);
});

test('strangers that only knock leave the worker as it is', async () => {
  const worker = await ScriptedWorker.start({ hello: HELLO });
  const { port } = worker.host.control;
  const texts = [
    '\0'.repeat(100_000),
    'GET / HTTP/1.1\r\n\r\n',
    '\x16\x03\x01\xff\xff',
    '{"type":"close"}\n',
  ];
  await Promise.all(
    texts.map(
      text =>
        new Promise(resolve => {
          const knock = connect(port, '127.0.0.1', () => knock.write(text));
          knock.on('error', () => undefined).once('close', resolve);
          setTimeout(() => knock.destroy(), 300);
        }),
    ),
  );
  expect(worker.socket).toBeUndefined();
  expect(worker.orders).toEqual([]);
  expect(await (await connected(worker)).hear('hello')).toEqual(HELLO);
});

test('another secret is named, and nothing is said to the worker', async () => {
  const worker = await ScriptedWorker.start();
  const host = { ...worker.host, secret: 'a secret of somebody else altogether' };
  await expect(Machine.connect(host)).rejects.toThrow(`${worker.title} has a different secret`);
  expect(worker.orders).toEqual([]);
});

const NONE = 'has sent what cannot be used: a message that is none of this protocol';

test.each<[string, string | object, string]>([
  ['an answer to another question', { type: 'loaded', weightBytes: 1 }, "sent 'loaded' instead of 'hello'"],
  ['no JSON', 'hello\n', 'has sent what cannot be used: '],
  ['an unknown kind', { type: 'erase' }, NONE],
  ['an order', { type: 'close' }, NONE],
  ['bytes below zero', { type: 'loaded', weightBytes: -1 }, NONE],
  [
    'that it has failed',
    { type: 'failed', code: 'MODEL_BROKEN', message: 'no header', hint: 'h' },
    ': no header',
  ],
])('a worker that says %s is lost, with its name', async (_, said, why) => {
  const worker = await ScriptedWorker.start({ hello: said });
  const machine = await connected(worker);
  const hearing = machine.hear('hello').catch(error => error);
  const lost = await machine.lost;
  expect(lost.message).toContain(worker.title);
  expect(lost.message).toContain(why);
  expect(await hearing).toBe(lost);
  // And whoever asks later hears the same.
  await expect(machine.hear('loaded')).rejects.toBe(lost);
});

test('what is said early is kept once; more than that is not', async () => {
  const worker = await ScriptedWorker.start({ hello: HELLO });
  const machine = await connected(worker);
  await expect.poll(() => worker.socket, BUSY).toBeDefined();
  expect(await machine.hear('hello')).toEqual(HELLO);
  worker.say({ type: 'loaded', weightBytes: 1 });
  worker.say({ type: 'loaded', weightBytes: 2 });
  expect((await machine.lost).message).toBe(`${worker.title} sent 'loaded' unexpectedly`);
});

test('one that hangs up, at any time, is lost', async () => {
  const worker = await ScriptedWorker.start({ hello: HELLO });
  const machine = await connected(worker);
  await machine.hear('hello');
  worker.socket?.destroy();
  expect((await machine.lost).message).toContain(`${worker.title} has closed the connection`);
});

test('one that is silent is lost after 5 s', { timeout: 10_000 }, async () => {
  const worker = await ScriptedWorker.start({ hello: HELLO, ping: '' });
  const machine = await connected(worker);
  expect((await machine.lost).message).toBe(`${worker.title} has not answered for 5 s`);
});

test('what it has said of its sums counts twice, unless it says more', async () => {
  const pong = { type: 'pong', sums: 1, waits: true, bytes: 64 };
  const worker = await ScriptedWorker.start({ hello: HELLO, ping: '' });
  const machine = await connected(worker);
  await machine.hear('hello');
  expect(machine.takeProgress()).toBeUndefined();
  worker.say(pong);
  await expect.poll(() => machine.takeProgress(), { ...BUSY, interval: 5 }).toEqual(pong);
  expect(machine.takeProgress()).toEqual(pong);
  expect(machine.takeProgress()).toBeUndefined();
});

test('closed while it is waited for, closed again, asked after that', async () => {
  const worker = await ScriptedWorker.start();
  const machine = await connected(worker);
  const hearing = machine.hear('hello');
  hearing.catch(() => undefined);
  await Promise.all([machine.close(), machine.close()]);
  await expect(hearing).rejects.toMatchObject({ code: 'CANCELLED' });
  await expect(machine.hear('hello')).rejects.toMatchObject({ code: 'CANCELLED' });
  machine.tell({ type: 'ping' });
  worker.say(HELLO);
  await expect(Promise.race([machine.lost, new Promise(r => setTimeout(r, 300, 'not lost'))])).resolves.toBe(
    'not lost',
  );
});
