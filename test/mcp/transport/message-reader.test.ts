import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_MESSAGE_BYTES, MAX_VALUES, MessageReader } from '../../../src/mcp/transport/message-reader.ts';
import { LineSplitter, type SplitLine } from '../../../src/text/line-splitter.ts';

function reader() {
  const messages: JSONRPCMessage[] = [];
  const junk: string[] = [];
  const fatal: string[] = [];
  const made = new MessageReader({
    onMessage: message => messages.push(message),
    onJunk: line => junk.push(line),
    onFatal: reason => fatal.push(reason),
  });
  return {
    messages,
    junk,
    fatal,
    push: (text: string | Buffer) => [...made.push(Buffer.from(text as string))],
  };
}

const ping = (id: number): string => `{"jsonrpc":"2.0","id":${id},"method":"ping"}`;

describe('MessageReader', () => {
  it('reads messages with either line ending and skips empty lines', () => {
    const { messages, junk, push } = reader();
    push(`${ping(1)}\r\n\n  \n${ping(2)}\n${ping(3)}`);
    expect(messages).toHaveLength(2);
    push('\n');
    expect(messages).toHaveLength(3);
    expect(junk).toEqual([]);
  });

  it('skips a byte order mark and spaces, and takes batches apart', () => {
    const { messages, junk, push } = reader();
    push(`\ufeff${ping(1)}\n \t${ping(2)} \n[${ping(3)}, ${ping(4)}]\n[]\n`);
    expect(messages).toMatchObject([{ id: 1 }, { id: 2 }, { id: 3 }, { id: 4 }]);
    expect(junk).toEqual(['[]']);
  });

  it('gives every answer with an id to the request that waits for it', () => {
    const { messages, push } = reader();
    push('{"jsonrpc":"2.0","id":1,"result":null}\n{"jsonrpc":"2.0","id":2,"result":{"a":1},"error":null}\n');
    push('{"jsonrpc":"2.0","id":3,"result":[7]}\n{"jsonrpc":"2.0","id":4,"error":"no"}\n');
    expect(messages).toMatchObject([
      { id: 1, result: {} },
      { id: 2, result: { a: 1 } },
      { id: 3, error: { message: expect.stringContaining('not valid JSON-RPC') } },
      { id: 4, error: { message: expect.stringContaining('not valid JSON-RPC') } },
    ]);
  });

  it('reports what is no message, shortened, and goes on', () => {
    const { messages, junk, push } = reader();
    push(`hello\n{"a":1}\n[1]\nnull\n{"jsonrpc":"2.0"\n${'y'.repeat(1000)}\n${ping(1)}\n`);
    expect(junk).toEqual(['hello', '{"a":1}', '[1]', 'null', '{"jsonrpc":"2.0"', 'y'.repeat(200)]);
    expect(messages).toHaveLength(1);
  });

  it('reports only the first stray lines of a run', () => {
    const { junk, push } = reader();
    push('x\n'.repeat(1000));
    expect(junk).toHaveLength(20);
    push(`${ping(1)}\nagain\n`);
    expect(junk.at(-1)).toBe('again');
  });

  const body = 'x'.repeat(MAX_MESSAGE_BYTES);
  it.each([
    `{"jsonrpc":"2.0","id":7,"result":{"content":"${body}"}}`,
    `{"id": 7, "jsonrpc": "2.0", "result": {"content": "${body}"}}`,
    `{"result":{"content":"${body}"},"jsonrpc":"2.0","id":7}`,
    `{"result":{"content":"${body}"},"id":7,"jsonrpc":"2.0"}`,
  ])('answers an oversized message with an error for the request that waits (%#)', line => {
    const { messages, push } = reader();
    push(`${line}\n${ping(8)}\n`);
    expect(messages).toMatchObject([
      { id: 7, error: { message: expect.stringContaining('limit of 10 MB') } },
      { id: 8 },
    ]);
  });

  it('treats an oversized line without an id as junk', () => {
    const { messages, junk, push } = reader();
    push(`${body}${body}\n${ping(8)}\n`);
    expect(junk).toHaveLength(1);
    expect(messages).toHaveLength(1);
  });

  it('gives up after 64 MB of junk, with and without newlines, once', () => {
    for (const chunk of ['x'.repeat(1 << 20), `${'x'.repeat(1 << 20)}\n`]) {
      const { fatal, push } = reader();
      for (let count = 0; count < 80; count++) push(chunk);
      expect(fatal).toEqual(['it printed more than 64 MB of output that is not MCP']);
    }
  });

  it('does not give up while messages come between', () => {
    const { fatal, push } = reader();
    for (let count = 0; count < 80; count++) push(`${'x'.repeat(1 << 20)}\n${ping(count)}\n`);
    expect(fatal).toEqual([]);
  });
});

describe('LineSplitter', () => {
  const split = (chunks: readonly Buffer[], limit: number): SplitLine[] => {
    const splitter = new LineSplitter(limit);
    return chunks.flatMap(chunk => [...splitter.push(chunk)]);
  };

  it('gives the same lines for any cutting of the bytes', () => {
    const arbitrary = fc.record({
      lines: fc.array(fc.string({ unit: fc.constantFrom('a', 'é', '漢', '😀', '\r'), maxLength: 40 }), {
        maxLength: 8,
      }),
      cuts: fc.array(fc.nat(200), { maxLength: 20 }),
    });
    fc.assert(
      fc.property(arbitrary, ({ lines, cuts }) => {
        const bytes = Buffer.from(lines.map(line => `${line}\n`).join(''));
        const edges = [
          0,
          ...cuts.map(cut => Math.min(cut, bytes.length)).sort((a, b) => a - b),
          bytes.length,
        ];
        const chunks = edges.slice(1).map((edge, index) => bytes.subarray(edges[index], edge));
        expect(split(chunks, 30)).toEqual(split([bytes], 30));
        const short = split([bytes], 1000).map(line => (line.type === 'line' ? line.text : ''));
        expect(short).toEqual(lines);
      }),
      // A character across the limit, cut by a chunk: found by chance once.
      { examples: [[{ lines: ['aaaaaaaaaaaaaaaaaaaaaaaaaaaaa漢漢'], cuts: [31] }]] },
    );
  });

  it('keeps both ends of a long line, byte by byte too', () => {
    const text = `head${'x'.repeat(5000)}tail`;
    const bytes = [...Buffer.from(`${text}\nnext\n`)].map(byte => Buffer.from([byte]));
    expect(split(bytes, 1000)).toEqual([
      { type: 'oversized', bytes: 5008, head: text.slice(0, 256), tail: text.slice(-256) },
      { type: 'line', text: 'next' },
    ]);
  });
});

it('an answer of more values than it is worth to read is refused, wherever its id is', () => {
  const many = `[${'{},'.repeat(MAX_VALUES)}1]`;
  const { messages, junk, push } = reader();
  push(`{"jsonrpc":"2.0","id":7,"result":{"a":${many}}}\n`);
  push(`{"result":{"a":${many}},"jsonrpc":"2.0","id":8}\n`);
  push(`{"jsonrpc":"2.0","method":"notifications/message","params":${many}}\n${ping(9)}\n`);
  const message = `the answer holds more than ${MAX_VALUES} values and was refused`;
  expect(messages).toMatchObject([{ id: 7, error: { message } }, { id: 8, error: { message } }, { id: 9 }]);
  expect(junk).toHaveLength(1);
});
