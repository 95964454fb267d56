import { describe, expect, test } from 'vitest';
import type { ReplyEvent, Sampling } from '../../src/agent/chat-model.ts';
import { LocalChatModel } from '../../src/agent/local-model.ts';
import type { ReplyStats } from '../../src/agent/turn.ts';
import { probeTemplate } from '../../src/chat/capability.ts';
import { compileTemplate } from '../../src/chat/template.ts';
import type { Engine, GenerateRequest, GenerateResult, TokenEvent } from '../../src/engine/engine.ts';
import type { PromptSegment, Tokenizer } from '../../src/tokens/tokenizer-types.ts';

const TIMINGS = { firstTokenMs: 1, prefillMs: 1, decodeMs: 1 };

/** Says one text, a character a token. */
class TalkingEngine implements Engine {
  readonly info = {
    name: 'x',
    modelType: 'x',
    contextLength: 200,
    vocabSize: 1,
    parameters: 0,
    weightBytes: 0,
    device: 'none',
  };
  readonly #text: string;
  closedEarly = false;

  constructor(text: string) {
    this.#text = text;
  }

  async *generate({ promptIds, signal }: GenerateRequest): AsyncGenerator<TokenEvent, GenerateResult> {
    const counts = { promptTokens: promptIds.length, cachedTokens: 0, generatedTokens: 0, timings: TIMINGS };
    for (const text of this.#text) {
      if (signal?.aborted) {
        this.closedEarly = true;
        return { ...counts, finishReason: 'cancelled' };
      }
      yield { id: 0, text };
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

async function reply(text: string, source: string | undefined, sampling: Sampling = {}, content = 'hi') {
  const engine = new TalkingEngine(text);
  const compiled = source === undefined ? undefined : compileTemplate(source);
  const template = compiled && source ? { compiled, source, capability: probeTemplate(compiled) } : undefined;
  const model = new LocalChatModel({ engine, tokenizer, template, now: new Date() });
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
});
