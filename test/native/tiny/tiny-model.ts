import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import type { LoadSpec, StoredDtype, TensorEntry } from '../../../src/native/load-types.ts';
import { encodeTensor, type Storage } from './tensor-storage.ts';

export interface TinyConfig {
  readonly model_type: string;
  readonly hidden_size: number;
  readonly num_hidden_layers: number;
  readonly intermediate_size: number;
  readonly num_attention_heads: number;
  readonly num_key_value_heads: number;
  readonly head_dim: number;
  readonly vocab_size: number;
  readonly max_position_embeddings: number;
  readonly rms_norm_eps: number;
  readonly rope_theta: number;
  readonly tie_word_embeddings?: boolean;
  readonly attention_bias?: boolean;
  readonly mlp_bias?: boolean;
  readonly sliding_window?: number | null;
  readonly layer_types?: readonly string[];
  readonly rope_scaling?: Readonly<Record<string, unknown>>;
  readonly rope_parameters?: Readonly<Record<string, unknown>>;
  readonly quantization?: Readonly<Record<string, unknown>>;
}

export interface Tensor {
  readonly shape: readonly number[];
  /** The values as stored: after rounding or quantizing. */
  readonly values: Float64Array;
}

export interface TinyModel {
  readonly spec: LoadSpec;
  readonly config: TinyConfig;
  readonly tensors: ReadonlyMap<string, Tensor>;
  readonly adapter?: { readonly scale: number; readonly tensors: ReadonlyMap<string, Tensor> };
}

export interface TinyOptions {
  readonly config?: Partial<TinyConfig>;
  /** How matrices are stored; vectors take `F32` if it is a quantized form. */
  readonly storage?: (name: string) => Storage;
  readonly adapterOn?: readonly string[];
  readonly seed?: number;
  /** Float32 activations; default: true. */
  readonly exact?: boolean;
}

const DEFAULTS: TinyConfig = {
  model_type: 'llama',
  hidden_size: 64,
  num_hidden_layers: 2,
  intermediate_size: 128,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  head_dim: 16,
  vocab_size: 96,
  max_position_embeddings: 4096,
  rms_norm_eps: 1e-5,
  rope_theta: 10000,
  tie_word_embeddings: true,
};

const folder = mkdtempSync(join(tmpdir(), 'llm-host-tiny-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;

/** Uniform in [-1, 1); mulberry32. */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 31 - 1;
  };
}

/** A random model of a few thousand weights in a file of its own. */
export function tinyModel(options: TinyOptions = {}): TinyModel {
  const config: TinyConfig = { ...DEFAULTS, ...options.config };
  const storage = options.storage ?? (() => ({ form: 'F32' }) as const);
  const random = randomNumbers(options.seed ?? 1);
  const main = writeTensors(shapesOf(config), storage, random, config);
  const gguf = [...main.entries].some(entry => /^Q\d/.test(entry.dtype));
  const spec = {
    config: { ...config },
    weights: { files: [main.path], tensors: main.entries },
    gguf,
    adapters: [],
    contextLength: 0,
    kvBits: 0,
    exact: options.exact ?? true,
  };
  if (!options.adapterOn) return { spec, config, tensors: main.tensors };

  const scale = 2;
  const shapes = options.adapterOn.flatMap(path => adapterShapes(path, main.tensors));
  const lora = writeTensors(shapes, () => ({ form: 'F32' }), random, config);
  const adapter = { weights: { files: [lora.path], tensors: lora.entries }, scale, transposed: false };
  return {
    spec: { ...spec, adapters: [adapter] },
    config,
    tensors: main.tensors,
    adapter: { scale, tensors: lora.tensors },
  };
}

type Shapes = readonly (readonly [name: string, shape: readonly number[]])[];

function shapesOf(c: TinyConfig): Shapes {
  const queries = c.num_attention_heads * c.head_dim;
  const keys = c.num_key_value_heads * c.head_dim;
  const shapes: [string, number[]][] = [['model.embed_tokens.weight', [c.vocab_size, c.hidden_size]]];
  const linear = (path: string, out: number, inputs: number, bias = false) => {
    shapes.push([`${path}.weight`, [out, inputs]]);
    if (bias) shapes.push([`${path}.bias`, [out]]);
  };
  for (let i = 0; i < c.num_hidden_layers; i++) {
    const layer = `model.layers.${i}`;
    shapes.push([`${layer}.input_layernorm.weight`, [c.hidden_size]]);
    shapes.push([`${layer}.post_attention_layernorm.weight`, [c.hidden_size]]);
    linear(`${layer}.self_attn.q_proj`, queries, c.hidden_size, c.attention_bias);
    linear(`${layer}.self_attn.k_proj`, keys, c.hidden_size, c.attention_bias);
    linear(`${layer}.self_attn.v_proj`, keys, c.hidden_size, c.attention_bias);
    linear(`${layer}.self_attn.o_proj`, c.hidden_size, queries, c.attention_bias);
    linear(`${layer}.mlp.gate_proj`, c.intermediate_size, c.hidden_size, c.mlp_bias);
    linear(`${layer}.mlp.up_proj`, c.intermediate_size, c.hidden_size, c.mlp_bias);
    linear(`${layer}.mlp.down_proj`, c.hidden_size, c.intermediate_size, c.mlp_bias);
  }
  shapes.push(['model.norm.weight', [c.hidden_size]]);
  if (c.tie_word_embeddings === false) shapes.push(['lm_head.weight', [c.vocab_size, c.hidden_size]]);
  return shapes;
}

function adapterShapes(path: string, tensors: ReadonlyMap<string, Tensor>): [string, number[]][] {
  const [out = 0, inputs = 0] = tensors.get(`${path}.weight`)?.shape ?? [];
  return [
    [`${path}.lora_a`, [inputs, 4]],
    [`${path}.lora_b`, [4, out]],
  ];
}

function writeTensors(
  shapes: Shapes,
  storage: (name: string) => Storage,
  random: () => number,
  c: TinyConfig,
) {
  const tensors = new Map<string, Tensor>();
  const entries: TensorEntry[] = [];
  const pieces: Buffer[] = [];
  let offset = 0;
  for (const [name, shape] of shapes) {
    const size = shape.reduce((a, b) => a * b, 1);
    const spread = name.endsWith('embed_tokens.weight') ? 1 : 2 / Math.sqrt(shape.at(-1) ?? 1);
    const wanted = Float64Array.from({ length: size }, () =>
      name.includes('norm') ? 1 + 0.2 * random() : spread * random(),
    );
    const form = shape.length === 2 || name.includes('.bias') ? storage(name) : plainForm(storage(name));
    const heads = rotaryHeads(name, c);
    const { values, parts } = encodeTensor(
      name,
      wanted,
      shape,
      shape.length === 2 ? form : plainForm(form),
      heads,
    );
    tensors.set(name, { shape, values });
    for (const part of parts) {
      const entry = { name: part.name, dtype: part.dtype as StoredDtype, shape: part.shape };
      entries.push({ ...entry, file: 0, offset, bytes: part.data.length });
      pieces.push(part.data);
      offset += part.data.length;
    }
  }
  const path = join(folder, `weights-${files++}.bin`);
  writeFileSync(path, Buffer.concat(pieces));
  return { path, tensors, entries };
}

/** The head count of rotary projections, whose rows GGUF files reorder. */
function rotaryHeads(name: string, c: TinyConfig): number {
  if (name.includes('.q_proj.')) return c.num_attention_heads;
  return name.includes('.k_proj.') ? c.num_key_value_heads : 0;
}

function plainForm(storage: Storage): Storage {
  return 'bits' in storage || storage.form.startsWith('Q') ? { form: 'F32' } : storage;
}
