import { expect, test } from 'vitest';
import { availableMemory, checkFit, kvBytesPerToken, memoryForModel } from '../../src/model/fit.ts';
import { stateBytes } from '../../src/model/memory/recurrent-states.ts';
import { layerCount } from '../../src/model/weights/layer-types.ts';
import { thrown, thrownHint } from './thrown.ts';

const need = {
  weightBytes: 2e9,
  kvBytesPerToken: 100_000,
  stateBytes: 0,
  workingBytes: 2 ** 28,
  contextLength: 32_768,
};

test('refuses with the numbers and a context that would fit', () => {
  expect(thrown(() => checkFit(need, 4e9))).toBe(
    'OUT_OF_MEMORY: Not enough memory: the model needs 5.5 GB (weights 2.0 GB, KV cache for 32768 tokens 3.3 GB, working set 269 MB), but only 4.0 GB is available',
  );
  expect(thrownHint(() => checkFit(need, 4e9))).toBe('--context 16384 would fit.');
  expect(() => checkFit({ ...need, contextLength: 16_384 }, 4e9)).not.toThrow();
});

test('says so if no context would help', () => {
  expect(thrownHint(() => checkFit(need, 1e9))).toMatch(/The weights alone do not fit/);
  expect(thrownHint(() => checkFit({ ...need, kvBytesPerToken: 0 }, 1e9))).toMatch(
    /The weights alone do not fit/,
  );
});

test('names --quantize 4 where that makes it fit, alone or with a smaller context', () => {
  const hint = (available: number, more: object = {}) =>
    thrownHint(() => checkFit({ ...need, quantized: { ...need, weightBytes: 6e8 }, ...more }, available));
  expect(hint(5e9)).toBe('--quantize 4 or --context 16384 would fit.');
  expect(hint(4e9)).toBe('--context 16384 would fit.');
  expect(hint(2e9)).toBe('--quantize 4 with --context 8192 would fit.');
  expect(hint(7e8)).toMatch(/^The weights alone do not fit/);
  expect(
    hint(2.3e9, { contextLength: 4096, quantized: { ...need, weightBytes: 6e8, contextLength: 4096 } }),
  ).toBe('--quantize 4 would fit.');
  expect(thrownHint(() => checkFit({ ...need, quantized: { ...need, weightBytes: 6e8 } }, 2e9, need))).toBe(
    'Choose a smaller draft model, or none.',
  );
});

test('counts the caches of all conversations of a server, and says what is left for them', () => {
  const several = { ...need, contextLength: 4096, cacheBytes: 2e9 };
  expect(thrown(() => checkFit(several, 4e9))).toBe(
    'OUT_OF_MEMORY: Not enough memory: the model needs 4.3 GB (weights 2.0 GB, KV caches 2.0 GB, working set 269 MB), but only 4.0 GB is available',
  );
  const hint = thrownHint(() => checkFit(several, 4e9)) ?? '';
  expect(hint).toBe('--cache-mb 1651 would fit.');
  expect(checkFit({ ...several, cacheBytes: 1651 * 2 ** 20 }, 4e9)).toBe(4e9 - 2e9 - 2 ** 28);
  // With one conversation alone too large, the context is what has to shrink.
  expect(thrownHint(() => checkFit({ ...several, contextLength: 32_768 }, 4e9))).toBe(
    '--context 16384 would fit.',
  );
  // Less than one conversation takes changes nothing.
  expect(thrown(() => checkFit({ ...need, cacheBytes: 1e6 }, 4e9))).toContain('KV cache for 32768 tokens');
});

test('a draft model is counted with the model, each with caches of its own', () => {
  const draft = { ...need, weightBytes: 5e8, kvBytesPerToken: 20_000, contextLength: 8192 };
  expect(thrown(() => checkFit(need, 6e9, draft))).toBe(
    'OUT_OF_MEMORY: Not enough memory: the model and its draft model need 6.5 GB (weights 2.5 GB, KV caches 3.4 GB, working set 537 MB), but only 6.0 GB is available',
  );
  expect(thrownHint(() => checkFit(need, 6e9, draft))).toBe('--context 16384 would fit.');
  expect(thrownHint(() => checkFit(need, 3e9, draft))).toBe('Choose a smaller draft model, or none.');
  const free = 8e9 - 2.5e9 - 2 ** 29;
  const one = 32_768 * 100_000;
  // What is left when the larger model has one conversation.
  expect(checkFit(need, 8e9, draft)).toBe(free - one);
  const short = { ...need, contextLength: 4096 };
  expect(checkFit(short, 8e9, draft)).toBe(free / 2);
  const several = (cacheBytes: number) => () =>
    checkFit({ ...short, cacheBytes }, 8e9, { ...draft, cacheBytes });
  expect(several(free / 2)).not.toThrow();
  expect(thrownHint(several(3e9))).toBe(`--cache-mb ${Math.floor(free / 2 ** 21)} would fit.`);
});

test('states of recurrent layers take room from the context', () => {
  expect(thrownHint(() => checkFit({ ...need, stateBytes: 1.5e8 }, 4e9))).toBe('--context 8192 would fit.');
});

test('counts keys and values of all layers', () => {
  const config = { num_hidden_layers: 30, num_attention_heads: 9, num_key_value_heads: 3, hidden_size: 576 };
  expect(kvBytesPerToken(config, 4)).toBe(2 * 30 * 3 * 64 * 4);
  expect(kvBytesPerToken({ ...config, head_dim: 128 }, 2)).toBe(2 * 30 * 3 * 128 * 2);
  expect(kvBytesPerToken({}, 4)).toBe(0);
});

test('of latent attention, the latent and the shared key of each layer count', () => {
  const config = { num_hidden_layers: 47, num_attention_heads: 20, hidden_size: 2048, kv_lora_rank: 512 };
  expect(kvBytesPerToken({ ...config, qk_rope_head_dim: 64 }, 2)).toBe(47 * (512 + 64) * 2);
  expect(kvBytesPerToken({ kv_lora_rank: 512, qk_rope_head_dim: 64 }, 2)).toBe(0);
});

test('layers with a state of fixed size have no keys and values', () => {
  const config = { num_hidden_layers: 4, num_attention_heads: 8, hidden_size: 512 };
  const one = 2 * 8 * 64 * 4;
  for (const types of [
    ['mamba', 'attention', 'mamba', 'attention'],
    ['linear_attention', 'full_attention', 'linear_attention', 'sliding_attention'],
    ['conv', 'conv', 'full_attention', 'full_attention'],
  ]) {
    expect(kvBytesPerToken({ ...config, layer_types: types }, 4)).toBe(2 * one);
  }
  expect(kvBytesPerToken({ ...config, full_attn_idxs: [1] }, 4)).toBe(one);
});

test('Gemma 4 has larger keys in full layers, and none in the last ones', () => {
  const types = ['sliding_attention', 'full_attention', 'sliding_attention', 'full_attention'];
  const config = {
    num_hidden_layers: 4,
    num_attention_heads: 8,
    num_key_value_heads: 2,
    head_dim: 256,
    global_head_dim: 512,
    num_global_key_value_heads: 1,
    layer_types: types,
  };
  expect(kvBytesPerToken(config, 2)).toBe(2 * 2 * (2 * 2 * 256 + 2 * 2 * 512));
  expect(kvBytesPerToken({ ...config, attention_k_eq_v: true }, 2)).toBe(2 * 2 * (2 * 2 * 256 + 2 * 512));
  const { global_head_dim: _, num_global_key_value_heads: __, ...rest } = config;
  const written = { ...rest, per_layer_config: { 1: { head_dim: 512, num_key_value_heads: 1 } } };
  expect(kvBytesPerToken(written, 2)).toBe(2 * 2 * (2 * 2 * 256 + 2 * 512));
  const padded = { ...rest, per_layer_config: { '01': { head_dim: 1024, num_key_value_heads: 1 } } };
  expect(kvBytesPerToken(padded, 2)).toBe(2 * 2 * (2 * 2 * 256 + 2 * 1024));
  expect(kvBytesPerToken({ ...config, num_kv_shared_layers: 2 }, 2)).toBe(2 * 2 * (2 * 256 + 2 * 512));
});

test('of Nemotron-H, only attention layers count, listed or as letters', () => {
  const config = { num_attention_heads: 8, num_key_value_heads: 2, head_dim: 128, hidden_size: 512 };
  const one = 2 * 2 * 128 * 2;
  expect(kvBytesPerToken({ ...config, hybrid_override_pattern: 'M-M*EM*-' }, 2)).toBe(2 * one);
  const listed = { ...config, layers_block_type: ['mamba', 'moe', 'attention', 'mlp'] };
  expect(kvBytesPerToken(listed, 2)).toBe(one);
  expect([layerCount(listed), layerCount({ num_hidden_layers: 7 }), layerCount({})]).toEqual([
    4,
    7,
    undefined,
  ]);
});

test('Gated DeltaNet is in three layers of four where none are listed', () => {
  const config = { num_hidden_layers: 8, num_attention_heads: 8, num_key_value_heads: 2, head_dim: 256 };
  const one = 2 * 2 * 256 * 2;
  expect(kvBytesPerToken({ ...config, linear_num_value_heads: 16 }, 2)).toBe(2 * one);
  const half = { ...config, linear_num_value_heads: 16, full_attention_interval: 2 };
  expect(kvBytesPerToken(half, 2)).toBe(4 * one);
});

// Numbers of a layer: what is scanned, and the convolution's last inputs.
test.each<[string, object, number, number]>([
  [
    'Qwen3.5-0.8B',
    {
      num_hidden_layers: 24,
      linear_num_key_heads: 16,
      linear_num_value_heads: 16,
      linear_key_head_dim: 128,
      linear_value_head_dim: 128,
      linear_conv_kernel_dim: 4,
    },
    18,
    16 * 128 * 128 + 3 * 3 * 2048,
  ],
  [
    'Nemotron 3 Nano 4B',
    {
      hybrid_override_pattern: 'M-M-M-MM-M-M*-M-M*-M-M-M*-M-M-MM*-MMM-M-M-',
      mamba_num_heads: 96,
      mamba_head_dim: 80,
      n_groups: 8,
      ssm_state_size: 128,
      conv_kernel: 4,
    },
    21,
    7680 * 128 + 3 * (7680 + 2 * 8 * 128),
  ],
  [
    'Granite 4 hybrid, heads by their count',
    {
      layer_types: ['mamba', 'attention', 'mamba'],
      hidden_size: 1536,
      mamba_expand: 2,
      mamba_n_heads: 48,
      mamba_d_head: 'auto',
      mamba_d_state: 128,
      mamba_n_groups: 1,
      mamba_d_conv: 4,
    },
    2,
    3072 * 128 + 3 * (3072 + 2 * 128),
  ],
  [
    'Falcon H1: in every layer',
    {
      model_type: 'falcon_h1',
      num_hidden_layers: 24,
      mamba_d_ssm: 1536,
      mamba_n_heads: 24,
      mamba_d_head: 64,
      mamba_d_state: 128,
      mamba_n_groups: 1,
      mamba_d_conv: 4,
    },
    24,
    1536 * 128 + 3 * (1536 + 2 * 128),
  ],
  ['LFM2', { layer_types: ['conv', 'full_attention'], conv_L_cache: 3, hidden_size: 2048 }, 1, 2 * 2048],
  ['a decoder without states', { num_hidden_layers: 30, num_attention_heads: 9, hidden_size: 576 }, 0, 0],
  ['nothing', {}, 0, 0],
])('states that are kept: %s', (_, config, layers, numbers) => {
  expect(stateBytes({ ...config })).toBe(4 * layers * numbers);
});

// Bytes in GB.
test.each<[string, number, NodeJS.Platform, number, number, number]>([
  ['a Mac whose device says its working set', 12, 'darwin', 16, 3, 12],
  ['a Mac with a device that says more than there is', 20, 'darwin', 16, 3, 16],
  ['a Mac whose device says nothing', 0, 'darwin', 16, 3, 12],
  ['a graphics card with less than the system', 8, 'linux', 64, 60, 8],
  ['a graphics card with more than the system', 80, 'linux', 32, 20, 80],
  ['a CPU', 0, 'linux', 32, 20, 20],
])('memory for a model: %s', (_, device, platform, total, available, expected) => {
  const system = { platform, total: total * 1e9, available: available * 1e9 };
  expect(memoryForModel(device * 1e9, system)).toBe(expected * 1e9);
});

test('this machine has memory', () => {
  expect(availableMemory()).toBeGreaterThan(1e8);
});
