import { describe, expect, it } from 'vitest';
import { createToolParser } from '../../src/parse/create-tool-parser.ts';
import { promptStyleNamed } from '../../src/parse/formats/prompt-style.ts';
import { FORMATS } from '../../src/parse/formats/table.ts';
import { formatOfUser } from '../../src/parse/formats/user-format.ts';
import type { ChatFormat } from '../../src/parse/types/format.ts';
import type { ParseEvent } from '../../src/parse/types/parse-event.ts';
import { mergeEvents } from './merge-events.ts';

function parse(chunks: readonly string[], format: string | ChatFormat): ParseEvent[] {
  const parser = createToolParser({ format, startsInThinking: true });
  return mergeEvents([...chunks.flatMap(chunk => parser.push(chunk)), ...parser.end()]);
}

/** The events of a text, which must be the same under every split. */
function parsed(text: string, format: string | ChatFormat): ParseEvent[] {
  const whole = parse([text], format);
  expect(parse(text.split(''), format)).toEqual(whole);
  for (let at = 1; at < text.length; at++)
    expect(parse([text.slice(0, at), text.slice(at)], format)).toEqual(whole);
  return whole;
}

const own = formatOfUser({ id: 'mine', when: [], opener: '[[do]]', closer: '[[/do]]', body: 'pythonic' });
const code = { ...promptStyleNamed('code'), id: 'code' } as ChatFormat;
/** Harmony's calls are messages. */
const THINKING = [...FORMATS, own, code].filter(({ thinking, channels }) => thinking.length > 0 && !channels);
const OPENERS = THINKING.flatMap(format =>
  format.calls.map(({ opener }) => ({ id: format.id, opener, format })),
);
const CALL = { name: 'read_file', arguments: { path: 'a.txt' } };

describe('a thought that mentions the opener of a call', () => {
  it.each(OPENERS)('$id: $opener', ({ opener, format }) => {
    for (const mention of [`use ${opener} with a path`, `write ${opener}read_file or ${opener}`]) {
      const thought = `I should ${mention}. Then answer.\n`;
      const closer = format.thinking[0]?.closer ?? '';
      expect(parsed(`${thought}${closer}\n\nThe answer is 42.`, format)).toEqual([
        { type: 'thinking', text: thought },
        { type: 'content', text: '\n\nThe answer is 42.' },
      ]);
    }
  });

  it.each([
    ['qwen3-coder', 'I should use <function=read_file> with a path. Then answer.\n'],
    ['seed-oss', 'I should use <function=read_file> with a path. Then answer.\n'],
    ['minimax-m2', 'I should use <invoke name="read_file"> with a path. Then answer.\n'],
  ])('%s: with the name of a tool', (id, thought) => {
    const closer = FORMATS.find(format => format.id === id)?.thinking[0]?.closer ?? '';
    expect(parsed(`${thought}${closer}42`, id)).toEqual([
      { type: 'thinking', text: thought },
      { type: 'content', text: '42' },
    ]);
  });
});

describe('a call in a thought that is not closed is a call', () => {
  // Hunyuan's family only calls after its thoughts; a call without marks is not looked for in them.
  const calling = THINKING.filter(({ id, bare }) => !bare && !['hunyuan', 'apriel'].includes(id));
  it.each(calling)('$id', format => {
    const events = parsed(`I read it.\n${format.writeCalls([CALL])}`, format);
    expect(events.filter(event => event.type === 'call')).toMatchObject([CALL]);
    expect(events.some(event => event.type === 'malformed')).toBe(false);
  });

  it.each([
    ['qwen3-coder', '<function=read_file>\n<parameter=path>\na.txt\n</parameter>\n</function>'],
    ['seed-oss', '<function=read_file>\n<parameter=path>a.txt</parameter>\n</function>'],
    ['minimax-m2', '<invoke name="read_file">\n<parameter name="path">a.txt</parameter>\n</invoke>'],
    ['minimax-m2', '<invoke name=read_file><parameter name=path>a.txt</parameter></invoke>'],
    ['granite-3', '<tool_call>[{"name": "read_file", "arguments": {"path": "a.txt"}}]'],
    ['phi-4-mini', '<|tool_call|>{"name": "read_file", "arguments": {"path": "a.txt"}}<|/tool_call|>'],
    ['llama-3', '<|python_tag|>read_file(path="a.txt")'],
    ['llama-3', '<|python_tag|>{"name": "read_file", "parameters": {"path": "a.txt"}}'],
    ['olmo3', '<function_calls>\n[read_file(path="a.txt")]</function_calls>'],
    ['deepseek-v3', '<｜tool▁call▁begin｜>read_file\n```json\n{"path": "a.txt"}\n```<｜tool▁call▁end｜>'],
  ])('%s: %s', (id, text) => {
    const events = parsed(`I read it.\n${text}`, id);
    expect(events).toEqual([
      { type: 'thinking', text: 'I read it.\n' },
      expect.objectContaining({ type: 'call', ...CALL }),
    ]);
  });
});
