import { closeSync, openSync, truncateSync, writeSync } from 'node:fs';
import { expect, test } from 'vitest';
import { MODEL_TYPES } from '../../src/model/model-types.ts';
import { loadAddon } from '../../src/native/load-addon.ts';
import type { LoadSpec, TensorEntry } from '../../src/native/load-types.ts';
import { request } from './tiny/native-request.ts';
import { run } from './tiny/run-job.ts';
import { type TinyOptions, tinyModel } from './tiny/tiny-model.ts';

async function expectRefusal(spec: LoadSpec, code: string, message: string): Promise<void> {
  const load = loadAddon().load(spec, () => {});
  await expect(load).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
}

/** A tiny model's spec with some tensor's entry changed. */
function withEntry(name: string, change: Partial<TensorEntry>, options: TinyOptions = {}): LoadSpec {
  const { spec } = tinyModel(options);
  const tensors = spec.weights.tensors.map(t => (t.name === name ? { ...t, ...change } : t));
  return { ...spec, weights: { ...spec.weights, tensors } };
}

function withConfig(config: Record<string, unknown>): LoadSpec {
  const { spec } = tinyModel();
  return { ...spec, config: { ...spec.config, ...config } };
}

const NORM = 'model.norm.weight';
const GATE = 'model.layers.1.mlp.gate_proj.weight';

test.each<[string, LoadSpec, string, string]>([
  [
    'an unknown model_type',
    withConfig({ model_type: 'gpt9' }),
    'MODEL_UNSUPPORTED',
    `model_type "gpt9" is not supported; supported are: ${MODEL_TYPES.join(', ')}`,
  ],
  ['no time for a stream', { ...tinyModel().spec, maxGapMs: 0 }, 'USAGE', 'maxGapMs'],
  ['no model_type', withConfig({ model_type: undefined }), 'MODEL_BROKEN', 'config.json has no model_type'],
  ['a missing key', withConfig({ hidden_size: null }), 'MODEL_BROKEN', 'config.json has no hidden_size'],
  [
    'a key of a wrong type',
    withConfig({ hidden_size: '64' }),
    'MODEL_BROKEN',
    'hidden_size must be a number, got string',
  ],
  [
    'a size of 0',
    withConfig({ num_hidden_layers: 0 }),
    'MODEL_BROKEN',
    'num_hidden_layers must be an integer of at least 1',
  ],
  // Memory for these would be taken before a weight is looked at, and products of them are ints.
  ...(
    [
      [{ hidden_size: 1e9 }, 'hidden_size must be at most 1048576, got 1000000000'],
      [{ num_hidden_layers: 2e9 }, 'num_hidden_layers must be at most 4096'],
      [{ head_dim: 2 ** 30 }, 'head_dim must be at most 8192'],
      [{ num_attention_heads: 2 ** 30 }, 'num_attention_heads must be at most 4096'],
      [{ vocab_size: 2 ** 31 - 1 }, 'vocab_size must be at most 16777216'],
    ] as const
  ).map(([changes, message]): [string, LoadSpec, string, string] => [
    `${Object.keys(changes)} beyond any model`,
    withConfig(changes),
    'MODEL_BROKEN',
    message,
  ]),
  [
    'heads that do not divide',
    withConfig({ num_key_value_heads: 3 }),
    'MODEL_BROKEN',
    'must be a multiple of num_key_value_heads',
  ],
  ['an odd head_dim', withConfig({ head_dim: 15 }), 'MODEL_BROKEN', 'head_dim must be even, got 15'],
  [
    'more layers than weights',
    withConfig({ num_hidden_layers: 3 }),
    'MODEL_BROKEN',
    'the weights have no tensor model.layers.2.',
  ],
  [
    'an unknown rope type',
    withConfig({ rope_scaling: { type: 'yarn9' } }),
    'MODEL_UNSUPPORTED',
    '"yarn9" is not supported; supported are: default, linear, dynamic, llama3, yarn, longrope',
  ],
  [
    'a rope type without its factor',
    withConfig({ rope_scaling: { type: 'linear' } }),
    'MODEL_BROKEN',
    'rope_scaling.factor',
  ],
  ['another activation', withConfig({ hidden_act: 'gelu' }), 'MODEL_UNSUPPORTED', 'hidden_act "gelu"'],
  [
    'layer_types of another length',
    withConfig({ layer_types: ['full_attention'] }),
    'MODEL_BROKEN',
    'layer_types must have num_hidden_layers (2) entries, got 1',
  ],
  [
    'a layer_types entry that nobody knows',
    withConfig({ layer_types: ['full_attention', 'mamba9'] }),
    'MODEL_UNSUPPORTED',
    'layer_types has "mamba9", which is not supported; supported are: full_attention, sliding_attention',
  ],
  [
    'layers with a window of unknown size',
    withConfig({ layer_types: ['full_attention', 'sliding_attention'] }),
    'MODEL_BROKEN',
    'config.json has no sliding_window',
  ],
  [
    'heads that do not divide hidden_size',
    withConfig({ head_dim: null, num_attention_heads: 3, num_key_value_heads: 1 }),
    'MODEL_BROKEN',
    'hidden_size (64) must be a multiple of num_attention_heads (3)',
  ],
  [
    'longrope factors of another number',
    withConfig({ rope_scaling: { type: 'longrope', short_factor: [1], long_factor: [1] } }),
    'MODEL_BROKEN',
    'rope_scaling.short_factor must hold 8 numbers above 0',
  ],
  [
    'a rope factor beyond any number of positions',
    withConfig({ rope_scaling: { type: 'yarn', factor: 1e300 }, num_hidden_layers: 3 }),
    'MODEL_BROKEN',
    'the weights have no tensor model.layers.2.',
  ],
  [
    'a rope factor of 0',
    withConfig({ rope_scaling: { type: 'dynamic', factor: 0 } }),
    'MODEL_BROKEN',
    'rope_scaling.factor must be above 0',
  ],
  [
    'a partial rotation of nothing',
    withConfig({ partial_rotary_factor: 0.05 }),
    'MODEL_BROKEN',
    'partial_rotary_factor 0.05',
  ],
  ['an eps of 0', withConfig({ rms_norm_eps: 0 }), 'MODEL_BROKEN', 'rms_norm_eps must be above 0'],
  [
    'a multiplier of 0',
    withConfig({ model_type: 'granite', residual_multiplier: 0 }),
    'MODEL_BROKEN',
    'residual_multiplier must be above 0',
  ],
  [
    'a model that sees both ways',
    withConfig({ is_causal: false }),
    'MODEL_UNSUPPORTED',
    'is_causal is false: such a model encodes text',
  ],
  [
    'a Gemma that encodes text',
    withConfig({ model_type: 'gemma3_text', use_bidirectional_attention: true }),
    'MODEL_UNSUPPORTED',
    'use_bidirectional_attention',
  ],
  [
    'too few no_rope_layers',
    withConfig({ model_type: 'smollm3', no_rope_layers: [1] }),
    'MODEL_BROKEN',
    'no_rope_layers must have num_hidden_layers (2) entries, got 1',
  ],
  ...(
    [
      [
        { model_type: 'phi', hidden_act: 'gelu_new', qk_layernorm: true },
        'MODEL_UNSUPPORTED',
        'qk_layernorm',
      ],
      [{ model_type: 'phi', hidden_act: 'silu' }, 'MODEL_UNSUPPORTED', 'must be gelu_new for phi'],
      [{ model_type: 'apertus', hidden_act: 'silu' }, 'MODEL_UNSUPPORTED', 'must be xielu for apertus'],
      [
        {
          model_type: 'hunyuan_v1_dense',
          rope_scaling: { type: 'yarn', factor: 4, original_max_position_embeddings: 64 },
        },
        'MODEL_UNSUPPORTED',
        'with a rope that scales queries',
      ],
      [
        { model_type: 'hunyuan_v1_dense', rope_scaling: { type: 'dynamic', alpha: 0 } },
        'MODEL_BROKEN',
        'rope_scaling.alpha must be above 0',
      ],
      [
        { model_type: 'granite_swa', layer_rope_theta: [10000] },
        'MODEL_BROKEN',
        'layer_rope_theta must have num_hidden_layers (2) entries, got 1',
      ],
      [{ model_type: 'mellum' }, 'MODEL_BROKEN', 'config.json has no rope_parameters'],
      [{ model_type: 'cohere2', logit_scale: 0 }, 'MODEL_BROKEN', 'logit_scale must be above 0'],
      [
        { model_type: 'qwen3_5_text', linear_num_key_heads: 3, linear_num_value_heads: 4 },
        'MODEL_BROKEN',
        'linear_num_value_heads (4) must be a multiple of linear_num_key_heads (3)',
      ],
    ] as const
  ).map(([changes, code, message]): [string, LoadSpec, string, string] => [
    `${changes.model_type} with ${Object.keys(changes).at(-1)}`,
    withConfig(changes),
    code,
    message,
  ]),
  [
    'a tensor of another shape',
    withEntry(GATE, { shape: [64, 128] }),
    'MODEL_BROKEN',
    '.bin) has shape [64, 128], config.json asks for [128, 64]',
  ],
  [
    'a tensor of another rank',
    withEntry(NORM, { shape: [1, 64] }),
    'MODEL_BROKEN',
    '.bin) has shape [1, 64]',
  ],
  [
    'a norm of integers',
    withEntry(NORM, { dtype: 'I32' }),
    'MODEL_BROKEN',
    ') has type I32, expected F32, F16 or BF16',
  ],
  [
    'too few bytes',
    withEntry(NORM, { bytes: 100 }),
    'MODEL_BROKEN',
    ') has 100 bytes, its shape and type need 256',
  ],
  [
    'an offset beyond the file',
    withEntry(NORM, { offset: 2 ** 40 }),
    'MODEL_BROKEN',
    'an incomplete download?',
  ],
  ['a file that is not listed', withEntry(NORM, { file: 7 }), 'MODEL_BROKEN', 'is in file 7 of 1'],
  [
    'words without a quantization',
    withEntry(GATE, { dtype: 'U32' }),
    'MODEL_BROKEN',
    `the weights have no tensor ${GATE.replace('weight', 'scales')} (looked in /`,
  ],
])('%s is refused', async (_name, spec, code, message) => {
  await expectRefusal(spec, code, message);
});

test('a file that was cut short is named', async () => {
  const { spec } = tinyModel();
  const path = spec.weights.files[0] as string;
  truncateSync(path, 5000);
  await expectRefusal(spec, 'MODEL_BROKEN', path);
});

test('a missing file and a folder are named', async () => {
  const { spec } = tinyModel();
  const broken = (file: string) => ({ ...spec, weights: { ...spec.weights, files: [file] } });
  await expectRefusal(
    broken('/nowhere/model.safetensors'),
    'MODEL_BROKEN',
    '/nowhere/model.safetensors: cannot open',
  );
  await expectRefusal(broken('/tmp'), 'MODEL_BROKEN', '/tmp: is not a regular file');
});

test('a tensor that is there twice is refused', async () => {
  const { spec } = tinyModel();
  const tensors = [...spec.weights.tensors, ...spec.weights.tensors.slice(0, 1)];
  await expectRefusal({ ...spec, weights: { ...spec.weights, tensors } }, 'MODEL_BROKEN', 'is there twice');
});

/** The spec with more tensors, which are in no file: they must not be read. */
function withTensors(spec: LoadSpec, ...names: string[]): LoadSpec {
  const extra = names.map(name => {
    const entry = { name, dtype: 'U8', shape: [1], file: 0, offset: 2 ** 40, bytes: 1 } as const;
    return entry;
  });
  return { ...spec, weights: { ...spec.weights, tensors: [...spec.weights.tensors, ...extra] } };
}

test('tensors that no layer takes are refused', async () => {
  const { spec } = tinyModel({ config: { tie_word_embeddings: false } });
  await expectRefusal(
    withTensors(spec, 'vision.weight'),
    'MODEL_BROKEN',
    ') has no place in a model of type "llama": does config.json belong to these weights?',
  );
  await expectRefusal(
    withTensors(spec, 'model.layers.0.self_attn.q_proj.bias', 'model.layers.7.mlp.up_proj.weight'),
    'MODEL_BROKEN',
    'tensor model.layers.0.self_attn.q_proj.bias (',
  );
});

test('stored frequencies and the head of a tied model are left alone', async () => {
  const { spec } = tinyModel({ config: { tie_word_embeddings: true } });
  const known = ['model.layers.0.self_attn.rotary_emb.inv_freq', 'lm_head.weight', 'lm_head.scales'];
  const model = await loadAddon().load(withTensors(spec, ...known), () => {});
  await model.close();
});

test.each([
  [undefined, 'MODEL_BROKEN', 'config.json has no quantization'],
  [
    { bits: 4, group_size: 48 },
    'MODEL_UNSUPPORTED',
    '4 bits in groups of 48 is not supported; supported: affine',
  ],
  [{ bits: 7, group_size: 64 }, 'MODEL_UNSUPPORTED', '7 bits'],
  [{ bits: 4, group_size: 64, mode: 'nf4' }, 'MODEL_UNSUPPORTED', 'mode "nf4"'],
  [
    { bits: 4, group_size: 64, mode: 'mxfp4' },
    'MODEL_UNSUPPORTED',
    'mode "mxfp4" with 4 bits in groups of 64',
  ],
  [{ bits: 4, group_size: 32, mode: 'mxfp4' }, 'MODEL_BROKEN', 'says mode "mxfp4"'],
  [{ group_size: 32 }, 'MODEL_BROKEN', 'config.json has no quantization.bits'],
  [{ bits: 8, group_size: 32 }, 'MODEL_BROKEN', 'says mode "affine" with 8 bits in groups of 32, tensor '],
  [
    { bits: 4, group_size: 32, 'model.embed_tokens': { bits: 8, group_size: 32 } },
    'MODEL_BROKEN',
    'quantization.model.embed_tokens says mode "affine" with 8 bits',
  ],
])('quantization %j is refused', async (quantization, code, message) => {
  const { spec } = tinyModel({ storage: () => ({ form: 'affine', bits: 4, group: 32 }) });
  await expectRefusal({ ...spec, config: { ...spec.config, quantization } }, code, message);
});

test('an adapter that does not fit is refused', async () => {
  const { spec } = tinyModel({ adapterOn: ['model.layers.0.self_attn.q_proj'] });
  const rename = (from: string, to: string): LoadSpec => {
    const [adapter] = spec.adapters;
    if (!adapter) throw new Error('no adapter');
    const tensors = adapter.weights.tensors.map(t => ({ ...t, name: t.name.replace(from, to) }));
    return { ...spec, adapters: [{ ...adapter, weights: { ...adapter.weights, tensors } }] };
  };
  await expectRefusal(rename('layers.0', 'layers.9'), 'MODEL_BROKEN', 'the adapter does not fit the model');
  await expectRefusal(rename('lora_b', 'lora_c'), 'MODEL_BROKEN', 'the adapter has only one of');
  await expectRefusal(rename('q_proj', 'k_proj'), 'MODEL_BROKEN', 'config.json asks for [4, 32]');
});

test('a spec of a wrong type is a rejection, not a throw', async () => {
  const load = loadAddon().load as (...values: unknown[]) => Promise<unknown>;
  await expect(load()).rejects.toMatchObject({ code: 'USAGE', message: 'spec must be an object' });
  await expect(load(tinyModel().spec)).rejects.toMatchObject({ message: 'onProgress must be a function' });
  const { spec } = tinyModel();
  await expect(load({ ...spec, gguf: 1 }, () => {})).rejects.toMatchObject({
    message: 'spec.gguf must be a boolean',
  });
  await expect(load({ ...spec, config: 5 }, () => {})).rejects.toMatchObject({ code: 'MODEL_BROKEN' });
});

function overwriteNorm(spec: LoadSpec, ...values: number[]): void {
  const norm = spec.weights.tensors.find(t => t.name === NORM) as TensorEntry;
  const file = openSync(spec.weights.files[0] as string, 'r+');
  writeSync(file, new Uint8Array(new Float32Array(values).buffer), 0, 4 * values.length, norm.offset);
  closeSync(file);
}

test.each([Number.NaN, Number.POSITIVE_INFINITY])('a weight of %d is refused', async value => {
  const { spec } = tinyModel();
  overwriteNorm(spec, 1, value);
  const message = `tensor ${NORM} (${spec.weights.files[0]}) has a value that is infinite or not a number at element 1`;
  await expectRefusal(spec, 'MODEL_BROKEN', message);
});

test('weights whose products are no numbers end a generation with an error, not with nonsense', async () => {
  const { spec } = tinyModel();
  overwriteNorm(spec, ...Array(64).fill(3e38));
  const model = await loadAddon().load(spec, () => {});
  for (const temperature of [0, 1]) {
    const { last } = await run(model, request([1, 2], { temperature }));
    expect(last).toMatchObject({ type: 'error', code: 'MODEL_BROKEN' });
  }
  await model.close();
});
