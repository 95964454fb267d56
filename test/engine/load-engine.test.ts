import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import type { EngineJob, LocalJobEngine } from '../../src/engine/engine-job.ts';
import { loadEngine } from '../../src/engine/load-engine.ts';
import { LlmHostError } from '../../src/errors.ts';

const MODEL = fileURLToPath(new URL('../fixtures/models/tiny-f32', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'llm-host-library-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function collect(engine: LocalJobEngine, request: EngineJob) {
  const tokens = [];
  const stream = engine.generate(request);
  let step = await stream.next();
  for (; !step.done; step = await stream.next()) tokens.push(step.value);
  return { tokens, result: step.value };
}

describe('the library without a tokenizer', () => {
  test('loads a folder of weights and config, and works with ids', async () => {
    await using engine = await loadEngine(MODEL, { contextLength: 100 });
    expect(engine.info).toMatchObject({ modelType: 'llama', contextLength: 100, wantsCheckpoints: false });
    const { tokens, result } = await collect(engine, { promptIds: [1, 2, 3], maxTokens: 4, logprobs: 2 });
    expect(tokens).toHaveLength(4);
    for (const { id, text, logprob, topLogprobs } of tokens) {
      expect(text).toBe('');
      expect(topLogprobs).toHaveLength(2);
      expect(topLogprobs?.[0]).toEqual({ id, logprob });
    }
    expect(result).toEqual({
      finishReason: expect.stringMatching(/^(length|stop)$/),
      promptTokens: 3,
      cachedTokens: 0,
      generatedTokens: 4,
      decoding: { passes: 3, sequences: 3, proposed: 0, accepted: 0 },
      timings: {
        firstTokenMs: expect.any(Number),
        prefillMs: expect.any(Number),
        decodeMs: expect.any(Number),
      },
    });
  });

  test('takes typed arrays, every option at once, and an abort', async () => {
    await using engine = await loadEngine('tiny-f32', { cwd: join(MODEL, '..') });
    const request: EngineJob = {
      promptIds: Uint16Array.of(4, 5, 6, 7),
      maxTokens: 9,
      temperature: 0.8,
      topP: 0.9,
      topK: 20,
      minP: 0.01,
      repetitionPenalty: 1.1,
      presencePenalty: 0.5,
      frequencyPenalty: 0.5,
      logitBias: { 3: -5 },
      seed: 42,
      stopIds: [],
      prefillChunk: 2,
      checkpoints: [2],
    };
    const [a, b] = [await collect(engine, request), await collect(engine, request)];
    expect(a.tokens).toEqual(b.tokens);
    expect(b.result).toMatchObject({ generatedTokens: 9, cachedTokens: 3, finishReason: 'length' });
    const controller = new AbortController();
    const stream = engine.generate({ ...request, maxTokens: 50, signal: controller.signal });
    await stream.next();
    controller.abort();
    let step = await stream.next();
    while (!step.done) step = await stream.next();
    expect(step.value.finishReason).toBe('cancelled');
  });

  test('an abort while the prompt is read ends within a chunk', async () => {
    await using engine = await loadEngine(MODEL);
    const controller = new AbortController();
    const done: number[] = [];
    const { tokens, result } = await collect(engine, {
      promptIds: Array.from({ length: 500 }, (_, i) => i % 96),
      prefillChunk: 1,
      signal: controller.signal,
      onPrefill: progress => {
        done.push(progress.done);
        controller.abort();
      },
    });
    expect(tokens).toEqual([]);
    expect(result).toMatchObject({ finishReason: 'cancelled', generatedTokens: 0 });
    expect(done.at(-1)).toBeLessThan(500);
    // What was read before serves the next one.
    const next = await collect(engine, { promptIds: [0, 1, 2], maxTokens: 1 });
    expect(next.result.finishReason).toBe('length');
  });

  test('closes at the end of `await using`, once and for all', async () => {
    let kept: LocalJobEngine | undefined;
    {
      await using engine = await loadEngine(MODEL);
      kept = engine;
    }
    await kept.close();
    await expect(collect(kept, { promptIds: [1] })).rejects.toMatchObject({ code: 'ENGINE' });
  });

  test('says what it cannot load', async () => {
    const broken = join(folder, 'broken');
    cpSync(MODEL, broken, { recursive: true });
    writeFileSync(join(broken, 'config.json'), '{"model_type": "nothing"}');
    for (const [source, code] of [
      [broken, 'MODEL_UNSUPPORTED'],
      [join(folder, 'missing'), 'MODEL_NOT_FOUND'],
    ] as const) {
      const error = await loadEngine(source).catch((e: unknown) => e);
      expect(error).toBeInstanceOf(LlmHostError);
      expect(error).toMatchObject({ code });
    }
  });

  test('a head size that cannot be quantized is refused with the number', async () => {
    await expect(loadEngine(join(MODEL, '../tiny-mistral'), { kvBits: 4 })).rejects.toMatchObject({
      code: 'USAGE',
      message: 'kvBits: heads of 24 values cannot be quantized; that takes a multiple of 32',
    });
  });

  test('a cache of latents is not quantized', async () => {
    const latent = join(MODEL, '../../families/deepseek_v3/yarn');
    await expect(loadEngine(latent, { kvBits: 8 })).rejects.toMatchObject({
      code: 'USAGE',
      message: expect.stringContaining('keeps latents'),
    });
  });
});
