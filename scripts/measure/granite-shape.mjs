// A checkpoint of ibm-granite/granite-4.0-1b's shape with random bf16 weights (3.3 GB). Measures loading it with
// --quantize 4 and generating 16 tokens; fails if the process's peak memory reaches 2.5 GB.
// Usage, after `npm run bootstrap`: node scripts/measure/granite-shape.mjs FOLDER [--layers 40] [--vocabulary 100352]
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { reportUncaught } from '../lib/setup-error.mjs';
import { bfloat16, xorshift } from './shapes/random.mjs';
import { writeSafetensors } from './shapes/safetensors.mjs';

reportUncaught();

const USAGE = 'Usage: node scripts/measure/granite-shape.mjs FOLDER [--layers 40] [--vocabulary 100352]';
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    layers: { type: 'string', default: '40' },
    vocabulary: { type: 'string', default: '100352' },
  },
});
const SEED = 20260401;
const LAYERS = Number(values.layers);
const HIDDEN = 2048;
const KV = 4 * 128;
const MLP = 4096;
const VOCABULARY = Number(values.vocabulary);
/** Standard deviation of the weights: small enough that logits stay near 1. */
const DEVIATION = 0.02;
const PEAK_LIMIT = 2.5e9;

const CONFIG = {
  architectures: ['GraniteMoeHybridForCausalLM'],
  model_type: 'granitemoehybrid',
  hidden_size: HIDDEN,
  num_hidden_layers: LAYERS,
  layer_types: Array(LAYERS).fill('attention'),
  num_attention_heads: 16,
  num_key_value_heads: 4,
  attention_bias: false,
  attention_multiplier: 0.0078125,
  embedding_multiplier: 12,
  residual_multiplier: 0.22,
  logits_scaling: 8,
  intermediate_size: MLP,
  shared_intermediate_size: MLP,
  num_local_experts: 0,
  num_experts_per_tok: 0,
  hidden_act: 'silu',
  rms_norm_eps: 1e-5,
  position_embedding_type: 'rope',
  rope_theta: 10000000,
  max_position_embeddings: 131072,
  vocab_size: VOCABULARY,
  tie_word_embeddings: true,
  torch_dtype: 'bfloat16',
};

/** Tensors in the file's order; norms are 1. */
function tensors() {
  const next = xorshift(SEED);
  const table = normalTable(next);
  const draw = bytes => {
    const values = new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2);
    for (let index = 0; index < values.length; index += 2) {
      const bits = next();
      values[index] = table[bits & 0xffff];
      values[index + 1] = table[bits >>> 16];
    }
  };
  const ones = bytes => new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2).fill(bfloat16(1));
  const tensor = (name, shape) => ({ name, dtype: 'BF16', shape, fill: shape.length === 1 ? ones : draw });
  const layer = index => {
    const path = `model.layers.${index}`;
    return [
      tensor(`${path}.input_layernorm.weight`, [HIDDEN]),
      tensor(`${path}.self_attn.q_proj.weight`, [HIDDEN, HIDDEN]),
      tensor(`${path}.self_attn.k_proj.weight`, [KV, HIDDEN]),
      tensor(`${path}.self_attn.v_proj.weight`, [KV, HIDDEN]),
      tensor(`${path}.self_attn.o_proj.weight`, [HIDDEN, HIDDEN]),
      tensor(`${path}.post_attention_layernorm.weight`, [HIDDEN]),
      tensor(`${path}.shared_mlp.input_linear.weight`, [2 * MLP, HIDDEN]),
      tensor(`${path}.shared_mlp.output_linear.weight`, [HIDDEN, MLP]),
    ];
  };
  return [
    tensor('model.embed_tokens.weight', [VOCABULARY, HIDDEN]),
    ...Array.from({ length: LAYERS }, (_, index) => layer(index)).flat(),
    tensor('model.norm.weight', [HIDDEN]),
  ];
}

/** 65536 normally distributed numbers as bf16, by Box and Muller: drawing one of them is cheap. */
function normalTable(next) {
  return Uint16Array.from({ length: 65536 }, () => {
    const radius = Math.sqrt(-2 * Math.log((next() + 1) / 2 ** 32));
    return bfloat16(DEVIATION * radius * Math.cos((2 * Math.PI * next()) / 2 ** 32));
  });
}

/** A file that is there is complete: it gets its name last. */
function writeCheckpoint(folder) {
  const path = join(folder, 'model.safetensors');
  if (existsSync(path)) {
    const { num_hidden_layers, vocab_size } = JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8'));
    if (num_hidden_layers === LAYERS && vocab_size === VOCABULARY) return;
    console.error(`${folder} has another model: ${num_hidden_layers} layers, a vocabulary of ${vocab_size}`);
    process.exit(1);
  }
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'config.json'), `${JSON.stringify(CONFIG, null, 2)}\n`);
  writeSafetensors(path, tensors());
  console.log(`wrote ${path}`);
}

/** In a process of its own, whose peak is that of nothing else. */
async function measure(folder) {
  const { loadEngine } = await import(new URL('../../dist/index.js', import.meta.url));
  const seconds = since => (performance.now() - since) / 1000;
  const begun = performance.now();
  const engine = await loadEngine(folder, { quantize: '4', contextLength: 2048 });
  console.log(`loaded in ${seconds(begun).toFixed(1)} s, ${(engine.info.parameters / 1e6).toFixed(1)} M`);
  console.log(`weights in memory: ${(engine.info.weightBytes / 1e9).toFixed(2)} GB`);
  const promptIds = Array.from({ length: 16 }, (_, index) => (index * 7919) % VOCABULARY);
  const ids = [];
  let decoding = 0;
  for await (const { id, topLogprobs } of engine.generate({
    promptIds,
    maxTokens: 16,
    ignoreEos: true,
    logprobs: 1,
  })) {
    if (!topLogprobs.every(({ logprob }) => Number.isFinite(logprob)))
      throw new Error('logits are not finite');
    if (ids.push(id) === 1) decoding = performance.now();
  }
  if (ids.length !== 16) throw new Error(`generated ${ids.length} tokens, not 16`);
  console.log(`generated ${ids.join(' ')}`);
  console.log(`${((ids.length - 1) / seconds(decoding)).toFixed(2)} tok/s`);
  await engine.close();
  const peak = process.resourceUsage().maxRSS * 1024;
  console.log(`peak memory ${(peak / 1e9).toFixed(2)} GB, limit ${PEAK_LIMIT / 1e9} GB`);
  if (peak >= PEAK_LIMIT) process.exitCode = 1;
}

const [given, mode] = positionals;
if (given === undefined || !(LAYERS >= 1 && VOCABULARY >= 2)) {
  console.error(USAGE);
  process.exitCode = 2;
} else if (mode === 'measure') {
  await measure(resolve(given));
} else {
  writeCheckpoint(resolve(given));
  const child = [fileURLToPath(import.meta.url), ...process.argv.slice(2), 'measure'];
  process.exitCode = spawnSync(process.execPath, child, { stdio: 'inherit' }).status ?? 1;
}
