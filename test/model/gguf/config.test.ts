import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ARCHITECTURES } from '../../../src/model/gguf/architectures.ts';
import { readGgufModel } from '../../../src/model/gguf/config.ts';
import { huggingFaceName } from '../../../src/model/gguf/names.ts';
import { type GgufTensor, type GgufValue, gguf, MODELS } from '../model-files.ts';
import { tempFolder } from '../temp-folder.ts';
import { thrown } from '../thrown.ts';

const LLAMA: Readonly<Record<string, GgufValue>> = {
  'general.architecture': 'llama',
  'llama.embedding_length': 8,
  'llama.block_count': 1,
  'llama.feed_forward_length': 16,
  'llama.attention.head_count': 2,
  'llama.attention.layer_norm_rms_epsilon': 0.5,
  'llama.context_length': 64,
};
const EMBEDDING: GgufTensor = { name: 'token_embd.weight', dimensions: [8, 10] };

function read(changes: Readonly<Record<string, GgufValue>> = {}, tensors: readonly GgufTensor[] = []) {
  const placed = [EMBEDDING, ...tensors].map((t, i) => ({ ...t, offset: i * 512 }));
  const content = gguf({
    metadata: Object.entries({ ...LLAMA, ...changes }),
    tensors: placed,
    dataBytes: 512 * placed.length,
  });
  return readGgufModel(join(tempFolder({ 'm.gguf': content }), 'm.gguf'));
}

/** That of another architecture, with keys below its name. */
function metadataOf(architecture: string, own: Readonly<Record<string, GgufValue>>) {
  const keys = Object.entries({ ...LLAMA, 'llama.attention.key_length': 4 }).map(
    ([key, value]) => [key.replace('llama.', `${architecture}.`), value] as const,
  );
  const changes = Object.entries(own).map(([key, value]) => [`${architecture}.${key}`, value] as const);
  return { ...Object.fromEntries([...keys, ...changes]), 'general.architecture': architecture };
}

const refusal = (...parts: Parameters<typeof read>) => thrown(() => read(...parts));

describe('readGgufModel', () => {
  test("says a llama file in Hugging Face's words", () => {
    const { config, tensors } = readGgufModel(join(MODELS, 'tiny-mixed.gguf'));
    expect(config).toMatchObject({
      model_type: 'llama',
      hidden_size: 64,
      num_hidden_layers: 2,
      intermediate_size: 128,
      num_attention_heads: 4,
      num_key_value_heads: 2,
      head_dim: 16,
      rope_theta: 10000,
      max_position_embeddings: 512,
      vocab_size: 128,
      tie_word_embeddings: false,
      eos_token_id: 2,
    });
    expect(tensors.map(t => t.name)).toContain('model.layers.1.self_attn.q_proj.weight');
    expect(tensors.map(t => t.name)).not.toContain('rope_freqs.weight');
    expect(tensors.find(t => t.name === 'lm_head.weight')).toMatchObject({ dtype: 'Q8_0', shape: [128, 64] });
  });

  test("finds Llama 3.1's rope from its factors", () => {
    expect(readGgufModel(join(MODELS, 'tiny-mixed.gguf')).config.rope_scaling).toEqual({
      rope_type: 'llama3',
      factor: 8,
      low_freq_factor: 1,
      high_freq_factor: 4,
      original_max_position_embeddings: 8192,
    });
    expect(refusal({}, [{ name: 'rope_freqs.weight', dimensions: [2] }])).toMatch(
      /^MODEL_UNSUPPORTED: .*rope_freqs/,
    );
    expect(refusal({}, [{ name: 'rope_freqs.weight', dimensions: [3] }])).toMatch(
      /^MODEL_BROKEN: .*must hold 2 F32/,
    );
  });

  test('defaults: as many kv heads as heads, tied without a head of its own, no scaling', () => {
    expect(read().config).toMatchObject({
      num_key_value_heads: 2,
      head_dim: 4,
      rope_theta: 10000,
      rope_scaling: null,
      vocab_size: 10,
      tie_word_embeddings: true,
      attention_bias: false,
    });
  });

  test('linear scaling, a head size of its own', () => {
    const linear = { 'llama.rope.scaling.type': 'linear', 'llama.rope.scaling.factor': 4 };
    expect(read({ ...linear, 'llama.attention.key_length': 16 }).config).toMatchObject({
      head_dim: 16,
      rope_scaling: { rope_type: 'linear', factor: 4 },
    });
  });

  test.each<[Record<string, GgufValue>, RegExp]>([
    [
      { 'general.architecture': 'falcon' },
      /'falcon' is not supported; supported: llama, granite, .*qwen2, qwen3, .*phi2, apertus, gemma2, gemma3, gemma4, qwen3moe/,
    ],
    [
      { 'llama.rope.scaling.type': 'longrope', 'llama.rope.scaling.factor': 4 },
      /'longrope', which is not supp/,
    ],
    [{ 'llama.expert_count': 8 }, /mixture of experts/],
    [{ 'llama.rope.dimension_count': 2 }, /rotates only a part of each head/],
  ])('%o is not supported', (changes, message) => {
    expect(refusal(changes)).toMatch(/^MODEL_UNSUPPORTED/);
    expect(refusal(changes)).toMatch(message);
  });

  const YARN: Record<string, GgufValue> = {
    'rope.scaling.type': 'yarn',
    'rope.scaling.factor': 4,
    'rope.scaling.original_context_length': 16,
    'rope.scaling.yarn_beta_fast': 8,
  };
  const YARN_PARAMETERS = {
    rope_type: 'yarn',
    factor: 4,
    original_max_position_embeddings: 16,
    beta_fast: 8,
    mscale: 1,
  };

  test.each<[string, Record<string, GgufValue>, object]>([
    // As the first files of Phi-3 were written.
    ['phi3', {}, { sliding_window: null, original_max_position_embeddings: 64 }],
    ['phi3', { 'rope.scaling.original_context_length': 16 }, { original_max_position_embeddings: 16 }],
    [
      'qwen2',
      { 'rope.scaling.type': 'yarn', 'rope.scaling.factor': 4 },
      { rope_scaling: { rope_type: 'yarn', factor: 4, original_max_position_embeddings: 64 } },
    ],
    ['glm4', { 'rope.dimension_count': 2 }, { model_type: 'glm4', partial_rotary_factor: 0.5 }],
    ['hunyuan-dense', {}, { model_type: 'hunyuan_v1_dense' }],
    ['olmo2', {}, { model_type: 'olmo2' }],
    ['olmo2', { 'attention.sliding_window': 7 }, { model_type: 'olmo3', sliding_window: 7 }],
    ['exaone4', {}, { model_type: 'exaone4', sliding_window: null }],
    ['exaone4', { 'attention.sliding_window': 7 }, { sliding_window: 7 }],
    ['mistral3', {}, { model_type: 'mistral', sliding_window: null }],
    [
      'mistral3',
      { 'rope.scaling.type': 'linear', 'rope.scaling.factor': 4 },
      { model_type: 'mistral', sliding_window: null, rope_scaling: { rope_type: 'linear', factor: 4 } },
    ],
    ...[0, 1].map((log): [string, Record<string, GgufValue>, object] => [
      'mistral3',
      { ...YARN, 'rope.scaling.yarn_log_multiplier': log },
      {
        model_type: 'ministral3',
        sliding_window: null,
        rope_scaling: null,
        rope_parameters: { ...YARN_PARAMETERS, mscale_all_dim: log, llama_4_scaling_beta: 0 },
      },
    ]),
    [
      'mistral3',
      { ...YARN, 'attention.temperature_scale': 0.5 },
      {
        model_type: 'ministral3',
        rope_parameters: { ...YARN_PARAMETERS, mscale_all_dim: 0, llama_4_scaling_beta: 0.5 },
      },
    ],
    [
      'gemma2',
      { attn_logit_softcapping: 3, block_count: 46 },
      { attn_logit_softcapping: 3, final_logit_softcapping: 30, query_pre_attn_scalar: 4 },
    ],
    [
      'cohere2',
      { logit_scale: 0.25, 'attention.sliding_window': 7, 'attention.layer_norm_epsilon': 0.25 },
      { model_type: 'cohere2', logit_scale: 0.25, layer_norm_eps: 0.25, tie_word_embeddings: true },
    ],
    [
      'phi2',
      { 'attention.layer_norm_epsilon': 0.25, 'rope.dimension_count': 2 },
      { model_type: 'phi', hidden_act: 'gelu_new', partial_rotary_factor: 0.5 },
    ],
    [
      'deepseek2',
      {
        'rope.dimension_count': 2,
        'attention.kv_lora_rank': 6,
        'attention.key_length_mla': 5,
        'attention.value_length_mla': 3,
      },
      {
        model_type: 'deepseek_v3',
        first_k_dense_replace: 1,
        q_lora_rank: null,
        qk_nope_head_dim: 3,
        qk_rope_head_dim: 2,
        v_head_dim: 3,
        rope_scaling: null,
      },
    ],
    // As written before llama.cpp split the matrix of keys and values.
    [
      'deepseek2',
      {
        'rope.dimension_count': 2,
        'attention.kv_lora_rank': 6,
        'attention.value_length': 3,
        'rope.scaling.type': 'yarn',
        'rope.scaling.factor': 4,
        'rope.scaling.original_context_length': 16,
        'rope.scaling.yarn_log_multiplier': 0.0625,
      },
      {
        qk_nope_head_dim: 2,
        v_head_dim: 3,
        rope_scaling: { rope_type: 'yarn', factor: 4, mscale: 0.625, mscale_all_dim: 0.625 },
      },
    ],
    [
      'minicpm3',
      { 'rope.dimension_count': 2, 'attention.kv_lora_rank': 6, 'attention.q_lora_rank': 5 },
      { q_lora_rank: 5, qk_nope_head_dim: 2, v_head_dim: 4 },
    ],
  ])('%s with %o', (architecture, own, expected) => {
    expect(read(metadataOf(architecture, own)).config).toMatchObject(expected);
  });

  // A Mamba-2 layer, one with attention, and one that predicts several tokens at once.
  const NEMOTRON: Record<string, GgufValue> = {
    block_count: 3,
    nextn_predict_layers: 1,
    feed_forward_length: [0, 0, 16],
    'attention.head_count_kv': [0, 1, 1],
    'attention.layer_norm_epsilon': 0.25,
    'ssm.time_step_rank': 2,
    'ssm.inner_size': 8,
    'ssm.group_count': 1,
    'ssm.state_size': 4,
    'ssm.conv_kernel': 4,
    // No part of the head's: such models have no positions.
    'rope.dimension_count': 3,
  };
  const EXPERTS: Record<string, GgufValue> = {
    expert_count: 2,
    expert_used_count: 1,
    expert_feed_forward_length: 16,
    expert_shared_feed_forward_length: 16,
  };

  test.each([
    ['nemotron_h', NEMOTRON],
    ['nemotron_h_moe', { ...NEMOTRON, ...EXPERTS }],
  ])('%s rotates nothing, and leaves the last layer out', (architecture, own) => {
    const names = ['attn_norm', 'attn_q', 'post_attention_norm', 'nextn.eh_proj', 'nextn.shared_head_norm'];
    const { config, tensors } = read(
      metadataOf(architecture, own),
      names.map(name => ({ name: `blk.2.${name}.weight`, dimensions: [8] })),
    );
    expect(config).toMatchObject({ head_dim: 4, num_hidden_layers: 2, hybrid_override_pattern: 'M*' });
    expect(tensors.map(t => t.name)).toEqual(['backbone.embeddings.weight']);
  });

  const LATENTS = { 'rope.dimension_count': 2, 'attention.kv_lora_rank': 6 };
  test.each<[string, Record<string, GgufValue>, string]>([
    [
      'deepseek2',
      { ...LATENTS, expert_count: 4, expert_gating_func: 1 },
      'MODEL_UNSUPPORTED: .*by a sigmoid',
    ],
    [
      'deepseek2',
      { 'rope.dimension_count': 2 },
      'MODEL_BROKEN: .*deepseek2.attention.kv_lora_rank is missing',
    ],
    ['minicpm3', { 'attention.kv_lora_rank': 6 }, 'MODEL_BROKEN: .*minicpm3.rope.dimension_count is missing'],
    [
      'mistral3',
      { 'attention.temperature_scale': 0.5, 'rope.scaling.type': 'linear', 'rope.scaling.factor': 4 },
      'MODEL_UNSUPPORTED: .*queries that grow with the position without yarn',
    ],
    ['apertus', {}, 'MODEL_BROKEN: .*metadata xielu.alpha_p is missing'],
    ['gemma4', {}, 'MODEL_BROKEN: .*gemma4.attention.sliding_window_pattern is not a list for 1 layers'],
    ['gemma4', { 'attention.sliding_window_pattern': [true] }, 'MODEL_BROKEN: .*no layer has full attention'],
    [
      'gemma4',
      { 'attention.sliding_window_pattern': [false] },
      'MODEL_BROKEN: .*tensor rope_freqs.weight is missing',
    ],
  ])('%s with %o is refused', (architecture, own, message) => {
    const metadata = { 'gemma4.attention.head_count_kv': 2, ...metadataOf(architecture, own) };
    expect(refusal(metadata)).toMatch(new RegExp(`^${message}`));
  });

  test('metadata that are no numbers, a missing embedding, unknown tensors', () => {
    expect(refusal({ 'llama.block_count': 'two' })).toBe(
      'MODEL_BROKEN: m.gguf is broken: metadata llama.block_count is not a number',
    );
    expect(refusal({}, [{ name: 'blk.0.attn_q_norm.weight', dimensions: [4] }])).toMatch(
      /^MODEL_UNSUPPORTED: .*tensor blk\.0\.attn_q_norm\.weight/,
    );
    const bare = gguf({ metadata: Object.entries(LLAMA) });
    const path = join(tempFolder({ 'm.gguf': bare }), 'm.gguf');
    expect(thrown(() => readGgufModel(path))).toMatch(/tensor token_embd\.weight is missing$/);
  });
});

test('huggingFaceName knows nothing but the table', () => {
  const table = ARCHITECTURES.get('llama')?.names ?? {};
  expect(huggingFaceName(table, 'blk.12.ffn_down.weight')).toBe('model.layers.12.mlp.down_proj.weight');
  expect(huggingFaceName(table, 'blk.0.attn_q.bias')).toBe('model.layers.0.self_attn.q_proj.bias');
  for (const name of [
    'blk.%.attn_q.weight',
    'blk.01.attn_q.weight',
    'attn_q.weight',
    'constructor.weight',
    'output',
  ]) {
    expect(huggingFaceName(table, name)).toBeUndefined();
  }
});
