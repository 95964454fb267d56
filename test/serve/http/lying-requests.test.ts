import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ask, chat, contentOf } from '../asking.ts';
import { serveScripted, until } from '../scripted.ts';

const HEAD = 'POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\n';
const BODY = JSON.stringify(ask('?'));
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
const CHUNKED = `${HEAD}Transfer-Encoding: chunked\r\n`;

/** All that the server says to these bytes until it closes the connection, or for a second. */
async function said(port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  let text = '';
  let over = false;
  socket.on('data', data => {
    text += data;
  });
  socket.on('error', () => undefined);
  socket.on('close', () => {
    over = true;
  });
  socket.end(bytes);
  await until(() => over);
  return text;
}
const statuses = (text: string) =>
  [...text.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => Number(status));

describe('lengths that lie', () => {
  it.each([
    ['longer than the body', `${HEAD}Content-Length: ${BODY.length + 10}\r\n\r\n${BODY}`, []],
    ['shorter than the body', `${HEAD}Content-Length: 5\r\n\r\n${BODY}`, [400]],
    ['two that differ', `${HEAD}Content-Length: 5\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`, [400]],
    ['a list of them', `${HEAD}Content-Length: ${BODY.length}, ${BODY.length}\r\n\r\n${BODY}`, [400]],
    ['below zero', `${HEAD}Content-Length: -1\r\n\r\n${BODY}`, [400]],
    ['with a sign', `${HEAD}Content-Length: +${BODY.length}\r\n\r\n${BODY}`, [400]],
    ['hexadecimal', `${HEAD}Content-Length: 0x10\r\n\r\n${BODY}`, [400]],
    ['beyond 64 bits', `${HEAD}Content-Length: 99999999999999999999\r\n\r\n${BODY}`, [400]],
    ['of 1 TB', `${HEAD}Content-Length: 1000000000000\r\n\r\n${BODY}`, [413]],
    ['beside chunks', `${CHUNKED}Content-Length: 5\r\n\r\n${chunk(BODY)}0\r\n\r\n`, [400]],
    [
      'chunks, twice encoded',
      `${HEAD}Transfer-Encoding: chunked, chunked\r\n\r\n${chunk(BODY)}0\r\n\r\n`,
      [400],
    ],
    [
      'an encoding that ends otherwise',
      `${HEAD}Transfer-Encoding: chunked, gzip\r\n\r\n${chunk(BODY)}0\r\n\r\n`,
      [400],
    ],
    ['a name with a space', `${HEAD}Transfer-Encoding : chunked\r\n\r\n${chunk(BODY)}0\r\n\r\n`, [400]],
    ['a chunk longer than it says', `${CHUNKED}\r\n5\r\n${BODY}\r\n0\r\n\r\n`, [400]],
    ['a chunk of no number', `${CHUNKED}\r\nzz\r\n${BODY}\r\n0\r\n\r\n`, [400]],
    ['a chunk below zero', `${CHUNKED}\r\n-5\r\n${BODY}\r\n0\r\n\r\n`, [400]],
    ['a chunk beyond 64 bits', `${CHUNKED}\r\nfffffffffffffffff\r\n${BODY}\r\n0\r\n\r\n`, [400]],
    ['chunks that stop', `${CHUNKED}\r\n${chunk(BODY)}`, []],
    ['extensions of a chunk, 20 KB', `${CHUNKED}\r\n5;${'x'.repeat(20_000)}\r\nhello\r\n0\r\n\r\n`, [413]],
  ])('%s: nothing is generated', async (_, bytes, expected) => {
    const { url, port, engine } = await serveScripted(() => 'ok', {
      limits: { headMs: 300, receiveMs: 600 },
    });
    const text = await said(port, bytes);
    // A request that is not complete gets the answer for one that is late, or none: the client is gone.
    if (expected.length > 0) expect(statuses(text).slice(0, 1)).toEqual(expected);
    else expect(statuses(text).filter(status => status < 400)).toEqual([]);
    expect(engine.requests).toEqual([]);
    expect(await contentOf(await chat(url, ask('?')))).toBe('ok');
  });

  it('true ones, byte by byte and in chunks of one byte, are answered', async () => {
    const { port } = await serveScripted(() => 'ok');
    const whole = `${HEAD}Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n${[...BODY].map(chunk).join('')}0\r\n\r\n`;
    expect(await said(port, whole)).toContain('"content":"ok"');
  });
});

describe('heads with many headers', () => {
  const many = 'a:\r\n'.repeat(2500);
  it.each([
    ['a second Host behind 2,500 others', `Host: 127.0.0.1\r\n${many}Host: evil.example\r\n`, 400],
    ['an Origin behind 2,500 others', `Host: 127.0.0.1\r\n${many}Origin: http://evil.example\r\n`, 403],
    ['the only Host behind 2,500 others', `${many}Host: 127.0.0.1\r\n`, 200],
    ['more than 16 KB', `Host: 127.0.0.1\r\n${'abcd: efgh\r\n'.repeat(5000)}`, 431],
    ['one of 20 KB', `Host: 127.0.0.1\r\na: ${'b'.repeat(20_000)}\r\n`, 431],
    ['one whose name is 20 KB', `Host: 127.0.0.1\r\n${'a'.repeat(20_000)}: b\r\n`, 431],
    ['a line without a colon', 'Host: 127.0.0.1\r\nnothing\r\n', 400],
    ['a folded line', 'Host: 127.0.0.1\r\nX-A: b\r\n c\r\n', 400],
    ['NUL in a value', 'Host: 127.0.0.1\r\nX-A: b\u0000c\r\n', 400],
  ])('%s: %3$i', async (_, headers, status) => {
    const { port } = await serveScripted(() => 'ok');
    const text = await said(port, `GET / HTTP/1.1\r\nConnection: close\r\n${headers}\r\n`);
    expect(statuses(text)).toEqual([status]);
  });
});
