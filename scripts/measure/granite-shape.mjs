// A checkpoint of ibm-granite/granite-4.0-1b's shape with random bf16 weights (3.3 GB). Measures loading it with
// --quantize 4 and generating 16 tokens; fails if the process's peak memory reaches 2.5 GB.
// Usage, after `npm run bootstrap`: node scripts/measure/granite-shape.mjs FOLDER [--layers 40] [--vocabulary 100352]
import { spawnSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { reportUncaught } from '../lib/setup-error.mjs';

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
const CHUNK_BYTES = 8 << 20;
const PEAK_LIMIT = 2.5e9;
const BF16_ONE = 0x3f80;

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

/** Names and shapes in the file's order. */
function tensors() {
  const layer = index => {
    const path = `model.layers.${index}`;
    return [
      [`${path}.input_layernorm.weight`, [HIDDEN]],
      [`${path}.self_attn.q_proj.weight`, [HIDDEN, HIDDEN]],
      [`${path}.self_attn.k_proj.weight`, [KV, HIDDEN]],
      [`${path}.self_attn.v_proj.weight`, [KV, HIDDEN]],
      [`${path}.self_attn.o_proj.weight`, [HIDDEN, HIDDEN]],
      [`${path}.post_attention_layernorm.weight`, [HIDDEN]],
      [`${path}.shared_mlp.input_linear.weight`, [2 * MLP, HIDDEN]],
      [`${path}.shared_mlp.output_linear.weight`, [HIDDEN, MLP]],
    ];
  };
  return [
    ['model.embed_tokens.weight', [VOCABULARY, HIDDEN]],
    ...Array.from({ length: LAYERS }, (_, index) => layer(index)).flat(),
    ['model.norm.weight', [HIDDEN]],
  ];
}

/** Marsaglia's xorshift: unsigned 32-bit numbers. */
function xorshift(seed) {
  let state = seed >>> 0;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
}

/** 65536 normally distributed numbers as bf16, by Box and Muller: drawing one of them is cheap. */
function normalTable(next) {
  const floats = new Float32Array(65536);
  for (let index = 0; index < floats.length; index++) {
    const radius = Math.sqrt(-2 * Math.log((next() + 1) / 2 ** 32));
    floats[index] = DEVIATION * radius * Math.cos((2 * Math.PI * next()) / 2 ** 32);
  }
  return Uint16Array.from(new Uint32Array(floats.buffer), bits => (bits + 0x8000) >>> 16);
}

function writeFully(file, bytes) {
  for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
}

/** Writes the weights in one pass, a chunk at a time. */
function writeWeights(path) {
  const entries = tensors().map(([name, shape]) => ({
    name,
    shape,
    count: shape.reduce((product, size) => product * size, 1),
  }));
  let offset = 0;
  const header = { __metadata__: { format: 'pt' } };
  for (const { name, shape, count } of entries) {
    header[name] = { dtype: 'BF16', shape, data_offsets: [offset, offset + 2 * count] };
    offset += 2 * count;
  }
  const text = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  const file = openSync(path, 'w');
  writeFully(file, Buffer.concat([length, text]));
  const next = xorshift(SEED);
  const table = normalTable(next);
  const chunk = new Uint16Array(CHUNK_BYTES / 2);
  for (const { shape, count } of entries) {
    for (let done = 0; done < count; done += chunk.length) {
      const values = chunk.subarray(0, Math.min(chunk.length, count - done));
      if (shape.length === 1) values.fill(BF16_ONE);
      else draw(values, table, next);
      writeFully(file, new Uint8Array(values.buffer, 0, values.byteLength));
    }
  }
  closeSync(file);
}

function draw(values, table, next) {
  for (let index = 0; index < values.length; index += 2) {
    const bits = next();
    values[index] = table[bits & 0xffff];
    values[index + 1] = table[bits >>> 16];
  }
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
  writeWeights(`${path}.part`);
  renameSync(`${path}.part`, path);
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
