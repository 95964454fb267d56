import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createToolParser, type ToolParserOptions } from '../../src/parse/create-tool-parser.ts';
import type { ParseEvent } from '../../src/parse/types/parse-event.ts';
import { FIXTURES } from './fixtures.ts';
import { mergeEvents } from './merge-events.ts';
import { randomChunks, seededRandom } from './seeded-random.ts';

const CHUNKINGS = 200;

function parse(chunks: readonly string[], options: ToolParserOptions = {}): ParseEvent[] {
  const parser = createToolParser(options);
  return mergeEvents([...chunks.flatMap(chunk => parser.push(chunk)), ...parser.end()]);
}

/** The input, put together again from the events. */
function tiled(events: readonly ParseEvent[]): string {
  return events.map(event => ('raw' in event ? event.raw : event.text)).join('');
}

describe('fixtures', () => {
  it.each(FIXTURES)('$name', ({ text, events, options }) => {
    const found = parse([text], options);
    const expected = events.map(event =>
      event.type === 'malformed' ? { ...event, reason: expect.stringContaining(event.reason) } : event,
    );
    expect(found).toEqual(expected);
  });

  it.each(FIXTURES)(
    `$name: the same in ${CHUNKINGS} random chunkings and letter by letter`,
    ({ text, options }) => {
      const random = seededRandom(text.length + 1);
      const whole = parse([text], options);
      expect(parse(text.split(''), options)).toEqual(whole);
      for (let round = 0; round < CHUNKINGS; round++) {
        const chunks = randomChunks(text, random);
        const found = parse(chunks, options);
        if (JSON.stringify(found) !== JSON.stringify(whole))
          expect({ chunks, found }).toEqual({ chunks, found: whole });
      }
    },
  );

  it('a whole call is the same however it is cut off, or is malformed', () => {
    const text = '<tool_call>\n{"name": "f", "arguments": {"a": "}"}}\n</tool_call>';
    for (let length = 1; length < text.length; length++) {
      const [event, ...more] = parse([text.slice(0, length)]);
      expect(more).toEqual([]);
      const jsonIsWhole = length >= text.indexOf('\n</') && length <= text.indexOf('</');
      const expected = length < '<tool_call>'.length ? 'content' : jsonIsWhole ? 'call' : 'malformed';
      expect([length, event?.type]).toEqual([length, expected]);
    }
  });
});

/** Pieces that make marks, half marks and half JSON likely. */
const soup = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '<tool_call>',
        '</tool_call>',
        '<tool_',
        'call>',
        '</',
        '<',
        '"',
        '\\',
        '{',
        '}',
        '[',
        ']',
      ),
      fc.constantFrom('{"name":"f"}', '{"name":"f","arguments":{}}', '"</tool_call>"', '\n', ' ', 'text'),
      fc.string({ maxLength: 4, unit: 'grapheme' }),
    ),
    { maxLength: 30 },
  )
  .map(parts => parts.join(''));
const thinkingSoup = fc
  .array(fc.oneof(fc.constantFrom('<think>', '</think>', '<thi', 'nk>'), soup), { maxLength: 8 })
  .map(parts => parts.join(''));
/** Without half marks: taking a whole one out from between two halves would make a new one. */
const wholeMarkSoup = fc
  .array(fc.oneof(fc.constantFrom('<think>', '</think>'), soup), { maxLength: 8 })
  .map(parts => parts.join(''));
const seed = fc.integer();

describe('properties', () => {
  it('events tile the input', () => {
    fc.assert(
      fc.property(soup, text => {
        expect(tiled(parse([text], { template: '<tool_call>' }))).toBe(text);
      }),
      { numRuns: 2000, seed: 1 },
    );
  });

  it('nothing but thinking marks is taken out', () => {
    const withoutMarks = (text: string) => text.replaceAll('<think>', '').replaceAll('</think>', '');
    fc.assert(
      fc.property(wholeMarkSoup, fc.boolean(), (text, startsInThinking) => {
        expect(withoutMarks(tiled(parse([text], { startsInThinking })))).toBe(withoutMarks(text));
      }),
      { numRuns: 2000, seed: 2 },
    );
  });

  it('any chunking gives the same events', () => {
    fc.assert(
      fc.property(thinkingSoup, seed, fc.boolean(), (text, chunkSeed, startsInThinking) => {
        const options = { startsInThinking };
        expect(parse(randomChunks(text, seededRandom(chunkSeed)), options)).toEqual(parse([text], options));
      }),
      { numRuns: 3000, seed: 3 },
    );
  });

  it('content holds no opener', () => {
    fc.assert(
      fc.property(soup, text => {
        for (const event of parse([text]))
          if (event.type === 'content') expect(event.text).not.toContain('<tool_call>');
      }),
      { numRuns: 1000, seed: 4 },
    );
  });

  it('plain text is released but for a possible mark', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 5 }), { maxLength: 20 }), chunks => {
        const parser = createToolParser();
        let pushed = 0;
        let released = 0;
        for (const chunk of chunks) {
          pushed += chunk.length;
          for (const event of parser.push(chunk)) if ('text' in event) released += event.text.length;
          if (!chunks.join('').includes('<')) expect(released).toBe(pushed);
          expect(pushed - released).toBeLessThan('</tool_call>'.length);
        }
      }),
      { numRuns: 500, seed: 5 },
    );
  });
});

describe('large inputs', () => {
  const megabyte = 1 << 20;
  const inputs = {
    'plain text': 'word '.repeat(megabyte / 5),
    'half openers': '<tool_call'.repeat(megabyte / 10),
    'an endless string': `<tool_call>{"name": "${'\\"</tool_call>'.repeat(megabyte / 14)}`,
    'calls with an odd quote': '<tool_call>{"</tool_call>"'.repeat(megabyte / 26),
    'openers in thinking': `<think>${'<tool_call> '.repeat(megabyte / 12)}`,
    'deep nesting': `<tool_call>${'['.repeat(megabyte)}`,
    'many calls': '<tool_call>{"name":"f"}</tool_call>'.repeat(megabyte / 35),
  };

  it.each(Object.entries(inputs))(
    '%s: a megabyte, whole and in small chunks, is read in linear time',
    (_name, text) => {
      const chunks = text.match(/[\s\S]{1,7}/g) ?? [];
      const whole = parse([text]);
      expect(parse(chunks).length).toBe(whole.length);
    },
    // Quadratic behaviour would take many minutes.
    120_000,
  );
});

describe('createToolParser', () => {
  it('refuses an unknown format by name', () => {
    expect(() => createToolParser({ format: 'pig-latin' })).toThrow(/no tool-call format 'pig-latin'/);
  });

  it('takes a row by id, a template with its mark, and anything else as the prompt protocol', () => {
    const text = '<tool_call>{"name":"f"}</tool_call>';
    for (const options of [{ format: 'hermes' }, { template: '{{ "<tool_call>" }}' }, { template: '' }, {}]) {
      expect(parse([text], options)).toEqual([{ type: 'call', name: 'f', arguments: {}, raw: text }]);
    }
  });

  it('ends once: end() again gives nothing, push() after it is refused', () => {
    const parser = createToolParser();
    parser.push('<tool');
    expect(parser.end()).toEqual([{ type: 'content', text: '<tool' }]);
    expect(parser.end()).toEqual([]);
    expect(() => parser.push('x')).toThrow(/after end/);
  });
});
