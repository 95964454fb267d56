import { describe, expect, test } from 'vitest';
import type { ToolDefinition } from '../../src/chat/message.ts';
import type { EngineEvent, GenerateResult } from '../../src/engine/engine.ts';
import type { EngineJob } from '../../src/engine/engine-job.ts';
import { constrainedGeneration } from '../../src/grammar/constrained-generation.ts';
import type { GrammarEngine } from '../../src/grammar/grammar-engine.ts';
import { replyConstraint } from '../../src/grammar/reply-constraint.ts';
import type { ResponseFormat } from '../../src/grammar/response-format.ts';
import { createToolParser } from '../../src/parse/create-tool-parser.ts';
import { llama3 } from '../../src/parse/formats/code/llama-3.ts';
import { hermes } from '../../src/parse/formats/json/hermes.ts';
import { harmony } from '../../src/parse/formats/named/harmony.ts';
import type { ChatFormat } from '../../src/parse/types/format.ts';
import { byteGrammar } from './byte-grammar.ts';
import { ByteTokenizer, planned, type Wish, WishingEngine } from './wishing-engine.ts';

const TOOLS: readonly ToolDefinition[] = [
  {
    type: 'function',
    function: {
      name: 'add',
      parameters: {
        type: 'object',
        properties: { a: { type: 'number' }, b: { type: 'number' } },
        required: ['a', 'b'],
      },
    },
  },
];
const EXTRA = ['<tool_call>', '</tool_call>', ">\n{'", '{"name', 'call'];
const tokenizer = new ByteTokenizer(EXTRA);
const shared = byteGrammar(EXTRA);

interface Options {
  readonly format?: ChatFormat;
  readonly responseFormat?: ResponseFormat;
  readonly constrainCalls?: boolean;
  readonly request?: Partial<EngineJob>;
  readonly grammar?: GrammarEngine;
  readonly minds?: boolean;
  readonly startsInThinking?: boolean;
}

async function say(wish: Wish, options: Options = {}) {
  const { format = hermes, responseFormat, constrainCalls = true, startsInThinking = false } = options;
  const engine = new WishingEngine(tokenizer, wish, { minds: options.minds ?? true });
  const constraint = await replyConstraint({
    grammar: options.grammar ?? (await shared),
    tokenizer,
    format,
    tools: TOOLS,
    constrainCalls,
    responseFormat,
    newParser: () => createToolParser({ format, tools: TOOLS, startsInThinking }),
  });
  const events = constrainedGeneration(
    engine,
    { promptIds: [1, 2, 3], maxTokens: 300, ...options.request },
    constraint,
  );
  const ids: number[] = [];
  let text = '';
  let prefills = 0;
  let step: IteratorResult<EngineEvent, GenerateResult>;
  for (step = await events.next(); !step.done; step = await events.next()) {
    if (step.value.type === 'prefill') prefills += 1;
    else {
      ids.push(step.value.token.id);
      text += step.value.token.text;
    }
  }
  // However many runs there are, the prompt is read once.
  expect(prefills).toBe(1);
  // The tokens are what the text says.
  expect(tokenizer.decode(ids)).toBe(text);
  expect(step.value.generatedTokens).toBe(ids.length);
  return { text, ids, result: step.value, runs: engine.requests };
}

const CALL = '<tool_call>\n{"name": "add", "arguments": {"a": 1, "b": 2.5}}\n</tool_call>';
/** Ends what was begun as soon as it may. */
const ending: Wish = text => {
  if (/<\/tool_call>$|\}\s*$/.test(text) && !/arguments[^}]*\}\s*$/.test(text)) return [];
  return /\d$/.test(text) ? [',', '}', ']'] : ['"', '}', ']', '7', ':', '<'];
};
/** What stands between the marks of the first call. */
const inside = (text: string) => JSON.parse(text.slice(11, text.indexOf('</tool_call>')));

describe('calls', () => {
  test('one that fits is left as it is, in one run', async () => {
    const { text, runs, result } = await say(planned(`Sure.\n${CALL} Done.`));
    expect([text, runs.length, result.finishReason]).toEqual([`Sure.\n${CALL} Done.`, 1, 'stop']);
  });

  test('another name becomes one of the tools, and what has to follow is said at once but for its end', async () => {
    const { text, runs } = await say(
      planned('<tool_call>\n{"name": "sum", "arguments": {"a": 1}}\n</tool_call>', ending),
      { request: { callStart: { token: 7, confidence: 0 } } },
    );
    expect(inside(text)).toEqual({
      name: 'add',
      arguments: { a: expect.any(Number), b: expect.any(Number) },
    });
    // The run that goes on has what was said and what had to follow in its prompt.
    expect(tokenizer.decode(Array.from(runs[1]?.promptIds ?? []).slice(3))).toBe(
      '<tool_call>\n{"name": "add',
    );
    expect(runs[1]?.continued).toBe((runs[1]?.promptIds.length ?? 0) - 3);
    // Only at its beginning may a reply be too unsure to call.
    expect(runs.map(({ callStart }) => callStart?.token)).toEqual([7, ...runs.slice(1).map(() => undefined)]);
  });

  test('a text where a number has to be, a needed argument that is missing, an end too soon', async () => {
    for (const plan of [
      '<tool_call>{"name": "add", "arguments": {"a": "x", "b": 2}}</tool_call>',
      '<tool_call>{"name": "add", "arguments": {"a": 1}}</tool_call>',
      '<tool_call>{"name": "add", "arguments": {"a": 1, "b": 2',
      '<tool_call>',
    ]) {
      const { text } = await say(planned(plan, ending));
      expect(inside(text), plan).toEqual({
        name: 'add',
        arguments: { a: expect.any(Number), b: expect.any(Number) },
      });
    }
  });

  test('a token that ends the opener with a beginning that does not fit is taken back', async () => {
    // Its pieces: <, t, o, o, l, _, call, and one token for the rest.
    const plan = '<tool_' + "call>\n{'name': 'add'}";
    const wish: Wish = text => (text === '<tool_call' ? [">\n{'"] : planned(plan, ending)(text));
    const { text, ids } = await say(wish);
    expect(text.startsWith('<tool_call>')).toBe(true);
    expect(ids).not.toContain(tokenizer.encode(">\n{'")[0]);
    expect(inside(text)).toMatchObject({ name: 'add' });
  });

  test('what the model thinks is free, calls that it only names included', async () => {
    const plan = `I could write <tool_call> here.</think>\n${CALL}`;
    const { text, runs } = await say(planned(plan), { startsInThinking: true });
    expect([text, runs.length]).toEqual([plan, 1]);
  });

  test('JSON without marks is held once it is a call, in a family that has such calls', async () => {
    for (const bare of [
      '{"name": "add", "parameters": {"a": "1", "b": 2}}',
      '{"name": "sum", "parameters": {"a": 1, "b": 2}}',
      '{"type": "function", "name": "sum", "parameters": {"a": 1, "b": 2}}',
    ]) {
      const held = await say(planned(bare, ending), { format: llama3 });
      expect(JSON.parse(held.text)).toMatchObject({ name: 'add', parameters: { a: expect.any(Number) } });
      expect((await say(planned(bare))).text).toBe(bare);
    }
    for (const answer of ['{"name": "Bob", "age": 3}', '{"people": [{"name": "Bob", "parameters": {}}]}']) {
      expect((await say(planned(answer), { format: llama3 })).text).toBe(answer);
    }
  });

  test('the recipient of a message is held too, and a token that ends the reply may be its end', async () => {
    const header = ' to=functions.add<|channel|>commentary json<|message|>';
    const good = `${header}{"a": 1, "b": 2}`;
    const free = await say(planned(good), { format: harmony });
    expect([free.text, free.runs.length, free.result.finishReason]).toEqual([good, 1, 'stop']);
    for (const plan of [good.replace('add', 'sum'), `${header}{"a": "x"}`]) {
      const { text } = await say(planned(plan, ending), { format: harmony });
      const parser = createToolParser({ format: harmony, tools: TOOLS });
      const events = [...parser.push(text), ...parser.end({ finished: true })];
      expect(events, plan).toMatchObject([
        { type: 'call', name: 'add', arguments: { a: expect.any(Number), b: expect.any(Number) } },
      ]);
    }
  });

  test('without constraint calls are free', async () => {
    const plan = '<tool_call>{"name": "sum"}</tool_call>';
    expect((await say(planned(plan), { constrainCalls: false })).text).toBe(plan);
  });
});

describe('the whole reply', () => {
  const schema = {
    type: 'object',
    properties: { city: { type: 'string' }, size: { type: 'integer' } },
    required: ['city', 'size'],
  };
  const responseFormat: ResponseFormat = { type: 'json_schema', schema };

  test('prose becomes JSON that fits, and ends', async () => {
    const { text, result } = await say(planned('Paris is nice.', ending), { responseFormat });
    expect(JSON.parse(text)).toEqual({ city: expect.any(String), size: expect.any(Number) });
    expect(result.finishReason).toBe('stop');
  });

  test('a reply that would end without any gets it, behind what it thought', async () => {
    for (const [plan, before] of [
      ['', ''],
      ['\n', '\n'],
      ['<think>Hm.</think>', '<think>Hm.</think>'],
    ] as const) {
      const { text, result } = await say(planned(plan, ending), { responseFormat });
      expect(text.startsWith(before)).toBe(true);
      expect(JSON.parse(text.slice(before.length))).toEqual({
        city: expect.any(String),
        size: expect.any(Number),
      });
      expect(result.finishReason).toBe('stop');
    }
    // In the middle of a thought nothing is an answer.
    const open = await say(planned('<think>Hm'), { responseFormat });
    expect([open.text, open.runs.length]).toEqual(['<think>Hm', 1]);
  });

  test('JSON that fits stays, and what would follow it is cut', async () => {
    const json = '{"city": "Pa\\u0072is", "size": 2}';
    const { text, runs } = await say(planned(`${json}\nThat is all.`), { responseFormat });
    expect([text, runs.length]).toEqual([`${json}\n`, 1]);
  });

  test('thinking before it is free, and so is a call', async () => {
    const thought = await say(planned('<think>Hm.</think>\n{"city": "", "size": 1}'), { responseFormat });
    expect(thought.text).toBe('<think>Hm.</think>\n{"city": "", "size": 1}');
    expect((await say(planned(CALL), { responseFormat })).text).toBe(CALL);
  });

  test('JSON that looks like a call is an answer all the same', async () => {
    const named: ResponseFormat = {
      type: 'json_schema',
      schema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    };
    const { text } = await say(planned('{"name": 5}', ending), { responseFormat: named });
    expect(JSON.parse(text)).toEqual({ name: expect.any(String) });
  });

  test('characters of several tokens are whole', async () => {
    const { text } = await say(planned('日本', ending), {
      responseFormat: { type: 'json_schema', schema: { const: '日本' } },
    });
    expect(text.trim()).toBe('"日本"');
  });
});

describe('what could go wrong', () => {
  const responseFormat: ResponseFormat = { type: 'json_object' };

  test('tokens run out in the middle', async () => {
    const { result, ids } = await say(planned(CALL), { request: { maxTokens: 20 } });
    expect([result.finishReason, ids.length]).toEqual(['length', 20]);
    const forced = await say(planned('<tool_call>{"name": "x', ending), { request: { maxTokens: 14 } });
    expect(forced.result.finishReason).toBe('length');
  });

  test('what has to be said ends where tokens run out, or the context', async () => {
    const long: ResponseFormat = {
      type: 'json_schema',
      schema: {
        type: 'object',
        properties: { temperature_in_celsius: { const: 20 } },
        additionalProperties: false,
        required: ['temperature_in_celsius'],
      },
    };
    const plan = planned('It is', () => ['x']);
    const limited = await say(plan, { responseFormat: long, request: { maxTokens: 9 } });
    expect([limited.result.finishReason, limited.text]).toEqual(['length', '{"tempera']);
    const promptIds = Array.from({ length: 4096 - 5 }, () => 1);
    const full = await say(plan, { responseFormat: long, request: { promptIds } });
    expect([full.result.finishReason, full.text]).toEqual(['full', '{"tem']);
  });

  test('one reply counts as one use of what prompts share, however many runs it takes', async () => {
    const plan = '<tool_call>{"name": "sum", "arguments": {"a": "x", "b": 2}}</tool_call>';
    const { runs } = await say(planned(plan, ending), { request: { sharedTokens: 2 } });
    expect(runs.length).toBeGreaterThan(1);
    expect(runs.map(run => run.sharedTokens)).toEqual([2, ...runs.slice(1).map(() => 0)]);
  });

  test('the reader aborts before, and in the middle', async () => {
    const before = await say(planned(CALL), { request: { signal: AbortSignal.abort() } });
    expect([before.result.finishReason, before.text]).toEqual(['cancelled', '']);
    const abort = new AbortController();
    const wish: Wish = text => {
      if (text.includes('"add')) abort.abort();
      return planned(CALL)(text);
    };
    expect((await say(wish, { request: { signal: abort.signal } })).result.finishReason).toBe('cancelled');
  });

  test('the reader leaves early', async () => {
    const engine = new WishingEngine(tokenizer, planned('Hello there.'));
    const constraint = await replyConstraint({
      grammar: await shared,
      tokenizer,
      format: hermes,
      tools: TOOLS,
      constrainCalls: true,
      responseFormat: undefined,
      newParser: () => createToolParser({ format: hermes, tools: TOOLS }),
    });
    for await (const _event of constrainedGeneration(engine, { promptIds: [1] }, constraint)) break;
    expect(engine.left).toBe(1);
  });

  test('an engine that says what may not come is not asked for ever', async () => {
    const { text, runs } = await say(() => ['x'], {
      minds: false,
      request: { maxTokens: 30 },
      responseFormat,
    });
    expect([text, runs.length]).toEqual(['x'.repeat(30), 2]);
    expect((await say(planned('No.'), { minds: false, responseFormat })).text).toBe('No.');
  });

  test('the grammar breaks: calls are free, a held reply is refused', async () => {
    const broken: GrammarEngine = {
      prepare: () => Promise.reject(new Error('no memory')),
      start: () => Promise.reject(new Error('no memory')),
      close: async () => undefined,
    };
    const plan = '<tool_call>{"name": "sum"}</tool_call>';
    expect((await say(planned(plan), { grammar: broken })).text).toBe(plan);
    await expect(say(planned('x'), { grammar: broken, responseFormat })).rejects.toThrow(
      'The schema cannot be followed: no memory',
    );
  });
});

test('whitespace before the JSON ends too', async () => {
  const blank: Wish = text => (text.trim() === '' ? ['\n', '{', '"'] : ['}']);
  const schema = { type: 'object', properties: {} };
  const { text, result } = await say(blank, { responseFormat: { type: 'json_schema', schema } });
  expect([text.trim(), result.finishReason]).toEqual(['{}', 'stop']);
  // The parser keeps some of it back, since a call without marks may follow.
  expect(text.length).toBeLessThan(200);
});
