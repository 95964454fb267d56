import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { EngineEvent, GenerateResult, TokenEvent } from '../../src/engine/engine.ts';
import type { EngineJob, JobEngine } from '../../src/engine/engine-job.ts';
import { MlxEngine } from '../../src/engine/mlx-engine.ts';
import { LlmHostError } from '../../src/errors.ts';
import { loadAddon } from '../../src/native/load-addon.ts';
import { createTokenizer } from '../../src/tokens/tokenizer.ts';
import type { TextStream } from '../../src/tokens/tokenizer-types.ts';
import { promptOf } from '../native/tiny/run-job.ts';
import { tinyModel } from '../native/tiny/tiny-model.ts';

/** Every id is its number; ids divisible by 3 hold their text back until the next one, like half a character. */
const tokenizer = {
  stream(): TextStream {
    let held = '';
    return {
      push(id) {
        if (id % 3 === 0) {
          held += `${id},`;
          return '';
        }
        const text = `${held}${id} `;
        held = '';
        return text;
      },
      end: () => held,
    };
  },
};

let engine: JobEngine;
beforeAll(async () => {
  engine = await open();
});
afterAll(() => engine.close());

function open(defaultStopIds: readonly number[] = []): Promise<MlxEngine> {
  return MlxEngine.create(loadAddon(), tinyModel().spec, { name: 'tiny', tokenizer, defaultStopIds });
}

async function collect(
  request: EngineJob,
  on = engine,
): Promise<{ tokens: TokenEvent[]; result: GenerateResult }> {
  const tokens: TokenEvent[] = [];
  const stream = on.generate(request);
  while (true) {
    const step = await stream.next();
    if (step.done) return { tokens, result: step.value };
    tokens.push(step.value);
  }
}

test('the space between a text and what goes on with it is kept', async () => {
  const words = Object.fromEntries(Array.from({ length: 96 }, (_, id) => [`\u2581w${id}`, id]));
  const spaced = createTokenizer({
    model: { type: 'BPE', vocab: words, merges: [] },
    decoder: { type: 'Metaspace', replacement: '\u2581', prepend_scheme: 'always' },
  });
  const options = { name: 'tiny', tokenizer: spaced, defaultStopIds: [] };
  await using on = await MlxEngine.create(loadAddon(), tinyModel().spec, options);
  const job = { promptIds: promptOf(5), maxTokens: 2 };
  const said = async (request: EngineJob) =>
    (await collect(request, on)).tokens.map(({ text }) => text).join('');
  const reply = await said(job);
  expect(reply).toMatch(/^w\d+ w\d+$/);
  expect(await said({ ...job, continuesText: true })).toBe(` ${reply}`);
});

describe('create', () => {
  test('says what was loaded', () => {
    expect(engine.info).toMatchObject({
      name: 'tiny',
      modelType: 'llama',
      vocabSize: 96,
      contextLength: 4096,
    });
  });

  test('throws LlmHostError with the code of the addon', async () => {
    const { spec } = tinyModel();
    const broken = { ...spec, config: { model_type: 'nothing' } };
    const created = MlxEngine.create(loadAddon(), broken, { name: 'x', defaultStopIds: [] });
    await expect(created).rejects.toBeInstanceOf(LlmHostError);
    await expect(created).rejects.toMatchObject({ code: 'MODEL_UNSUPPORTED' });
  });
});

describe('generate', () => {
  test('gives tokens with their text and ends with the counts', async () => {
    const { tokens, result } = await collect({ promptIds: promptOf(10), maxTokens: 30 });
    expect(tokens).toHaveLength(30);
    expect(result).toMatchObject({ finishReason: 'length', promptTokens: 10, generatedTokens: 30 });
    expect(tokens.map(token => token.text).join('')).toBe(
      tokens.map(({ id }) => (id % 3 === 0 ? `${id},` : `${id} `)).join(''),
    );
  });

  test('gives the last token what the tokenizer held back', async () => {
    const { tokens } = await collect({ promptIds: promptOf(10), maxTokens: 200, ignoreEos: true });
    const end = tokens.findIndex(token => token.id % 3 === 0);
    expect(end).toBeGreaterThanOrEqual(0);
    const cut = await collect({ promptIds: promptOf(10), maxTokens: end + 1 });
    expect(cut.tokens.at(-1)?.text).toBe(`${cut.tokens.at(-1)?.id},`);
  });

  test('passes over default stop ids that the model has no token for', async () => {
    const prompt = promptOf(14, 2);
    const { tokens } = await collect({ promptIds: prompt, maxTokens: 12 });
    const stop = tokens[5]?.id as number;
    const stopping = await open([stop, 96, 32_000]);
    expect((await collect({ promptIds: prompt, maxTokens: 12 }, stopping)).result.finishReason).toBe('stop');
  });

  test('stops at the default stop ids, at the request’s own, or at none', async () => {
    const prompt = promptOf(14, 2);
    const { tokens } = await collect({ promptIds: prompt, maxTokens: 12 });
    const stop = tokens[5]?.id as number;
    const first = tokens.findIndex(token => token.id === stop);
    const stopping = await open([stop]);
    expect((await collect({ promptIds: prompt, maxTokens: 12 }, stopping)).result).toMatchObject({
      finishReason: 'stop',
      generatedTokens: first,
    });
    const none = await collect({ promptIds: prompt, maxTokens: 12, ignoreEos: true }, stopping);
    expect(none.result.finishReason).toBe('length');
    const other = await collect({ promptIds: prompt, maxTokens: 12, stopIds: [] }, stopping);
    expect(other.result.finishReason).toBe('length');
    await stopping.close();
  });

  test('goes to the end of the context by default', async () => {
    const { spec } = tinyModel();
    const small = await MlxEngine.create(
      loadAddon(),
      { ...spec, contextLength: 20 },
      { name: 's', defaultStopIds: [] },
    );
    const { result } = await collect({ promptIds: promptOf(8) }, small);
    expect(result).toMatchObject({ finishReason: 'full', generatedTokens: 13 });
    await expect(collect({ promptIds: promptOf(21) }, small)).rejects.toMatchObject({ code: 'CONTEXT_FULL' });
    await small.close();
  });

  test('reports prefill and reuses the cache', async () => {
    const onPrefill = vi.fn();
    const prompt = promptOf(100, 3);
    await collect({ promptIds: prompt, maxTokens: 1 });
    const { result } = await collect({ promptIds: prompt, maxTokens: 1, onPrefill });
    expect(result.cachedTokens).toBe(99);
    expect(onPrefill).toHaveBeenLastCalledWith({ done: 100, total: 100, cached: 99 });
  });

  test('events are the same tokens, with the prefill as an event', async () => {
    const request = { promptIds: promptOf(100, 7), maxTokens: 3, prefillChunk: 40 };
    const { tokens } = await collect(request);
    const events: EngineEvent[] = [];
    for await (const event of engine.events({ ...request, promptIds: promptOf(100, 8) })) events.push(event);
    const prefills = events.filter(event => event.type === 'prefill');
    expect(events.slice(0, prefills.length)).toEqual(prefills);
    expect(prefills.length).toBeGreaterThan(1);
    expect(prefills.at(-1)).toMatchObject({ type: 'prefill', done: 100, total: 100 });
    expect(events.slice(prefills.length).map(event => event.type)).toEqual(['token', 'token', 'token']);
    expect(tokens.map(token => Object.keys(token))).toEqual(tokens.map(() => ['id', 'text']));
  });

  test('gives log-probabilities as pairs', async () => {
    const { tokens } = await collect({ promptIds: [1], maxTokens: 1, logprobs: 3 });
    expect(tokens[0]?.topLogprobs).toHaveLength(3);
    expect(tokens[0]?.topLogprobs?.[0]).toEqual({ id: tokens[0]?.id, logprob: tokens[0]?.logprob });
  });

  test('a bias decides the token, the penalties drive it away', async () => {
    const request = { promptIds: [1, 2], maxTokens: 40 };
    const biased = await collect({ ...request, logitBias: { 7: 100 } });
    expect(new Set(biased.tokens.map(t => t.id))).toEqual(new Set([7]));
    const distinct = async (change: Partial<EngineJob>) =>
      new Set((await collect({ ...request, ...change })).tokens.map(t => t.id)).size;
    const plain = await distinct({});
    expect(plain).toBeLessThan(40);
    expect(await distinct({ repetitionPenalty: 10 })).toBeGreaterThan(plain);
    expect(await distinct({ presencePenalty: 2, frequencyPenalty: 2 })).toBeGreaterThan(plain);
  });

  test('draws a new seed for each call unless one is given', async () => {
    const request = { promptIds: [1], maxTokens: 30, temperature: 2 };
    // The same token 30 times is one reply of 30: several replies, lest all be that.
    const runs = new Set<string>();
    for (let i = 0; i < 8; i++) runs.add((await collect(request)).tokens.map(t => t.id).join());
    expect(runs.size).toBeGreaterThan(1);
    const seeded = [await collect({ ...request, seed: 1 }), await collect({ ...request, seed: 1 })];
    expect(seeded[0]?.tokens).toEqual(seeded[1]?.tokens);
  });
});

describe('ending early', () => {
  test('by the signal is a result, not an error', async () => {
    const controller = new AbortController();
    const stream = engine.generate({ promptIds: [1], signal: controller.signal });
    for (let i = 0; i < 5; i++) await stream.next();
    controller.abort();
    let step = await stream.next();
    while (!step.done) step = await stream.next();
    expect(step.value.finishReason).toBe('cancelled');
  });

  test('by a signal that is aborted already starts nothing', async () => {
    const { tokens, result } = await collect({ promptIds: [1, 2], signal: AbortSignal.abort() });
    expect(tokens).toEqual([]);
    expect(result).toMatchObject({ finishReason: 'cancelled', promptTokens: 2, generatedTokens: 0 });
  });

  test('by leaving the loop cancels the job, so that the next can run', async () => {
    for await (const token of engine.generate({ promptIds: [1] })) if (token.id >= 0) break;
    const { result } = await collect({ promptIds: [2], maxTokens: 2 });
    expect(result.finishReason).toBe('length');
  });

  test('leaves no listener on the signal', async () => {
    const { signal } = new AbortController();
    const remove = vi.spyOn(signal, 'removeEventListener');
    const add = vi.spyOn(signal, 'addEventListener');
    await collect({ promptIds: [1], maxTokens: 1, signal });
    expect(add).toHaveBeenCalledTimes(1);
    expect(remove).toHaveBeenCalledTimes(1);
  });

  test('by close ends the streams and refuses new ones', async () => {
    const closing = await open();
    const stream = closing.generate({ promptIds: [1] });
    await stream.next();
    const closed = closing.close();
    let step = await stream.next();
    while (!step.done) step = await stream.next();
    expect(step.value.finishReason).toBe('cancelled');
    await closed;
    await closing.close();
    await expect(collect({ promptIds: [1] }, closing)).rejects.toMatchObject({
      code: 'ENGINE',
      message: 'the model has been closed',
    });
  });

  test('a handler that throws ends the generation with its error', async () => {
    const onPrefill = () => {
      throw new Error('from the handler');
    };
    await expect(collect({ promptIds: [1], onPrefill })).rejects.toThrow('from the handler');
    expect((await collect({ promptIds: [1], maxTokens: 1 })).result.finishReason).toBe('length');
  });
});

describe('requests out of range are refused by name', () => {
  test.each<[Partial<EngineJob>, string]>([
    [{ promptIds: [] }, 'promptIds must be at least one token id, got []'],
    [{ promptIds: [1, 96] }, 'promptIds[1] must be an integer from 0 to 95, got 96'],
    [{ promptIds: [0.5] }, 'promptIds[0] must be an integer from 0 to 95, got 0.5'],
    [{ maxTokens: 0 }, 'maxTokens must be an integer from 1 to 2147483647, got 0'],
    [{ temperature: -0.1 }, 'temperature must be a number from 0 to 5, got -0.1'],
    [{ temperature: Number.NaN }, 'temperature must be a number from 0 to 5, got NaN'],
    [{ topP: 0 }, 'topP must be a number above 0 and at most 1, got 0'],
    [{ topK: 1.5 }, 'topK must be an integer from 0 to 2147483647, got 1.5'],
    [{ minP: 1 }, 'minP must be a number of at least 0 and below 1, got 1'],
    [
      { allowedFirst: new Uint8Array(3) },
      'allowedFirst must be a bit for each of 96 tokens (12 bytes), got 3 bytes',
    ],
    [{ continued: 99 }, 'continued must be an integer from 0 to 1, got 99'],
    [{ logitBias: { 1: 101 } }, 'logitBias[1] must be a number from -100 to 100, got 101'],
    [{ logitBias: { 96: 1 } }, 'a token of logitBias must be an integer from 0 to 95, got 96'],
    [{ repetitionPenalty: 0 }, 'repetitionPenalty must be a number above 0 and at most 10, got 0'],
    [{ presencePenalty: 3 }, 'presencePenalty must be a number from -2 to 2, got 3'],
    [{ frequencyPenalty: Number.NaN }, 'frequencyPenalty must be a number from -2 to 2, got NaN'],
    [{ prefillChunk: 0 }, 'prefillChunk must be an integer from 1 to 2147483647, got 0'],
    [{ seed: -1 }, 'seed must be an integer from 0 to 4294967295, got -1'],
    [{ logprobs: 21 }, 'logprobs must be an integer from 0 to 20, got 21'],
    [{ stopIds: [-1] }, 'stopIds[0] must be an integer from 0 to 95, got -1'],
  ])('%j', async (change, message) => {
    await expect(collect({ promptIds: [1], ...change })).rejects.toMatchObject({ code: 'USAGE', message });
  });
});
