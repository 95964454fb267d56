import type { TensorEntry } from '../../native/load-types.ts';
import type { JsonObject } from '../../text/files/json-file.ts';
import { broken, unsupported } from '../../text/files/model-fault.ts';
import { withModelFile } from '../weights/model-file.ts';
import type { GgufFacts } from './facts.ts';
import { llama3Scaling } from './llama3-scaling.ts';
import type { GgufParts } from './parts.ts';

/** Factors of Llama 3.1's scaled rope, and of longrope; they are no weights. */
export const ROPE_FACTORS = 'rope_freqs.weight';
export const LONG_FACTORS = 'rope_factors_long.weight';
export const SHORT_FACTORS = 'rope_factors_short.weight';

/** A channel that is this many times slower does not turn in any context. */
const STOPS = 1e20;

/** `rope_scaling` of config.json, from metadata and factors. Throws MODEL_UNSUPPORTED or MODEL_BROKEN. */
export function ropeScaling(
  path: string,
  parts: GgufParts,
  facts: GgufFacts,
  type: unknown,
  rotated: number,
): JsonObject | null {
  const find = (name: string) => parts.tensors.find(t => t.name === name);
  const factors = (tensor: TensorEntry) =>
    readFactors(parts.files[tensor.file] as string, tensor, rotated / 2);
  const stored = find(ROPE_FACTORS);
  if (stored) {
    const values = factors(stored);
    const scaling = proportional(values) ?? llama3Scaling(values, facts.number('rope.freq_base', 10000));
    if (scaling) return scaling;
    throw unsupported(path, `scales its rope in a way that is not supported (tensor ${ROPE_FACTORS})`);
  }
  const long = find(LONG_FACTORS);
  const short = find(SHORT_FACTORS);
  if (long && short) {
    const attention = 'rope.scaling.attn_factor';
    return {
      rope_type: 'longrope',
      long_factor: factors(long),
      short_factor: factors(short),
      original_max_position_embeddings: originalContext(facts),
      ...(facts.has(attention) && { attention_factor: facts.number(attention) }),
    };
  }
  if (long || short) throw broken(path, `is broken: of ${LONG_FACTORS} and ${SHORT_FACTORS} one is missing`);
  if (type === undefined || type === 'none') return null;
  const factor = facts.number('rope.scaling.factor');
  if (type === 'linear') return { rope_type: 'linear', factor };
  if (type === 'yarn') return yarn(facts, factor);
  throw unsupported(
    path,
    `scales its rope by '${type}', which is not supported; supported: linear, yarn, llama3, longrope`,
  );
}

/** Keys of llama.cpp that are there only where the model's own differ from the usual ones. */
const YARN_KEYS: Readonly<Record<string, string>> = {
  beta_fast: 'rope.scaling.yarn_beta_fast',
  beta_slow: 'rope.scaling.yarn_beta_slow',
  attention_factor: 'rope.scaling.yarn_attn_factor',
};

/** Tokens before scaling; as llama.cpp assumes where the file does not say. */
export function originalContext({ number }: GgufFacts): number {
  return number('rope.scaling.original_context_length', number('context_length'));
}

function yarn(facts: GgufFacts, factor: number): JsonObject {
  const { number, has } = facts;
  const own = Object.entries(YARN_KEYS).filter(([, key]) => has(key));
  return {
    rope_type: 'yarn',
    factor,
    original_max_position_embeddings: originalContext(facts),
    ...Object.fromEntries(own.map(([name, key]) => [name, number(key)])),
  };
}

/** Gemma 4's: a factor of 1 for the channels that turn, and for the others one that stops them. */
function proportional(factors: readonly number[]): JsonObject | undefined {
  const turning = factors.filter(factor => factor === 1).length;
  const stopped = factors.slice(turning).every(factor => factor >= STOPS);
  if (turning === 0 || turning === factors.length || !stopped) return undefined;
  return { rope_type: 'proportional', partial_rotary_factor: turning / factors.length };
}

function readFactors(path: string, tensor: TensorEntry, count: number): number[] {
  if (tensor.dtype !== 'F32' || tensor.bytes !== count * 4) {
    throw broken(path, `is broken: tensor ${tensor.name} must hold ${count} F32 values`);
  }
  const bytes = withModelFile(path, file => file.read(tensor.offset, tensor.bytes));
  return Array.from({ length: count }, (_, i) => bytes.readFloatLE(4 * i));
}
