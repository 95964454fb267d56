import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { EngineJob } from '../../src/engine/engine-job.ts';
import { loadEngine } from '../../src/engine/load-engine.ts';
import { MlxEngine } from '../../src/engine/mlx-engine.ts';
import { loadAddon } from '../../src/native/load-addon.ts';
import type { LoadSpec } from '../../src/native/load-types.ts';
import { promptOf } from '../native/tiny/run-job.ts';
import { type TinyOptions, tinyModel } from '../native/tiny/tiny-model.ts';
import { randomAdapter } from './distributed/random-files.ts';
import { FAMILIES } from './distributed/sharing.ts';

const folder = mkdtempSync(join(tmpdir(), 'llm-host-adapters-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const FORMS: readonly [string, TinyOptions][] = [
  ['dense', {}],
  [
    '4-bit',
    {
      storage: () => ({ form: 'affine', bits: 4, group: 32 }) as const,
      config: { quantization: { bits: 4, group_size: 32 } },
    },
  ],
];
const ADAPTER_ON = [
  ...['self_attn.q_proj', 'self_attn.v_proj', 'mlp.gate_proj'].map(name => `model.layers.0.${name}`),
  ...['self_attn.o_proj', 'mlp.down_proj'].map(name => `model.layers.1.${name}`),
];
const WITHOUT = { adapted: false } as const;
/** MLX's own operations do not promise the same bits for any number of rows. */
const onGpu = process.env.LLM_HOST_DEVICE_POLICY === 'gpu';

interface Reply {
  readonly ids: readonly number[];
  readonly logprobs: readonly number[];
  readonly cachedTokens: number;
}

const open = (spec: LoadSpec) => MlxEngine.create(loadAddon(), spec, { name: 'tiny', defaultStopIds: [] });

async function say(engine: MlxEngine, job: Partial<EngineJob> = {}): Promise<Reply> {
  const [ids, logprobs]: [number[], number[]] = [[], []];
  const reply = engine.generate({
    promptIds: promptOf(40),
    maxTokens: 12,
    logprobs: 0,
    reproducible: true,
    ...job,
  });
  while (true) {
    const step = await reply.next();
    if (step.done) return { ids, logprobs, cachedTokens: step.value.cachedTokens };
    ids.push(step.value.id);
    logprobs.push(step.value.logprob as number);
  }
}

/** What is the same however many rows are computed at once. */
const promised = ({ logprobs, ...reply }: Reply) => (onGpu ? reply : { ...reply, logprobs });

async function once(spec: LoadSpec, job: Partial<EngineJob> = {}): Promise<Reply> {
  await using engine = await open(spec);
  return await say(engine, job);
}

describe.each(FORMS)('an adapter that requests may go without, over %s weights', (_form, options) => {
  const { spec: always } = tinyModel({ ...options, adapterOn: ADAPTER_ON });
  const spec = { ...always, adaptersOptional: true };
  const bare = { ...always, adapters: [] };

  test('without it a reply is that of the model alone, to the last bit', async () => {
    await using engine = await open(spec);
    const [with1, without, with2] = [await say(engine), await say(engine, WITHOUT), await say(engine)];
    expect(without).toEqual(await once(bare));
    expect(with2.ids).toEqual(with1.ids);
    const applied = await once(always);
    for (const [i, logprob] of applied.logprobs.entries()) expect(with1.logprobs[i]).toBeCloseTo(logprob, 4);
    expect(Math.abs((without.logprobs[0] as number) - (with1.logprobs[0] as number))).toBeGreaterThan(1e-4);
    expect(with1.ids).toEqual(applied.ids);
  });

  test('scores of a prompt too', async () => {
    const scores = async (one: LoadSpec, job: Partial<EngineJob>) => {
      await using engine = await open(one);
      const stream = engine.generate({
        promptIds: promptOf(40),
        maxTokens: 1,
        promptLogprobs: true,
        prefillChunk: 16,
        ...job,
      });
      for (let step = await stream.next(); ; step = await stream.next()) {
        if (step.done) return step.value.promptLogprobs;
      }
    };
    expect(await scores(spec, WITHOUT)).toEqual(await scores(bare, {}));
  });

  test('several at once, with it and without, say what each says alone', async () => {
    const jobs = [0, 1, 2, 3, 4, 5].map(seed => ({
      promptIds: promptOf(30 + seed, seed),
      adapted: seed % 2 === 0,
      maxTokens: 20,
      ...(seed === 3 && { temperature: 1, seed }),
    }));
    await using engine = await open({ ...spec, parallel: 6, cacheBytes: 1e8 });
    const together = await Promise.all(jobs.map(job => say(engine, job)));
    for (const [i, job] of jobs.entries())
      expect(promised(together[i] as Reply)).toEqual(promised(await once(spec, job)));
  });

  test('what one has read is not used for the other', async () => {
    await using engine = await open({ ...spec, cacheBytes: 1e8 });
    const [adapted, plain] = [await say(engine), await say(engine, WITHOUT)];
    expect([adapted.cachedTokens, plain.cachedTokens]).toEqual([0, 0]);
    for (const [job, before] of [
      [{}, adapted],
      [WITHOUT, plain],
    ] as const) {
      expect(promised(await say(engine, job))).toEqual(promised({ ...before, cachedTokens: 39 }));
    }
    await using small = await open(spec);
    await say(small);
    expect((await say(small, WITHOUT)).cachedTokens).toBe(0);
    expect((await say(small, WITHOUT)).cachedTokens).toBe(39);
  });

  test('a saved cache says how it was computed', async () => {
    const path = join(folder, `${_form}.safetensors`);
    await using engine = await open(spec);
    const plain = await say(engine, WITHOUT);
    await engine.saveCache(path);
    await using other = await open(spec);
    await other.loadCache(path);
    expect((await say(other)).cachedTokens).toBe(0);
    await other.loadCache(path);
    expect(promised(await say(other, WITHOUT))).toEqual(promised({ ...plain, cachedTokens: 39 }));
  });

  test('a draft model proposes for both', async () => {
    const drafted = { ...spec, draft: { ...bare } };
    for (const job of [{}, WITHOUT])
      expect((await once(drafted, job)).ids).toEqual((await once(spec, job)).ids);
  });

  test('where it always applies, all requests have it', async () => {
    expect(await once(always, WITHOUT)).toEqual(await once(always));
  });
});

test('a reply without it that outgrows its position angles is read again without it', async () => {
  const rope_scaling = {
    rope_type: 'longrope',
    original_max_position_embeddings: 48,
    short_factor: [1, 1, 1, 1, 1, 1, 1, 1],
    long_factor: [1, 1.5, 2, 2.5, 3, 3.5, 4, 5],
  };
  const { spec } = tinyModel({ adapterOn: ADAPTER_ON, config: { rope_scaling } });
  const said = await once({ ...spec, adaptersOptional: true }, { ...WITHOUT, maxTokens: 24 });
  expect(said).toEqual(await once({ ...spec, adapters: [] }, { maxTokens: 24 }));
});

test('one that changes the matrices of latent attention is refused, since it is merged into them', async () => {
  const model = join(FAMILIES, 'deepseek_v3/plain');
  const adapter = randomAdapter(model, 'mlx');
  await using engine = await loadEngine(model, { adapter });
  expect(engine.info.adaptersOptional).toBe(false);
  const config = join(adapter, 'adapter_config.json');
  writeFileSync(
    config,
    JSON.stringify({ ...JSON.parse(readFileSync(config, 'utf8')), llm_host: { only_with_tools: true } }),
  );
  await expect(loadEngine(model, { adapter })).rejects.toMatchObject({
    code: 'MODEL_UNSUPPORTED',
    message: expect.stringContaining('kv_b_proj cannot be left out of some requests'),
  });
});
