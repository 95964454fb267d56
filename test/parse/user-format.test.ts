import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { chooseCallFormat } from '../../src/parse/choose-call-format.ts';
import { createToolParser } from '../../src/parse/create-tool-parser.ts';
import { callFormatsOfUser, formatOfUser, type UserFormat } from '../../src/parse/formats/user-format.ts';

const ROW: UserFormat = { id: 'mine', when: ['[[call]]'], opener: '[[call]]', closer: '[[/call]]' };
const CALLS = [
  {
    name: 'add',
    arguments: { a: 1, text: 'say "[[/call]]" {}\n\u4f60\u597d', deep: { list: [1, true, null] } },
  },
  { name: 'now', arguments: {} },
];

function parse(pieces: readonly string[], row: UserFormat) {
  const parser = createToolParser({ format: formatOfUser(row) });
  return [...pieces.flatMap(piece => parser.push(piece)), ...parser.end({ finished: true })];
}

describe("a row of the user's", () => {
  test.each([
    ['json', ROW],
    ['pythonic', { ...ROW, body: 'pythonic' as const }],
    ['json without a closer', { id: 'mine', when: ['x'], opener: '[[call]]' }],
  ])('%s: what it writes it reads, however it is cut', (_, row) => {
    const text = `Well. ${formatOfUser(row).writeCalls(CALLS)}`;
    fc.assert(
      fc.property(fc.array(fc.nat(text.length), { maxLength: 6 }), cuts => {
        const ends = [...cuts, text.length].sort((a, b) => a - b);
        const pieces = ends.map((end, index) => text.slice(ends[index - 1] ?? 0, end));
        const calls = parse(pieces, row).filter(event => event.type === 'call');
        expect(calls).toMatchObject(CALLS);
      }),
      { numRuns: 100 },
    );
  });

  it('has its own marks of thinking', () => {
    const row = { ...ROW, thinking: { opener: '(hm)', closer: '(/hm)' } };
    expect(parse(['(hm)so(/hm)yes'], row)).toEqual([
      { type: 'thinking', text: 'so' },
      { type: 'content', text: 'yes' },
    ]);
  });

  it('leaves a call that was cut off unrun', () => {
    const parser = createToolParser({ format: formatOfUser(ROW) });
    const events = [...parser.push('[[call]]{"name": "add", "argu'), ...parser.end()];
    expect(events.map(event => event.type)).toEqual(['malformed']);
  });
});

describe('the choice of a form', () => {
  const responseTemplate = { fields: { content: {} } };
  const rows = callFormatsOfUser([
    ROW,
    { ...ROW, id: 'hermes', when: ['<other>'] },
    { id: 'theirs', when: ['<theirs>'], responseTemplate },
  ]);

  it('is a row of the user for its marks or its name, before those of the table', () => {
    expect(chooseCallFormat({}, 'x [[call]] <tool_call>', rows).format).toBe(rows[0]?.format);
    expect(chooseCallFormat({ tool_parser_type: 'hermes' }, '', rows).format).toBe(rows[1]?.format);
    expect(chooseCallFormat({}, 'x <theirs>', rows)).toEqual({ responseTemplate });
    expect(chooseCallFormat({ tool_parser_type: 'theirs' }, '', rows)).toEqual({ responseTemplate });
    expect(chooseCallFormat({ tool_parser_type: 'llama-3' }, '[[call]]', rows).format?.id).toBe('llama-3');
    expect(chooseCallFormat({ tool_parser_type: 'unheard-of' }, '<tool_call>', rows)).toEqual({});
  });

  it("is the model's own response_template where it has one", () => {
    const own = { fields: { content: {} } };
    expect(chooseCallFormat({ response_template: own }, '[[call]]', rows)).toEqual({ responseTemplate: own });
    expect(() => chooseCallFormat({ response_template: { version: 9 } }, '', rows)).toThrow(
      expect.objectContaining({ code: 'MODEL_BROKEN' }),
    );
  });
});
