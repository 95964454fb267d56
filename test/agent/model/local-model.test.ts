import { describe, expect, test } from 'vitest';
import type { ReplyStats } from '../../../src/agent/events/turn-event.ts';
import type { ReplyEvent } from '../../../src/agent/model/chat-model.ts';
import { LocalChatModel, type LocalModelParts } from '../../../src/agent/model/local-model.ts';
import { probeTemplate } from '../../../src/chat/capability.ts';
import type { Message } from '../../../src/chat/message.ts';
import { compileTemplate } from '../../../src/chat/template.ts';
import type { EngineEvent, GenerateResult, TokenEvent } from '../../../src/engine/engine.ts';
import { type EngineJob, type JobEngine, tokensOf } from '../../../src/engine/engine-job.ts';
import { checkResponseFormat } from '../../../src/grammar/response-format.ts';
import { promptStyleNamed } from '../../../src/parse/formats/prompt-style.ts';
import type { Sampling } from '../../../src/text/sampling/fields.ts';
import type { PromptSegment, Tokenizer } from '../../../src/tokens/tokenizer-types.ts';

const TIMINGS = { firstTokenMs: 1, prefillMs: 1, decodeMs: 1 };

/** Says one text, a character a token. */
class TalkingEngine implements JobEngine {
  info = {
    name: 'x',
    modelType: 'x',
    contextLength: 200,
    vocabSize: 1,
    parameters: 0,
    weightBytes: 0,
    device: 'none',
    wantsCheckpoints: false,
  };
  readonly #text: string;
  closedEarly = false;
  readonly requests: EngineJob[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  generate(request: EngineJob): AsyncGenerator<TokenEvent, GenerateResult> {
    return tokensOf(this.events(request));
  }

  async *events(request: EngineJob): AsyncGenerator<EngineEvent, GenerateResult> {
    const { promptIds, signal } = request;
    this.requests.push(request);
    const counts = { promptTokens: promptIds.length, cachedTokens: 0, generatedTokens: 0, timings: TIMINGS };
    for (const text of this.#text) {
      if (signal?.aborted) {
        this.closedEarly = true;
        return { ...counts, finishReason: 'cancelled' };
      }
      yield { type: 'token', token: { id: text.codePointAt(0) as number, text } };
    }
    return { ...counts, finishReason: 'stop' };
  }

  async close(): Promise<void> {}
  async [Symbol.asyncDispose](): Promise<void> {}
}

const tokenizer: Tokenizer = {
  vocabSize: 1,
  bosToken: undefined,
  eosToken: undefined,
  encode: text => [...text].map(() => 0),
  encodeSegments: (segments: readonly PromptSegment[]) =>
    segments.flatMap(({ text }) => [...text].map(() => 0)),
  decode: () => '',
  stream: () => ({ push: () => '', end: () => '' }),
  idOf: () => undefined,
};

async function reply(
  text: string,
  source: string | undefined,
  sampling: Sampling = {},
  content = 'hi',
  repetitionGuard?: boolean,
) {
  const engine = new TalkingEngine(text);
  const compiled = source === undefined ? undefined : compileTemplate(source);
  const template = compiled && source ? { compiled, source, capability: probeTemplate(compiled) } : undefined;
  const model = new LocalChatModel({ engine, tokenizer, template, repetitionGuard, now: new Date() });
  const replies = model.reply({ messages: [{ role: 'user', content }], tools: [], sampling });
  const events: ReplyEvent[] = [];
  let step: IteratorResult<ReplyEvent, ReplyStats>;
  for (step = await replies.next(); !step.done; step = await replies.next()) events.push(step.value);
  const said = (type: string) =>
    events.map(event => (event.type === type && 'text' in event ? event.text : '')).join('');
  return { engine, content: said('content'), thinking: said('thinking'), stats: step.value };
}

const PLAIN = '{{ messages[0].content }}';

describe('a local chat model', () => {
  test('a stop string ends the reply, leaks nothing and counts as its end', async () => {
    const { engine, content, stats } = await reply('One. Two. STOP Three.', PLAIN, { stop: ['STOP'] });
    expect(content).toBe('One. Two. ');
    expect(stats.finishReason).toBe('stop');
    expect(engine.closedEarly).toBe(true);
  });

  test('what only looked like a stop string is kept', async () => {
    expect((await reply('One STO', PLAIN, { stop: ['STOP'] })).content).toBe('One STO');
  });

  test('a reply that repeats itself without end is stopped, by length', async () => {
    const { engine, content, stats } = await reply('la '.repeat(500), PLAIN);
    expect(content).toHaveLength(200);
    expect(stats).toMatchObject({ finishReason: 'length', repetitive: true });
    expect(engine.closedEarly).toBe(true);
  });

  test('and goes on with the guard off', async () => {
    const { content, stats } = await reply('la '.repeat(500), PLAIN, {}, 'hi', false);
    expect(content).toHaveLength(1500);
    expect(stats.repetitive).toBeUndefined();
  });

  test('a stop string in the same token comes first', async () => {
    const text = `${'la '.repeat(66)}la`;
    const { stats } = await reply(text.slice(0, 200), PLAIN, { stop: ['la '.repeat(66).concat('la')] });
    expect(stats.finishReason).toBe('stop');
  });

  test('a template that opens thinking makes the reply start in it', async () => {
    const { content, thinking } = await reply('hm</think>yes', `${PLAIN}<think>\n`);
    expect([thinking.trim(), content]).toEqual(['hm', 'yes']);
  });

  test('a base model goes on with the text', async () => {
    const { content, stats } = await reply(' there', undefined, {}, 'hello');
    expect([content, stats.promptTokens]).toEqual([' there', 5]);
  });

  test('a prompt longer than the context is refused with the numbers', async () => {
    await expect(reply('x', PLAIN, {}, 'y'.repeat(300))).rejects.toMatchObject({
      code: 'CONTEXT_FULL',
      message: 'The prompt has 300 tokens, but the context holds 200',
    });
  });

  test('one of ten megabytes is refused by an estimate', async () => {
    await expect(reply('x', PLAIN, {}, 'y'.repeat(10_000_000))).rejects.toMatchObject({
      code: 'CONTEXT_FULL',
      message: 'The prompt has about 10000000 tokens, but the context holds 200',
    });
  });
});

describe('checkpoints', () => {
  const CHAT =
    '{% for m in messages %}<{{ m.role }}>{{ m.content }}</>{% endfor %}{% if add_generation_prompt %}<assistant>{% endif %}';
  /** A character a token. */
  const letters: Tokenizer = {
    ...tokenizer,
    encodeSegments: segments => segments.flatMap(({ text }) => [...text].map(c => c.charCodeAt(0))),
  };

  async function checkpointsOf(messages: readonly Message[], wantsCheckpoints = true, contextLength = 200) {
    const engine = new TalkingEngine('x');
    engine.info = { ...engine.info, wantsCheckpoints, contextLength };
    const compiled = compileTemplate(CHAT);
    const template = { compiled, source: CHAT, capability: probeTemplate(compiled) };
    const model = new LocalChatModel({ engine, tokenizer: letters, template, now: new Date() });
    for await (const _event of model.reply({ messages, tools: [], sampling: {} }));
    const { promptIds, checkpoints } = engine.requests[0] as EngineJob;
    const prompt = String.fromCharCode(...Array.from(promptIds));
    return checkpoints?.map(length => prompt.slice(0, length));
  }

  test('are the ends of the system message and of the last two messages', async () => {
    expect(
      await checkpointsOf([
        { role: 'system', content: 'Be kind.' },
        { role: 'user', content: 'and' },
        { role: 'assistant', content: 'yes' },
        { role: 'user', content: 'now?' },
      ]),
    ).toEqual([
      '<system>Be kind.</><user>',
      '<system>Be kind.</><user>and</><assistant>yes',
      '<system>Be kind.</><user>and</><assistant>yes</><user>now?',
    ]);
  });

  test('are further ones of a long history, with some distance', async () => {
    const long = 'word '.repeat(8).trim();
    const messages = Array.from({ length: 29 }, (_, index) => ({
      role: index % 2 === 0 ? ('user' as const) : ('assistant' as const),
      content: `${index} ${long}`,
    }));
    const lengths = ((await checkpointsOf(messages, true, 4000)) ?? []).map(({ length }) => length);
    expect(lengths.length).toBeGreaterThan(6);
    const gaps = lengths.slice(1, -1).map((length, index) => length - (lengths[index] as number));
    expect(Math.min(...gaps.slice(1))).toBeGreaterThanOrEqual(256);
  });

  test('where tokens go across the end of a message are those of the whole history', async () => {
    const pairs: Tokenizer = {
      ...tokenizer,
      encodeSegments: segments =>
        [
          ...(segments
            .map(({ text }) => text)
            .join('')
            .match(/.{1,2}/gs) ?? []),
        ].map(pair => pair.charCodeAt(0) * 256 + (pair.charCodeAt(1) || 0)),
    };
    const engine = new TalkingEngine('x');
    engine.info = { ...engine.info, wantsCheckpoints: true };
    const compiled = compileTemplate(CHAT);
    const template = { compiled, source: CHAT, capability: probeTemplate(compiled) };
    const model = new LocalChatModel({ engine, tokenizer: pairs, template, now: new Date() });
    const messages = ['odd', 'even', 'also'].map(content => ({ role: 'user' as const, content }));
    for await (const _event of model.reply({ messages, tools: [], sampling: {} }));
    // '<user>odd</><user>even</><user>also' has 35 characters.
    expect(engine.requests[0]?.checkpoints).toEqual([3, 17]);
  });

  test('need no system message', async () => {
    expect(await checkpointsOf([{ role: 'user', content: 'hi' }])).toEqual(['<user>', '<user>hi']);
  });

  test('are not worked out for a model that can go back to any token', async () => {
    expect(await checkpointsOf([{ role: 'user', content: 'hi' }], false)).toBeUndefined();
  });
});

describe('thinking', () => {
  const prefill = (condition: string) => `${PLAIN}{% if ${condition} %}<think></think>{% endif %}`;

  function modelOf(source: string | undefined) {
    const compiled = source === undefined ? undefined : compileTemplate(source);
    const template =
      compiled && source ? { compiled, source, capability: probeTemplate(compiled) } : undefined;
    const model = new LocalChatModel({
      engine: new TalkingEngine('x'),
      tokenizer,
      template,
      now: new Date(),
    });
    // The same objects each time, as the agent asks for the length and then for the reply.
    const request = { messages: [{ role: 'user' as const, content: 'hi' }], tools: [] };
    return { model, promptLength: () => model.countTokens(request) };
  }

  test('is switched by the template, also after the prompt was measured, and back again', () => {
    const { model, promptLength } = modelOf(prefill('enable_thinking is defined and not enable_thinking'));
    expect(promptLength()).toBe('hi'.length);
    expect(model.setThinking(false)).toBe('done');
    expect(promptLength()).toBe('hi<think></think>'.length);
    expect(model.setThinking(false)).toBe('done');
    expect(promptLength()).toBe('hi<think></think>'.length);
    expect(model.setThinking(true)).toBe('done');
    expect(promptLength()).toBe('hi'.length);
  });

  test('a word in the system message switches it where the template looks for one', () => {
    const { model, promptLength } = modelOf(
      "{% if '/no_think' in messages[0].content %}{% set quiet = true %}{% endif %}{% for m in messages %}{{ m.content }}{% endfor %}{% if quiet %}<think></think>{% endif %}",
    );
    expect(model.setThinking(false)).toBe('done');
    expect(promptLength()).toBe('/no_thinkhi<think></think>'.length);
    expect(model.setThinking(true)).toBe('done');
    expect(promptLength()).toBe('/thinkhi'.length);
  });

  test('a template or a base model without a switch says so and stays as it is', () => {
    for (const source of [PLAIN, undefined]) {
      const { model, promptLength } = modelOf(source);
      expect(model.setThinking(false)).toBe('none');
      expect(promptLength()).toBe('hi'.length);
    }
  });

  test('a template that only knows efforts is asked for the least', () => {
    const { model, promptLength } = modelOf(
      "{{ 'Reasoning: ' + (reasoning_effort or 'medium') }}{{ messages[-1].content }}",
    );
    expect(model.setThinking(false)).toBe('less');
    expect(promptLength()).toBe('Reasoning: lowhi'.length);
    expect(model.setThinking(true)).toBe('done');
    expect(promptLength()).toBe('Reasoning: highhi'.length);
  });
});

describe('the prompt protocol', () => {
  const NATIVE =
    '{{ tools | tojson if tools else "" }}{% for m in messages %}{{ m.content }}{% endfor %}<tool_call>';
  const ADD = { type: 'function' as const, function: { name: 'add', parameters: { type: 'object' } } };

  async function callsOf(text: string, parts: Pick<LocalModelParts, 'toolProtocol' | 'promptStyle'>) {
    const compiled = compileTemplate(NATIVE);
    const template = { compiled, source: NATIVE, capability: probeTemplate(compiled) };
    let prompt = '';
    const reader: Tokenizer = {
      ...tokenizer,
      encodeSegments: segments => {
        prompt = segments.map(segment => segment.text).join('');
        return [0];
      },
    };
    const engine = new TalkingEngine(text);
    const model = new LocalChatModel({ engine, tokenizer: reader, template, now: new Date(), ...parts });
    const names: string[] = [];
    const messages = [{ role: 'user' as const, content: 'hi' }];
    for await (const event of model.reply({ messages, tools: [ADD], sampling: {} })) {
      if (event.type === 'call') names.push(event.name);
    }
    return { names, prompt };
  }

  test.each([
    ['generic', '<tool_call>{"name": "add", "arguments": {}}</tool_call>'],
    ['llama', '{"name": "add", "parameters": {}}'],
    ['code', '```tool_code\nadd()\n```'],
    ['mine', 'CALL {"name": "add", "arguments": {}}'],
  ])('%s', async (name, text) => {
    const promptStyle = promptStyleNamed(name, {
      mine: { opener: 'CALL ', instructions: '{tools} so: {call}' },
    });
    if (!promptStyle) throw new Error(`no style ${name}`);
    const { names, prompt } = await callsOf(text, { toolProtocol: 'prompt', promptStyle });
    expect(names).toEqual(['add']);
    expect(prompt).toContain(
      promptStyle.writeCalls([{ name: 'tool name', arguments: { argument: 'value' } }]),
    );
    expect(prompt).not.toContain('"type": "function"');
  });

  test('is not used for a template that shows tools, unless asked for', async () => {
    for (const toolProtocol of ['auto', 'native'] as const) {
      const { names, prompt } = await callsOf('<tool_call>{"name": "add"}</tool_call>', { toolProtocol });
      expect(names).toEqual(['add']);
      expect(prompt).toContain('"type": "function"');
      expect(prompt).not.toContain('To call one');
    }
  });
});

describe('a tool or schema too large for a prompt is refused before work starts', () => {
  const parameters = { type: 'object', description: 'x'.repeat(40_000) };
  const tools = [{ type: 'function' as const, function: { name: 'big', parameters } }];
  const refused = { code: 'USAGE', message: "The definition of the tool 'big' is larger than 32 KB" };

  test('by the model', async () => {
    const engine = new TalkingEngine('hi');
    const model = new LocalChatModel({ engine, tokenizer, template: undefined, now: new Date() });
    const messages: Message[] = [{ role: 'user', content: 'x' }];
    expect(() => model.countTokens({ messages, tools })).toThrow(expect.objectContaining(refused));
    await expect(model.reply({ messages, tools, sampling: {} }).next()).rejects.toMatchObject(refused);
    expect(engine.requests).toEqual([]);
  });

  test('a schema, by the check that the library exports', () => {
    expect(() => checkResponseFormat({ type: 'json_schema', schema: parameters })).toThrow(
      expect.objectContaining({ code: 'USAGE', message: 'The schema is larger than 32 KB' }),
    );
  });
});
