// The shapes of published decoders and their tensors, by their names in GGUF files and in MLX's.

/** With the demo's vocabulary, whose tokenizer GGUF files get. */
export const VOCABULARY = 49152;

/**
 * `gguf`, `mlx`: names of the architecture; `experts`: how many a layer has, how many a token uses, and their width;
 * `cut`: layers to keep where the whole model with two copies of its file is more than a small machine holds.
 */
export const SHAPES = {
  'llama-1b': { layers: 16, hidden: 2048, heads: 32, kvHeads: 8, mlp: 8192, ...llama() },
  'llama-3b': { layers: 28, hidden: 3072, heads: 24, kvHeads: 8, mlp: 8192, ...llama() },
  'llama-8b': { layers: 32, hidden: 4096, heads: 32, kvHeads: 8, mlp: 14336, untied: true, ...llama() },
  'granite-1b': {
    gguf: 'granite',
    mlx: 'granite',
    layers: 40,
    hidden: 2048,
    heads: 16,
    kvHeads: 4,
    mlp: 4096,
    theta: 10000000,
    eps: 1e-5,
    multipliers: { attention: 0.0078125, embedding: 12, residual: 0.22, logits: 8 },
  },
  'gpt-oss-20b': {
    gguf: 'gpt-oss',
    mlx: 'gpt_oss',
    layers: 24,
    cut: 8,
    hidden: 2880,
    heads: 64,
    kvHeads: 8,
    headDim: 64,
    mlp: 2880,
    theta: 150000,
    eps: 1e-5,
    untied: true,
    biased: true,
    sinks: true,
    window: 128,
    postNorm: 'post_attention_norm',
    experts: { count: 32, used: 4, width: 2880 },
  },
  'qwen3-30b-a3b': {
    gguf: 'qwen3moe',
    mlx: 'qwen3_moe',
    layers: 48,
    cut: 8,
    hidden: 2048,
    heads: 32,
    kvHeads: 4,
    headDim: 128,
    mlp: 6144,
    theta: 1000000,
    eps: 1e-6,
    untied: true,
    qkNorms: ['q_norm', 'k_norm'],
    experts: { count: 128, used: 8, width: 768 },
  },
  'lfm2-8b-a1b': {
    gguf: 'lfm2moe',
    mlx: 'lfm2_moe',
    layers: 24,
    cut: 8,
    hidden: 2048,
    heads: 32,
    kvHeads: 8,
    mlp: 7168,
    theta: 1000000,
    eps: 1e-5,
    qkNorms: ['q_layernorm', 'k_layernorm'],
    kernel: 3,
    attentionEvery: 4,
    dense: 2,
    experts: { count: 32, used: 4, width: 1792 },
    names: {
      norm: 'operator_norm',
      ffnNorm: 'ffn_norm',
      output: 'out_proj',
      final: 'embedding_norm',
      ffn: 'feed_forward',
    },
  },
};

function llama() {
  return { gguf: 'llama', mlx: 'llama', theta: 500000, eps: 1e-5 };
}

export const headDimOf = ({ headDim, hidden, heads }) => headDim ?? hidden / heads;
/** Whether a layer is attention; the others are short convolutions. */
export const isAttention = ({ attentionEvery }, layer) =>
  attentionEvery === undefined || layer % attentionEvery === 2;
/** Whether a layer has experts. */
const isSparse = ({ experts, dense = 0 }, layer) => experts !== undefined && layer >= dense;

/**
 * All tensors as `{ gguf, mlx, shape, kind, layer }`: names without ".weight" unless they have another end. `kind`:
 * 'matrix' and 'experts' are quantized, 'router', 'norm', 'bias' and 'kernel' are floats.
 */
export function tensorsOf(shape, layers) {
  const { hidden, untied, names = {} } = shape;
  const all = [
    { gguf: 'token_embd', mlx: 'model.embed_tokens', shape: [VOCABULARY, hidden], kind: 'matrix' },
  ];
  for (let layer = 0; layer < layers; layer++) {
    const [gguf, mlx] = [`blk.${layer}.`, `model.layers.${layer}.`];
    const parts = [
      norm('attn_norm', names.norm ?? 'input_layernorm', hidden),
      ...(isAttention(shape, layer) ? attention(shape) : convolution(shape)),
      norm(shape.postNorm ?? 'ffn_norm', names.ffnNorm ?? 'post_attention_layernorm', hidden),
      ...(isSparse(shape, layer) ? experts(shape) : mlp(shape)),
    ];
    all.push(...parts.map(part => ({ ...part, gguf: gguf + part.gguf, mlx: mlx + part.mlx, layer })));
  }
  const final = shape.gguf === 'lfm2moe' ? 'token_embd_norm' : 'output_norm';
  all.push(norm(final, `model.${names.final ?? 'norm'}`, hidden));
  if (untied) all.push({ gguf: 'output', mlx: 'lm_head', shape: [VOCABULARY, hidden], kind: 'matrix' });
  return all;
}

const norm = (gguf, mlx, size) => ({ gguf, mlx, shape: [size], kind: 'norm' });
const matrix = (gguf, mlx, rows, cols) => ({ gguf, mlx, shape: [rows, cols], kind: 'matrix' });

function attention(shape) {
  const { hidden, heads, kvHeads, biased, sinks, qkNorms, names = {} } = shape;
  const dim = headDimOf(shape);
  const matrices = [
    matrix('attn_q', 'self_attn.q_proj', heads * dim, hidden),
    matrix('attn_k', 'self_attn.k_proj', kvHeads * dim, hidden),
    matrix('attn_v', 'self_attn.v_proj', kvHeads * dim, hidden),
    matrix('attn_output', `self_attn.${names.output ?? 'o_proj'}`, hidden, heads * dim),
  ];
  const [q, k] = qkNorms ?? [];
  return [
    ...matrices,
    ...(biased ? matrices.map(bias) : []),
    ...(qkNorms
      ? [norm('attn_q_norm', `self_attn.${q}`, dim), norm('attn_k_norm', `self_attn.${k}`, dim)]
      : []),
    ...(sinks
      ? [{ gguf: 'attn_sinks', mlx: 'self_attn.sinks', shape: [heads], kind: 'bias', bareInMlx: true }]
      : []),
  ];
}

const bias = ({ gguf, mlx, shape }) => ({
  gguf: `${gguf}.bias`,
  mlx: `${mlx}.bias`,
  shape: shape.slice(0, -1),
  kind: 'bias',
});

function convolution({ hidden, kernel }) {
  return [
    matrix('shortconv.in_proj', 'conv.in_proj', 3 * hidden, hidden),
    { gguf: 'shortconv.conv', mlx: 'conv.conv', shape: [hidden, kernel], kind: 'kernel' },
    matrix('shortconv.out_proj', 'conv.out_proj', hidden, hidden),
  ];
}

function mlp({ hidden, mlp, names = {} }) {
  const path = names.ffn ?? 'mlp';
  return [
    matrix('ffn_gate', `${path}.gate_proj`, mlp, hidden),
    matrix('ffn_up', `${path}.up_proj`, mlp, hidden),
    matrix('ffn_down', `${path}.down_proj`, hidden, mlp),
  ];
}

function experts({ hidden, biased, mlx, experts, names = {} }) {
  const { count, width } = experts;
  const path = names.ffn ?? 'mlp';
  const stacks = `${path}.${mlx === 'gpt_oss' ? 'experts' : 'switch_mlp'}`;
  const router = `${path}.${mlx === 'gpt_oss' ? 'router' : 'gate'}`;
  const stack = (gguf, name, rows, cols) => ({
    gguf,
    mlx: `${stacks}.${name}`,
    shape: [count, rows, cols],
    kind: 'experts',
  });
  const all = [
    { gguf: 'ffn_gate_inp', mlx: router, shape: [count, hidden], kind: 'router' },
    stack('ffn_gate_exps', 'gate_proj', width, hidden),
    stack('ffn_up_exps', 'up_proj', width, hidden),
    stack('ffn_down_exps', 'down_proj', hidden, width),
  ];
  const selection = { gguf: 'exp_probs_b.bias', mlx: `${path}.expert_bias`, shape: [count], kind: 'bias' };
  return [
    ...all,
    ...(biased ? all.map(bias) : []),
    ...(mlx === 'lfm2_moe' ? [{ ...selection, bareInMlx: true }] : []),
  ];
}
