import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { safetensorsOf } from '../../model/model-files.ts';
import { readNamed } from '../../model/read-named.ts';
import { randomNumbers } from '../../native/tiny/tiny-model.ts';

type Shapes = Readonly<Record<string, readonly number[]>>;

/** A folder with these files until the test has finished. */
function folderOf(files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'llm-host-shared-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  return folder;
}

const RANK = 4;

/** An adapter for every matrix of heads and networks of a model whose files are not quantized, and for its router. */
export function randomAdapter(model: string, layout: 'mlx' | 'peft'): string {
  const { spec } = readNamed(model, { contextLength: 0, anyMemory: true, cwd: '/', env: {} });
  const random = randomNumbers(11);
  const shapes: Record<string, readonly number[]> = {};
  for (const { name, shape } of spec.weights.tensors) {
    const [, module] = /^(.*_proj)\.weight$/.exec(name) ?? [];
    const [out = 0, inputs = 0] = shape;
    if (module === undefined || shape.length !== 2 || module.includes('.experts.')) continue;
    if (layout === 'peft') {
      shapes[`base_model.model.${module}.lora_A.weight`] = [RANK, inputs];
      shapes[`base_model.model.${module}.lora_B.weight`] = [out, RANK];
    } else {
      shapes[`${module}.lora_a`] = [inputs, RANK];
      shapes[`${module}.lora_b`] = [RANK, out];
    }
  }
  const weights = safetensorsOf(shapes, () => random() / 3);
  return layout === 'peft'
    ? folderOf({
        'adapter_config.json': JSON.stringify({ peft_type: 'LORA', r: RANK, lora_alpha: 2 * RANK }),
        'adapter_model.safetensors': weights,
      })
    : folderOf({
        'adapter_config.json': JSON.stringify({
          fine_tune_type: 'lora',
          lora_parameters: { rank: RANK, scale: 2 },
        }),
        'adapters.safetensors': weights,
      });
}

const HIDDEN = 32;
const HEADS = 4;
const HEAD_DIM = 8;
const EXPERTS = 8;
const INNER = 16;
const VOCAB = 96;

const CONFIG = {
  hidden_size: HIDDEN,
  num_hidden_layers: 2,
  vocab_size: VOCAB,
  max_position_embeddings: 512,
  num_attention_heads: HEADS,
  num_key_value_heads: HEADS,
  head_dim: HEAD_DIM,
  rope_theta: 10000,
  rms_norm_eps: 1e-5,
  norm_eps: 1e-5,
  tie_word_embeddings: true,
  eos_token_id: 2,
  num_experts: EXPERTS,
  num_experts_per_tok: 2,
  moe_intermediate_size: INNER,
};

const attention = (output = 'o_proj'): Shapes =>
  Object.fromEntries(
    ['q_proj', 'k_proj', 'v_proj', output].map(name => [`self_attn.${name}.weight`, [HIDDEN, HIDDEN]]),
  );

const usualNorms = { 'input_layernorm.weight': [HIDDEN], 'post_attention_layernorm.weight': [HIDDEN] };

const singles = (block: string, [gate, up, down]: readonly [string, string, string]): Shapes =>
  Object.fromEntries(
    Array.from({ length: EXPERTS }, (_, e) => [
      [`${block}.experts.${e}.${gate}.weight`, [INNER, HIDDEN]],
      [`${block}.experts.${e}.${up}.weight`, [INNER, HIDDEN]],
      [`${block}.experts.${e}.${down}.weight`, [HIDDEN, INNER]],
    ]).flat(),
  );

interface Family {
  readonly config: object;
  readonly norm?: string;
  readonly layers: readonly [Shapes, Shapes];
}

const qwen = {
  ...usualNorms,
  ...attention(),
  'self_attn.q_norm.weight': [8],
  'self_attn.k_norm.weight': [8],
};
const lfm2 = { 'operator_norm.weight': [HIDDEN], 'ffn_norm.weight': [HIDDEN] };
const granite = {
  ...usualNorms,
  ...attention(),
  'block_sparse_moe.router.layer.weight': [EXPERTS, HIDDEN],
  'block_sparse_moe.input_linear.weight': [EXPERTS, 2 * INNER, HIDDEN],
  'block_sparse_moe.output_linear.weight': [EXPERTS, HIDDEN, INNER],
};
const gptOss = {
  ...usualNorms,
  ...attention(),
  ...Object.fromEntries(
    ['q_proj', 'k_proj', 'v_proj', 'o_proj'].map(name => [`self_attn.${name}.bias`, [32]]),
  ),
  'self_attn.sinks': [HEADS],
  'mlp.router.weight': [EXPERTS, HIDDEN],
  'mlp.router.bias': [EXPERTS],
  'mlp.experts.gate_up_proj': [EXPERTS, HIDDEN, 2 * INNER],
  'mlp.experts.gate_up_proj_bias': [EXPERTS, 2 * INNER],
  'mlp.experts.down_proj': [EXPERTS, INNER, HIDDEN],
  'mlp.experts.down_proj_bias': [EXPERTS, HIDDEN],
};

/** With experts, KV heads and networks for four processes. */
const FAMILIES = {
  granitemoe: {
    config: { intermediate_size: INNER, num_local_experts: EXPERTS },
    layers: [granite, granite],
  },
  gpt_oss: {
    config: { intermediate_size: INNER, num_local_experts: EXPERTS, sliding_window: 16, swiglu_limit: 1.5 },
    layers: [gptOss, gptOss],
  },
  qwen3_moe: {
    config: { intermediate_size: 48, mlp_only_layers: [0], norm_topk_prob: true },
    layers: [
      {
        ...qwen,
        'mlp.gate_proj.weight': [48, HIDDEN],
        'mlp.up_proj.weight': [48, HIDDEN],
        'mlp.down_proj.weight': [HIDDEN, 48],
      },
      {
        ...qwen,
        'mlp.gate.weight': [EXPERTS, HIDDEN],
        ...singles('mlp', ['gate_proj', 'up_proj', 'down_proj']),
      },
    ],
  },
  lfm2_moe: {
    config: { intermediate_size: 48, num_dense_layers: 1, layer_types: ['conv', 'full_attention'] },
    norm: 'model.embedding_norm.weight',
    layers: [
      {
        ...lfm2,
        'conv.conv.weight': [HIDDEN, 1, 3],
        'conv.in_proj.weight': [3 * HIDDEN, HIDDEN],
        'conv.out_proj.weight': [HIDDEN, HIDDEN],
        'feed_forward.w1.weight': [48, HIDDEN],
        'feed_forward.w3.weight': [48, HIDDEN],
        'feed_forward.w2.weight': [HIDDEN, 48],
      },
      {
        ...lfm2,
        ...attention('out_proj'),
        'self_attn.q_layernorm.weight': [HEAD_DIM],
        'self_attn.k_layernorm.weight': [HEAD_DIM],
        'feed_forward.gate.weight': [EXPERTS, HIDDEN],
        'feed_forward.expert_bias': [EXPERTS],
        ...singles('feed_forward', ['w1', 'w3', 'w2']),
      },
    ],
  },
} as const satisfies Readonly<Record<string, Family>>;

export type WithExperts = keyof typeof FAMILIES;
export const WITH_EXPERTS = Object.keys(FAMILIES) as WithExperts[];

/** A model with eight experts and four KV heads. */
export function randomExperts(family: WithExperts): string {
  const { config, layers, norm = 'model.norm.weight' }: Family = FAMILIES[family];
  const random = randomNumbers(5);
  const shapes: Shapes = {
    'model.embed_tokens.weight': [VOCAB, HIDDEN],
    [norm]: [HIDDEN],
    ...Object.fromEntries(
      layers.flatMap((layer, index) =>
        Object.entries(layer).map(([name, shape]) => [`model.layers.${index}.${name}`, shape] as const),
      ),
    ),
  };
  return folderOf({
    'config.json': JSON.stringify({ ...CONFIG, ...config, model_type: family }),
    'model.safetensors': safetensorsOf(shapes, name => (/norm\.weight$/.test(name) ? 1 : 0) + random() / 3),
  });
}
