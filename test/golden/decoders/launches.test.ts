import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { NativeModel } from '../../../src/native/addon-types.ts';
import { request } from '../../native/tiny/native-request.ts';
import { promptOf, run, withTinyModel } from '../../native/tiny/run-job.ts';
import type { Storage } from '../../native/tiny/tensor-storage.ts';
import type { TinyOptions } from '../../native/tiny/tiny-model.ts';
import { loadNative } from '../native-run.ts';

// What a GPU launches. Read when the first model is loaded.
process.env.LLM_HOST_DEVICE_POLICY = 'gpu';

const FAMILIES = fileURLToPath(new URL('../../fixtures/families/', import.meta.url));

/** As many as SmolLM2-135M has. */
const LAYERS = 30;
const PARTS = ['self_attn.q_proj', 'self_attn.k_proj', 'self_attn.v_proj', 'self_attn.o_proj'];
const MODULES = [...PARTS, 'mlp.gate_proj', 'mlp.up_proj', 'mlp.down_proj'];
const adapterOn = Array.from({ length: LAYERS }, (_, i) => MODULES.map(m => `model.layers.${i}.${m}`)).flat();

/** The kernels of a decoding step, by operation and type. */
async function launches(options: TinyOptions, sampling = {}): Promise<Record<string, number>> {
  const config = { num_hidden_layers: LAYERS, ...options.config };
  return withTinyModel({ exact: false, ...options, config }, model => launchesOf(model, sampling));
}

async function launchesOf(model: NativeModel, sampling = {}): Promise<Record<string, number>> {
  const { last } = await run(model, request(promptOf(5), { maxTokens: 3, measureGraph: true, ...sampling }));
  if (last.type !== 'end' || !last.graph) throw new Error('no graph was measured');
  return last.graph.launches;
}

const sum = (counts: Record<string, number>) => Object.values(counts).reduce((a, b) => a + b, 0);
const stored = (form: 'BF16' | 'F16'): TinyOptions => ({ storage: () => ({ form }) as Storage });
const quantized: TinyOptions = {
  storage: name => (name.includes('norm') ? { form: 'BF16' } : { form: 'affine', bits: 4, group: 32 }),
  config: { quantization: { bits: 4, group_size: 32 } },
};

/** The last norm, the head and the choice of the token. */
const HEAD = { 'AsType float32': 1, 'ArgReduce uint32': 1, 'LogSumExp float32': 1, 'IfFinite int32': 1 };

const layersOf = (type: string, product: string) => ({
  [`RMSNorm ${type}`]: 2 * LAYERS + 1,
  [`${product} ${type}`]: 4 * LAYERS + 1,
  [`RoPE ${type}`]: LAYERS,
  [`SliceUpdate ${type}`]: LAYERS,
  [`ScaledDotProductAttention ${type}`]: LAYERS,
  [`SwiGlu ${type}`]: LAYERS,
  [`Add ${type}`]: 2 * LAYERS,
});

describe('a step launches no kernel more than it must, and none in another type', () => {
  test.each([
    ['bfloat16', 'BF16'],
    ['float16', 'F16'],
  ] as const)('%s', async (type, form) => {
    const counts = await launches(stored(form));
    expect(counts).toEqual({ ...layersOf(type, 'Matmul'), ...HEAD, [`Gather ${type}`]: 1 });
    // mlx-lm: 516
    expect(sum(counts)).toBeLessThanOrEqual(0.85 * 516);
  });

  test('4 bits', async () => {
    const counts = await launches(quantized);
    // mlx-lm: 518
    expect(sum(counts)).toBeLessThanOrEqual(0.85 * 518);
  });

  test('with an adapter on every matrix', async () => {
    const counts = await launches({ ...quantized, adapterOn });
    // mlx-lm: 1,778
    expect(sum(counts)).toBeLessThanOrEqual(700);
    const dense = await launches({ ...stored('F16'), adapterOn });
    // Added to the matrices while loading.
    expect(sum(dense)).toBe(sum(await launches(stored('F16'))));
  });

  test.each([
    ['qwen2/tied', 43],
    ['qwen3/plain', 37],
    ['phi3/plain', 43],
    ['gemma3_text/older-keys', 59],
    ['granite/tied', 44],
    ['smollm3/default', 54],
    ['lfm2/plain', 44],
    ['granitemoehybrid/hybrid-dense', 52],
    ['seed_oss/plain', 43],
    ['ernie4_5/plain', 43],
    ['gemma2/wide', 44],
    ['glm4/biased', 49],
    ['hunyuan_v1_dense/alpha', 37],
    ['olmo2/plain', 55],
    ['olmo3/every-fourth', 71],
    ['exaone4/no-windows', 37],
    ['cohere2/every-fourth', 50],
    ['phi/plain', 40],
    ['apertus/llama3', 52],
    ['granite_swa/every-fourth', 55],
    ['qwen3_next/mlx', 166],
    ['granitemoe/mlx', 47],
    ['qwen3_moe/mlx', 46],
    ['lfm2_moe/mlx', 63],
    ['gpt_oss/mlx', 51],
    ['deepseek_v3/mlx', 103],
    ['glm4_moe_lite/mlx', 103],
    ['mistral4/mlx', 76],
  ])('%s', async (family, kernels) => {
    const model = await loadNative(join(FAMILIES, family), undefined, false);
    try {
      const counts = await launchesOf(model);
      expect(sum(counts)).toBe(kernels);
      // Views are none, so no copy is hidden, and nothing leaves the device.
      expect(
        Object.keys(counts).filter(kind => /Contiguous|another stream|Dequantize float32/.test(kind)),
      ).toEqual([]);
    } finally {
      await model.close();
    }
  });

  test('every kind of sampling stays in the graph', async () => {
    const greedy = sum(await launches(stored('F16')));
    const sampling = { temperature: 0.8, topK: 40, topP: 0.9, minP: 0.05, repetitionPenalty: 1.1, seed: 7 };
    const counts = await launches(stored('F16'), sampling);
    expect(counts).not.toHaveProperty('Sample int32');
    expect(sum(counts) - greedy).toBeLessThan(40);
  });
});
