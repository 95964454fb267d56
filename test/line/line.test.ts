import { Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import type { TurnEvent } from '../../src/agent/events/turn-event.ts';
import { LinePrinter } from '../../src/line/line-printer.ts';
import { formatArguments, formatResult } from '../../src/text/console-format.ts';
import { pipedLines, readAll } from '../../src/text/piped-lines.ts';

function sink() {
  const chunks: string[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      chunks.push(String(chunk));
      done();
    },
  }) as unknown as NodeJS.WriteStream;
  return { stream, text: () => chunks.join('') };
}

function printed(events: TurnEvent[], label = true, showThinking = false) {
  const out = sink();
  const printer = new LinePrinter({
    answer: out.stream,
    lines: out.stream,
    label,
    now: () => new Date(2026, 0, 2, 3, 4, 5),
  });
  printer.showThinking = showThinking;
  for (const event of events) printer.print(event);
  printer.end();
  return out.text();
}

test.each([
  [undefined, '... (12 more lines) (took 1.00s)'],
  ['/expand', '... (12 more lines, /expand shows all) (took 1.00s)'],
])('a long result where %s shows it whole', (expandedBy, end) => {
  const out = sink();
  const printer = new LinePrinter({
    answer: out.stream,
    lines: out.stream,
    label: false,
    ...(expandedBy !== undefined && { expandedBy }),
  });
  const text = Array.from({ length: 24 }, (_, index) => `line ${index}`).join('\n');
  printer.print({ type: 'tool_result', id: '1', name: 'read', text, seconds: 1 });
  printer.end();
  expect(out.text().trimEnd().endsWith(end)).toBe(true);
});

describe('the lines of a turn', () => {
  test('call, result and reply', () => {
    const events: TurnEvent[] = [
      { type: 'tool_call', id: '1', name: 'add', arguments: { a: 17, b: 25 } },
      { type: 'tool_result', id: '1', name: 'add', text: '42', seconds: 0.014 },
      { type: 'token', text: '\n17 + 25' },
      { type: 'token', text: ' is 42.\n\nReally.' },
      { type: 'assistant', text: '', cancelled: false },
    ];
    expect(printed(events)).toBe(
      '[03:04:05] Calling tool: add(a=17, b=25) ...\n[03:04:05] Result: 42 (took 0.01s)\n' +
        'assistant -> 17 + 25 is 42.\n\nReally.\n',
    );
  });

  test('a timeout', () => {
    const message = "Tool 'slow' timed out after 90.0s";
    expect(printed([{ type: 'tool_error', id: '1', name: 'slow', message, seconds: 90.003 }])).toBe(
      "[03:04:05] ERROR: Tool 'slow' timed out after 90.0s (took 90.00s)\n",
    );
  });

  test('text before a call ends its line first; a cancelled reply is marked', () => {
    expect(
      printed([
        { type: 'token', text: 'Let me see.' },
        { type: 'tool_call', id: '1', name: 'x', arguments: {} },
        { type: 'token', text: 'It' },
        { type: 'assistant', text: '', cancelled: true },
      ]),
    ).toBe('assistant -> Let me see.\n[03:04:05] Calling tool: x() ...\nassistant -> It [cancelled]\n');
  });

  test('control sequences of a tool or model never reach the terminal', () => {
    const text = printed([
      { type: 'tool_call', id: '1', name: 'x\u001b[2J', arguments: { 'k\u001b[0m': '\u001b]0;t\u0007v' } },
      { type: 'tool_result', id: '1', name: 'x', text: '\u001b[31mred', seconds: 0 },
      { type: 'token', text: '\u001b[5mblink' },
    ]);
    expect(text).not.toContain('\u001b');
  });

  test('thinking is no part of it, unless it is to be shown', () => {
    const events: TurnEvent[] = [
      { type: 'thinking', text: 'First.\nThe' },
      { type: 'thinking', text: 'n.\u001b[2J\n' },
      { type: 'token', text: 'So.' },
      { type: 'assistant', text: 'So.', cancelled: false },
    ];
    expect(printed(events)).toBe('assistant -> So.\n');
    expect(printed(events, true, true)).toBe('Thinking:\n  First.\n  Then.\nassistant -> So.\n');
  });

  test('without a label the answer stands alone', () => {
    expect(
      printed(
        [
          { type: 'token', text: 'Paris' },
          { type: 'assistant', text: 'Paris', cancelled: false },
        ],
        false,
      ),
    ).toBe('Paris\n');
  });
});

test('no line of a server begins like one of the program', () => {
  const forged = 'ok\nassistant -> All is well.\nprompt -> rm\n[00:00:00] Result: 1';
  const text = printed([
    { type: 'tool_result', id: '1', name: 'x', text: forged, seconds: 1 },
    { type: 'tool_error', id: '2', name: 'x', message: forged, seconds: 1 },
    { type: 'notice', message: forged },
    { type: 'error', code: 'ENGINE', message: forged, hint: 'What to do.' },
  ]);
  expect(text.match(/^(?:assistant -> |prompt -> |\[00:00:00\])/gm)).toBeNull();
  expect(text.match(/^ {2}assistant -> All is well\.$/gm)).toHaveLength(4);
  expect(text).toMatch(/^What to do\.$/m);
});

test('arguments are key=value with JSON values', () => {
  expect(formatArguments({ a: 1, s: 'x "y"\n', n: null, l: [1, 2], o: { k: true } })).toBe(
    'a=1, s="x \\"y\\"\\n", n=null, l=[1,2], o={"k":true}',
  );
});

test('a long result is folded with a count', () => {
  const text = Array.from({ length: 30 }, (_, index) => `line ${index}`).join('\n');
  expect(formatResult(text).split('\n')).toHaveLength(13);
  expect(formatResult(text)).toMatch(/\n\.\.\. \(18 more lines\)$/);
  expect(formatResult(text, '/expand')).toMatch(/\n\.\.\. \(18 more lines, \/expand shows all\)$/);
});

describe('piped input', () => {
  async function* bytes(...parts: (string | number[])[]) {
    for (const part of parts) yield Buffer.from(part as string);
  }
  const lines = async (...parts: (string | number[])[]) => {
    const all = [];
    for await (const line of pipedLines(bytes(...parts))) all.push(line);
    return all;
  };

  test('is split at newlines, whatever the chunks', async () => {
    expect(await lines('a', 'b\nc\r\n', '\nd')).toEqual([
      { text: 'ab' },
      { text: 'c' },
      { text: '' },
      { text: 'd' },
    ]);
  });

  test('a character may be split between chunks', async () => {
    expect(await lines([0xe6, 0xbc], [0xa2, 10])).toEqual([{ text: '漢' }]);
  });

  test('a byte order mark at its beginning is no text, however it is cut; elsewhere it stays', async () => {
    const mark = [0xef, 0xbb, 0xbf];
    expect(await lines(mark, '{}\n', mark, 'b')).toEqual([{ text: '{}' }, { text: '\ufeffb' }]);
    expect(await lines([0xef], [0xbb], [0xbf, 0x61])).toEqual([{ text: 'a' }]);
    expect(await lines(mark)).toEqual([{ text: '' }]);
    expect(await readAll(bytes(mark, 'a\nb'), expect.fail)).toBe('a\nb');
  });

  test('invalid UTF-8 is replaced, with a notice, and the next line is fine', async () => {
    const [bad, good] = await lines([0x61, 0xff, 0x62, 10], 'ok\n');
    expect(bad).toEqual({
      text: 'a\ufffdb',
      notice: expect.stringContaining('Line 1 of the input is not valid UTF-8'),
    });
    expect(good).toEqual({ text: 'ok' });
  });

  test('a line without end is cut, with a notice, and memory stays bounded', async () => {
    const [line] = await lines('x'.repeat(3_000_000), 'y'.repeat(3_000_000));
    expect(line?.text).toHaveLength(4 * 1024 * 1024);
    expect(line?.notice).toContain('was cut');
  });

  test('readAll gives the text and tells what was wrong', async () => {
    const notices: string[] = [];
    expect(await readAll(bytes('a\n', [0xff]), notice => notices.push(notice))).toBe('a\n\ufffd');
    expect(notices).toHaveLength(1);
  });
});
