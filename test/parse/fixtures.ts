import type { ToolParserOptions } from '../../src/parse/create-tool-parser.ts';
import type { ParseEvent } from '../../src/parse/types/parse-event.ts';

export interface ParserFixture {
  readonly name: string;
  readonly text: string;
  readonly options?: ToolParserOptions;
  /** Merged events; the reason of a malformed one as a part of the text. */
  readonly events: readonly ParseEvent[];
}

const content = (text: string): ParseEvent => ({ type: 'content', text });
const thinking = (text: string): ParseEvent => ({ type: 'thinking', text });
const malformed = (raw: string, reason: string): ParseEvent => ({
  type: 'malformed',
  raw,
  reason,
  ...(reason === 'cut off' && { truncated: true }),
});
const call = (raw: string, name: string, args: Record<string, unknown> = {}): ParseEvent => ({
  type: 'call',
  name,
  arguments: args,
  raw,
});

const ADD = '<tool_call>\n{"name": "add", "arguments": {"a": 17, "b": 25}}\n</tool_call>';
const addEvent = call(ADD, 'add', { a: 17, b: 25 });
const wrap = (body: string) => `<tool_call>${body}</tool_call>`;

function single(name: string, body: string, called: string, args: Record<string, unknown>): ParserFixture {
  return { name, text: wrap(body), events: [call(wrap(body), called, args)] };
}

function broken(name: string, body: string, reason: string): ParserFixture {
  return { name, text: wrap(body), events: [malformed(wrap(body), reason)] };
}

export const FIXTURES: readonly ParserFixture[] = [
  { name: 'empty', text: '', events: [] },
  {
    name: 'plain',
    text: 'The capital of France is Paris.\n',
    events: [content('The capital of France is Paris.\n')],
  },
  { name: 'call alone', text: ADD, events: [addEvent] },
  { name: 'text before', text: `Let me add.\n${ADD}`, events: [content('Let me add.\n'), addEvent] },
  { name: 'text after', text: `${ADD}\nDone.`, events: [addEvent, content('\nDone.')] },
  { name: 'two calls', text: `${ADD}\n${ADD}`, events: [addEvent, content('\n'), addEvent] },
  { name: 'two calls without a gap', text: ADD + ADD, events: [addEvent, addEvent] },
  single('no arguments', '{"name": "now"}', 'now', {}),
  single('null arguments', '{"name": "now", "arguments": null}', 'now', {}),
  single('arguments as a string', '{"name": "f", "arguments": "{\\"a\\": [1]}"}', 'f', { a: [1] }),
  single('parameters', '{"name": "f", "parameters": {"a": 1}}', 'f', { a: 1 }),
  single('nested braces', '{"name":"f","arguments":{"a":{"b":[{"c":{}}]},"d":[]}}', 'f', {
    a: { b: [{ c: {} }] },
    d: [],
  }),
  single('closer in a string', '{"name":"f","arguments":{"t":"a </tool_call> b"}}', 'f', {
    t: 'a </tool_call> b',
  }),
  single('opener in a string', '{"name":"f","arguments":{"t":"<tool_call>{"}}', 'f', { t: '<tool_call>{' }),
  single('escaped quotes', '{"name":"f","arguments":{"t":"\\"\\\\\\"</tool_call>\\\\"}}', 'f', {
    t: '"\\"</tool_call>\\',
  }),
  single('unicode', '{"name":"f","arguments":{"t":"日本 😀 e\u0301 \\ud83d\\ude00","ключ":"é"}}', 'f', {
    t: '日本 😀 e\u0301 😀',
    ключ: 'é',
  }),
  single(
    'a key called __proto__',
    '{"name":"f","arguments":{"__proto__":1}}',
    'f',
    JSON.parse('{"__proto__":1}'),
  ),
  {
    name: 'array of calls',
    text: wrap('[{"name":"f"},{"name":"g","arguments":{"a":1}}]'),
    events: [call(wrap('[{"name":"f"},{"name":"g","arguments":{"a":1}}]'), 'f'), call('', 'g', { a: 1 })],
  },
  broken('junk', 'add 17 and 25', 'not valid JSON'),
  broken('empty call', '\n', 'empty'),
  broken('empty array', '[]', 'empty list'),
  broken('a number', '42', 'not a JSON object'),
  broken('no name', '{"arguments": {}}', 'no "name"'),
  broken('arguments a list', '{"name": "f", "arguments": [1]}', '"arguments" is not'),
  broken('arguments a text', '{"name": "f", "arguments": "17"}', '"arguments" is not'),
  single('trailing comma', '{"name": "f", "arguments": {"a": 1,}}', 'f', { a: 1 }),
  broken('a brace too many', '{"name": "f", "arguments": {}}}', 'not valid JSON'),
  single('python', "{'name': 'f', 'arguments': {'it': True}}", 'f', { it: true }),
  {
    name: 'a quote missing, then text and another call',
    text: `${wrap('{"name": "f, "arguments": {}}')} and ${ADD} end`,
    events: [
      malformed(wrap('{"name": "f, "arguments": {}}'), 'not valid JSON'),
      content(' and '),
      addEvent,
      content(' end'),
    ],
  },
  {
    name: 'cut off in the arguments',
    text: 'x<tool_call>\n{"name": "add", "argum',
    events: [content('x'), malformed('<tool_call>\n{"name": "add", "argum', 'cut off')],
  },
  { name: 'cut off behind the opener', text: '<tool_call>', events: [malformed('<tool_call>', 'cut off')] },
  {
    name: 'closer missing at the end',
    text: '<tool_call>{"name": "f"}\n',
    events: [call('<tool_call>{"name": "f"}\n', 'f')],
  },
  {
    name: 'closer missing between calls',
    text: `<tool_call>{"name": "f"}\n${ADD}`,
    events: [call('<tool_call>{"name": "f"}\n', 'f'), addEvent],
  },
  {
    name: 'a call broken off by another',
    text: `<tool_call>{"name": ${ADD}`,
    events: [malformed('<tool_call>{"name": ', 'cut off'), addEvent],
  },
  { name: 'fake opener', text: 'a <tool_cal', events: [content('a <tool_cal')] },
  {
    name: 'fake opener in text',
    text: 'a <tool_call then <tool <',
    events: [content('a <tool_call then <tool <')],
  },
  {
    name: 'opener after a fake one',
    text: `<tool_<tool_${ADD}`,
    events: [content('<tool_<tool_'), addEvent],
  },
  { name: 'stray closer', text: 'a</tool_call>b', events: [content('a</tool_call>b')] },
  {
    name: 'thinking before',
    text: `<think>\nI add.\n</think>\n\n${ADD}`,
    events: [thinking('\nI add.\n'), content('\n\n'), addEvent],
  },
  {
    name: 'thinking that names the mark',
    text: '<think>use <tool_call> or <tool_call>\n x</think>No.',
    events: [thinking('use <tool_call> or <tool_call>\n x'), content('No.')],
  },
  { name: 'call out of thinking', text: `<think>so\n${ADD}`, events: [thinking('so\n'), addEvent] },
  { name: 'thinking never closed', text: '<think>hm </thin', events: [thinking('hm </thin')] },
  {
    name: 'starts in thinking',
    text: `so</think>${ADD}`,
    options: { startsInThinking: true },
    events: [thinking('so'), addEvent],
  },
  {
    name: 'no thinking marks in the template',
    text: 'the <think> tag</think>',
    options: { template: 'x <tool_call> y' },
    events: [content('the <think> tag</think>')],
  },
];
