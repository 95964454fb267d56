import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { compileTemplate, renderChat } from '../../src/chat/template.ts';
import { createToolParser, type ToolParserOptions } from '../../src/parse/create-tool-parser.ts';
import { FORMATS, formatNamed, formatOfTemplate } from '../../src/parse/formats/table.ts';
import type { BodyCall } from '../../src/parse/types/format.ts';
import type { ParseEvent } from '../../src/parse/types/parse-event.ts';
import { mergeEvents } from './merge-events.ts';
import { randomChunks, seededRandom } from './seeded-random.ts';

const CHUNKINGS = 200;
const FOLDER = fileURLToPath(new URL('../../../shared/chat-templates/', import.meta.url));
const isThere = existsSync(FOLDER);
const REASON =
  'skipped: ../shared/chat-templates, the folder of public templates, is not beside this checkout';
if (!isThere) console.warn(`formats.test.ts ${REASON}`);

const properties = {
  text: { type: 'string' },
  code: { type: 'string' },
  count: { type: 'integer' },
  big: { type: 'integer' },
  ratio: { type: 'number' },
  deep: { type: 'boolean' },
  nothing: { type: ['string', 'null'] },
  tags: { type: 'array', items: { type: 'string' } },
  nested: { type: 'object', additionalProperties: { type: 'string' } },
  items: { type: 'array', items: { type: 'number' } },
};
const tool = (name: string) => ({
  type: 'function',
  function: { name, description: 'Does it', parameters: { type: 'object', properties, required: ['text'] } },
});
const TOOLS = [tool('run_it'), tool('other')];

/** Everything that has broken a parser before. */
const HOSTILE: BodyCall = {
  name: 'run_it',
  arguments: {
    text: `it's "quoted" {and} [braced] \\ back`,
    code: 'if a < b && c > d:\n\tprint("}]")\n日本語 😀\n</tool_call> and </function> <tool_call>{',
    count: -7,
    big: 12345678901234567890n,
    ratio: 0.25,
    deep: false,
    nothing: 'null and void',
    tags: ['a, b', "c'd", ''],
    nested: { 'key "k"': [{ a: null }, [[true]], {}], x: { y: 'z}' } },
    items: [1, 'two', 2.5],
  },
};
const SMALL: BodyCall = { name: 'other', arguments: { text: 'ok' } };

function parse(chunks: readonly string[], options: ToolParserOptions): ParseEvent[] {
  const parser = createToolParser(options);
  return mergeEvents([...chunks.flatMap(chunk => parser.push(chunk)), ...parser.end()]);
}

function callsOf(events: readonly ParseEvent[]): BodyCall[] {
  return events.flatMap(event => {
    if (event.type === 'call') return [{ name: event.name, arguments: event.arguments }];
    if (event.type === 'content')
      return event.text.trim() === '' ? [] : [{ name: `content: ${event.text}`, arguments: {} }];
    return event.type === 'malformed' ? [{ name: `malformed: ${event.reason}`, arguments: {} }] : [];
  });
}

function expectSameInChunks(text: string, options: ToolParserOptions, seed: number): void {
  const whole = parse([text], options);
  expect(parse(text.split(''), options)).toEqual(whole);
  const random = seededRandom(seed);
  for (let round = 0; round < CHUNKINGS; round++) {
    const chunks = randomChunks(text, random);
    const found = parse(chunks, options);
    if (!same(found, whole)) expect({ chunks, found }).toEqual({ chunks, found: whole });
  }
}

function same(a: unknown, b: unknown): boolean {
  const write = (value: unknown) =>
    JSON.stringify(value, (_key, item: unknown) => (typeof item === 'bigint' ? `${item}n` : item));
  return write(a) === write(b);
}

describe('what a format writes, its parser reads', () => {
  it.each(FORMATS)('$id', format => {
    const options = { format: format.id, tools: TOOLS };
    for (const calls of [[HOSTILE], [SMALL], [SMALL, HOSTILE], [{ name: 'other', arguments: {} }]]) {
      const text = format.writeCalls(calls);
      expect(callsOf(parse([text], options))).toEqual(calls);
    }
    expectSameInChunks(format.writeCalls([HOSTILE, SMALL]), options, 7);
  });

  it.each(FORMATS)(
    '$id, with a text before and cut off anywhere: no byte is lost, nothing runs by half',
    format => {
      const text = `I will do it now.${format.bare ? '' : '\n'}${format.writeCalls([SMALL])}`;
      for (let length = 1; length <= text.length; length += 3) {
        const cut = text.slice(0, length);
        const events = parse([cut], { format: format.id, tools: TOOLS });
        for (const event of events) {
          if (event.type === 'call') expect({ name: event.name, arguments: event.arguments }).toEqual(SMALL);
        }
        const tiled = events.map(event => ('raw' in event ? event.raw : event.text)).join('');
        const marks = [
          ...(format.structure ?? []),
          ...(format.callStructure ?? []),
          ...format.thinking.flatMap(pair => [pair.opener, pair.closer]),
        ];
        if (format.channels === undefined && !marks.some(mark => mark !== '' && cut.includes(mark))) {
          expect(tiled).toBe(cut);
        }
      }
    },
  );
});

/** Which row each public template chooses; undefined: it has no calls, so the prompt protocol is used. */
const CHOSEN: Readonly<Record<string, string | undefined>> = {
  'Apriel-1.6': 'apriel',
  'ByteDance-Seed': 'seed-oss',
  'command-r-plus': 'command-r',
  'command-r7b': 'command-r7b',
  'GLM-4.6': 'glm',
  GigaChat3: 'gigachat',
  SmolLM3: undefined,
  'Kimi-K2': 'kimi-k2',
  'LFM2-8B': 'lfm2',
  'LFM2.5': 'lfm2',
  'MiMo-VL': 'hermes',
  MiniMax: 'minimax-m2',
  'Mistral-Small-3.2': 'mistral-v11',
  Nemotron: 'nemotron-v2',
  'Hermes-2-Pro': 'hermes',
  QwQ: 'hermes',
  'Qwen2.5': 'hermes',
  'Qwen3-0.6B': 'hermes',
  'Qwen3-Coder': 'qwen3-coder',
  StepFun: 'qwen3-coder',
  'R1-Distill': 'deepseek-v3',
  'V3.1': 'deepseek-v3.1',
  'V3.2': 'deepseek-v3.2',
  V4: 'deepseek-v4',
  firefunction: 'phi-4-mini',
  'gemma-2': undefined,
  'gemma-4': 'gemma-4',
  'granite-3.3': 'granite-3',
  'granite-4.0': 'hermes',
  'llama-cpp-deepseek-r1': 'deepseek-v3',
  rwkv: undefined,
  'medium-v3.1': 'functionary-v3.1',
  'medium-v3.2': 'functionary-v3.2',
  'meta-llama': 'llama-3',
  'Phi-3.5': undefined,
  'Mistral-Nemo': 'mistral-v3',
  'gpt-oss': 'harmony',
  Laguna: 'glm',
  Devstral: 'mistral-v13',
  Solar: 'solar-open',
};
/** Templates that do not show calls, want other variables or schemas, or (LFM2.5) write texts unescaped. */
const SILENT = [
  'SmolLM3',
  'LFM2-8B',
  'R1-Distill-Llama',
  'llama-cpp-deepseek-r1',
  'gemma-2',
  'granite-3.3',
  'rwkv',
  'Phi-3.5',
  'firefunction',
  'Kimi-K2-Instruct',
  'command-r-plus',
  'Hermes-2-Pro',
  'LFM2.5',
];

const names = Object.keys(
  JSON.parse(readFileSync(new URL('../golden/text/templates.json', import.meta.url), 'utf8')) as object,
).filter(name => name !== 'demo');

describe('public templates', () => {
  it.for(names)('%s', (name, { skip }) => {
    if (!isThere) skip(REASON);
    const source = readFileSync(`${FOLDER}${name}`, 'utf8');
    const [, expected] = Object.entries(CHOSEN).findLast(([part]) => name.includes(part)) ?? [];
    expect(formatOfTemplate(source)?.id).toBe(expected);
    if (SILENT.some(part => name.includes(part))) return;
    const { opening, text } = renderedCall(source, HOSTILE);
    expect(callsOf(parse([text], { template: source, tools: TOOLS, prompt: opening }))).toEqual([HOSTILE]);
  });
});

/** What the template writes for a call, and the prompt before it. */
function renderedCall(source: string, call: BodyCall): { opening: string; text: string } {
  const template = compileTemplate(source);
  const before = [{ role: 'user', content: 'Do it.' }];
  const options = { tools: TOOLS, bosToken: '<s>', eosToken: '</s>', now: new Date(2026, 0, 2) };
  const render = (args: unknown) =>
    renderChat(template, {
      ...options,
      messages: [
        ...before,
        {
          role: 'assistant',
          content: '',
          tool_calls: [{ id: 'call00001', type: 'function', function: { name: call.name, arguments: args } }],
        },
        { role: 'tool', content: 'DONE', name: call.name, tool_call_id: 'call00001' },
      ],
    });
  let whole: string;
  try {
    whole = render(call.arguments);
  } catch {
    whole = render(
      formatNamed('hermes')
        ?.writeCalls([call])
        .match(/"arguments": ([\s\S]*)\}\n/)?.[1] ?? '',
    );
  }
  const prompt = renderChat(template, { ...options, messages: before, addGenerationPrompt: true });
  let shared = 0;
  while (shared < prompt.length && prompt[shared] === whole[shared]) shared += 1;
  // Two marks may begin with the same letters.
  const opening = prompt.slice(0, shared).replace(/<[^>]*$/, '');
  return { opening, text: callText(whole.slice(opening.length)) };
}

/** The reply alone: what follows it is the end of the turn. */
function callText(text: string): string {
  const ends = [
    '<|im_end|>',
    '<|eot_id|>',
    '<|eom_id|>',
    '<|call|>',
    '<seed:eos>',
    '[e~[',
    '</s>',
    '<|end_of_text|>',
    '<｜end▁of▁sentence｜>',
    '<|END_OF_TURN_TOKEN|>',
    '<|observation|>',
    '<|calls|>',
    '<turn|>',
    '<|tool_response>',
    '<SPECIAL_12>',
    '</assistant>',
    '<|message_sep|>\n\nfunction result',
    '<|end|>\n',
  ];
  const at = Math.min(...ends.map(end => text.indexOf(end)).filter(index => index >= 0), text.length);
  return text.slice(0, at);
}
