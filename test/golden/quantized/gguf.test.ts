import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import type { NativeModel } from '../../../src/native/addon-types.ts';
import { loadAddon } from '../../../src/native/load-addon.ts';
import type { LoadSpec, TensorEntry } from '../../../src/native/load-types.ts';
import { readNamed } from '../../model/read-named.ts';
import { variantsOf } from '../decoders/family-cases.ts';
import { generate, loadNative } from '../native-run.ts';

/** What scripts/goldens/gguf_families.py writes beside the folder whose values it has. */
interface File {
  readonly architecture: string;
  readonly family: string;
  readonly variant: string;
  /** Default: gguf.gguf. */
  readonly name?: string;
  /** Where llama.cpp fixes what this variant has otherwise. */
  readonly config?: object;
}

const FILES: readonly File[] = [
  { architecture: 'phi3', family: 'phi3', variant: 'longrope' },
  { architecture: 'smollm3', family: 'smollm3', variant: 'default' },
  { architecture: 'mistral3', family: 'ministral3', variant: 'full' },
  { architecture: 'gpt-oss', family: 'gpt_oss', variant: 'mxfp4', config: { swiglu_limit: 7 } },
  { architecture: 'granitemoe', family: 'granitemoe', variant: 'plain' },
  { architecture: 'glm4moe', family: 'glm4_moe', variant: 'norms' },
  { architecture: 'lfm2', family: 'lfm2', variant: 'plain' },
  { architecture: 'lfm2moe', family: 'lfm2_moe', variant: 'plain' },
  { architecture: 'falcon-h1', family: 'falcon_h1', variant: 'multiplied' },
  { architecture: 'nemotron_h', family: 'nemotron_h', variant: 'networks' },
  { architecture: 'nemotron_h_moe', family: 'nemotron_h', variant: 'experts', name: 'experts.gguf' },
  { architecture: 'qwen35', family: 'qwen3_5_text', variant: 'every-fourth' },
  { architecture: 'qwen35moe', family: 'qwen3_5_moe_text', variant: 'plain' },
  { architecture: 'granitehybrid', family: 'granitemoehybrid', variant: 'hybrid' },
  {
    architecture: 'apertus',
    family: 'apertus',
    variant: 'llama3',
    config: {
      rope_theta: 12_000_000,
      rope_scaling: {
        rope_type: 'llama3',
        factor: 8,
        low_freq_factor: 1,
        high_freq_factor: 4,
        original_max_position_embeddings: 8192,
      },
    },
  },
  { architecture: 'deepseek2', family: 'deepseek_v3', variant: 'yarn' },
  {
    architecture: 'minicpm3',
    family: 'minicpm3',
    variant: 'plain',
    config: { scale_emb: 12, dim_model_base: 256 },
  },
  { architecture: 'gemma4', family: 'gemma4_text', variant: 'sharing' },
  {
    architecture: 'gemma4 with experts',
    family: 'gemma4_text',
    variant: 'experts',
    config: { final_logit_softcapping: 30 },
    name: 'experts.gguf',
  },
];

const families = fileURLToPath(new URL('../../fixtures/families/', import.meta.url));
const temporary = mkdtempSync(join(tmpdir(), 'llm-host-gguf-'));
afterAll(() => rmSync(temporary, { recursive: true, force: true }));

const fileOf = ({ family, name = 'gguf.gguf' }: File): string => join(families, family, name);

function folderOf({ family, variant, config }: File): string {
  const folder = join(families, family, variant);
  if (!config) return folder;
  const copy = join(temporary, family);
  cpSync(folder, copy, { recursive: true });
  const own = JSON.parse(readFileSync(join(copy, 'config.json'), 'utf8'));
  writeFileSync(join(copy, 'config.json'), JSON.stringify({ ...own, ...config }));
  return copy;
}

async function withNative<T>(model: NativeModel, body: (model: NativeModel) => Promise<T>): Promise<T> {
  try {
    return await body(model);
  } finally {
    await model.close();
  }
}

/** Greedy ids and log-probabilities, the prompt read `chunk` tokens at a time. */
async function repliesOf(
  source: string,
  prompts: readonly (readonly number[])[],
  chunk: number,
  exact = true,
) {
  return withNative(await loadNative(source, undefined, exact), async model => {
    const tokens = [];
    for (const prompt of prompts) tokens.push(...(await generate(model, prompt, 64, chunk)));
    return { ids: tokens.map(t => t.id), logprobs: tokens.map(t => t.logprob as number) };
  });
}

const specOf = (source: string): LoadSpec =>
  readNamed(source, { cwd: process.cwd(), env: process.env, contextLength: 0, exact: true }).spec;

const withTensors = (spec: LoadSpec, tensors: readonly TensorEntry[]): LoadSpec => ({
  ...spec,
  weights: { ...spec.weights, tensors },
});

const expectBroken = (spec: LoadSpec) =>
  expect(loadAddon().load(spec, () => {})).rejects.toMatchObject({ code: 'MODEL_BROKEN' });

describe.each(FILES.map(file => [file.architecture, file] as const))('%s', (_, file) => {
  test('computes what the same weights as safetensors do', async () => {
    const variant = variantsOf(file.family).find(({ name }) => name === file.variant);
    const prompts = variant?.cases.map(({ prompt }) => prompt) ?? [];
    expect(prompts.length).toBeGreaterThan(0);
    const expected = await repliesOf(folderOf(file), prompts, 0);
    for (const chunk of [0, 3]) {
      const found = await repliesOf(fileOf(file), prompts, chunk);
      expect(found.ids).toEqual(expected.ids);
      for (const [i, logprob] of found.logprobs.entries()) {
        expect(Math.abs(logprob - (expected.logprobs[i] as number))).toBeLessThan(1e-3);
      }
    }
  });

  test('and packed for the fast kernels', async () => {
    const prompts = [[5, 9, 20, 33, 41]];
    const expected = await repliesOf(folderOf(file), prompts, 0, false);
    const found = await repliesOf(fileOf(file), prompts, 0, false);
    expect(found.ids).toEqual(expected.ids);
  });

  test('each tensor must be there, and have its shape', async () => {
    const spec = specOf(fileOf(file));
    const { tensors } = spec.weights;
    const planted = { ...(tensors[0] as TensorEntry), name: 'model.layers.0.planted.weight' };
    await expectBroken(withTensors(spec, [...tensors, planted]));
    for (const tensor of tensors) {
      await expectBroken(
        withTensors(
          spec,
          tensors.filter(t => t !== tensor),
        ),
      );
      const longer = { ...tensor, shape: tensor.shape.map((size, i) => (i === 0 ? size + 1 : size)) };
      await expectBroken(
        withTensors(
          spec,
          tensors.map(t => (t === tensor ? longer : t)),
        ),
      );
    }
  });
});
