import { Duplex } from 'node:stream';
import { expect, test, vi } from 'vitest';
import { Channel } from '../../../src/distributed/link/channel.ts';

const MIB = 1024 * 1024;

/** A connection whose other side is the test. */
class Wire extends Duplex {
  sent = '';

  constructor() {
    super({ allowHalfOpen: false });
  }

  override _read(): void {}

  override _write(chunk: Buffer, _: string, done: () => void): void {
    this.sent += String(chunk);
    done();
  }
}

function connected(onMessage: (message: unknown) => void = () => undefined) {
  const wire = new Wire();
  const heard = vi.fn(onMessage);
  const closed = vi.fn();
  return { wire, heard, closed, channel: new Channel(wire, { onMessage: heard, onClose: closed }) };
}

const soon = () => new Promise(resolve => setTimeout(resolve, 20));

test('messages come whole and in order, however the bytes were split', async () => {
  const { wire, heard, closed } = connected();
  for (const byte of Buffer.from('{"a":"é"}\n{"b":2}\n')) wire.push(Buffer.from([byte]));
  wire.push('{"c":3}\n{"d":');
  await soon();
  wire.push('4}\n');
  await soon();
  expect(heard.mock.calls).toEqual([[{ a: 'é' }], [{ b: 2 }], [{ c: 3 }], [{ d: 4 }]]);
  expect(closed).not.toHaveBeenCalled();
});

test.each([
  ['no JSON', 'ping\n', /cannot be used: .*JSON/],
  ['half of a message', '{"type":\n', /cannot be used: .*JSON/],
  ['an empty line', '\n', /cannot be used: .*JSON/],
  ['bytes that are no text', Buffer.from([0xff, 0xfe, 0, 10]), /cannot be used: .*JSON/],
  ['a handshake of another protocol', 'GET / HTTP/1.1\r\n\r\n', /cannot be used: .*JSON/s],
])('%s closes it, once, and what follows is not heard', async (_, bytes, why) => {
  const { wire, heard, closed } = connected();
  wire.push(bytes);
  wire.push('{"type":"ping"}\n');
  await soon();
  expect(heard).not.toHaveBeenCalled();
  expect(closed.mock.calls).toEqual([[expect.stringMatching(why)]]);
  expect(wire.destroyed).toBe(true);
});

test('brackets that nest a million deep are a message like any other', async () => {
  const { wire, heard, closed } = connected(() => {
    throw new Error('none of this protocol');
  });
  wire.push(`${'['.repeat(MIB)}${']'.repeat(MIB)}\n`);
  await soon();
  expect(heard).toHaveBeenCalledTimes(1);
  expect(closed.mock.calls).toEqual([['has sent what cannot be used: none of this protocol']]);
});

test('a message of 2 GB ends the connection at its 65th MB, and is not kept', async () => {
  const { wire, closed } = connected();
  const part = Buffer.alloc(MIB, 'a');
  let pushed = 0;
  const before = process.memoryUsage().rss;
  for (; pushed < 2048 && !wire.destroyed; pushed++) {
    wire.push(part);
    await new Promise(resolve => setImmediate(resolve));
  }
  await soon();
  expect(pushed).toBeLessThan(80);
  expect(closed.mock.calls).toEqual([['has sent what cannot be used: an endless message']]);
  expect(process.memoryUsage().rss - before).toBeLessThan(400 * MIB);
});

test('a whole message that is too long says its size', async () => {
  const { wire, heard, closed } = connected();
  wire.push(Buffer.concat([Buffer.alloc(65 * MIB, 'a'), Buffer.from('\n')]));
  await soon();
  expect(heard).not.toHaveBeenCalled();
  expect(closed.mock.calls).toEqual([[`has sent what cannot be used: a message of ${65 * MIB} bytes`]]);
});

test('closed twice: told once, with what was sent before, and nothing after', async () => {
  const { wire, channel, closed } = connected();
  channel.send({ type: 'close' });
  channel.close();
  channel.close();
  channel.send({ type: 'ping' });
  await soon();
  wire.push('{"type":"pong"}\n');
  await soon();
  expect(wire.sent).toBe('{"type":"close"}\n');
  expect(closed.mock.calls).toEqual([[undefined]]);
});

test.each<[string, (wire: Wire) => void, RegExp]>([
  ['ends', wire => wire.push(null), /^has closed the connection$/],
  ['breaks', wire => wire.destroy(new Error('ECONNRESET')), /^has broken the connection \(ECONNRESET\)$/],
])('the other side %s: told once', async (_, end, why) => {
  const { wire, channel, closed } = connected();
  end(wire);
  await soon();
  channel.close();
  expect(closed.mock.calls).toEqual([[expect.stringMatching(why)]]);
});

test('an error of whoever hears a message closes it', async () => {
  const { wire, closed } = connected(() => {
    throw new Error('an unknown order');
  });
  wire.push('{}\n{}\n');
  await soon();
  expect(closed.mock.calls).toEqual([['has sent what cannot be used: an unknown order']]);
});
