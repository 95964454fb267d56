import type { TensorEntry } from '../../native/load-types.ts';
import { broken } from '../../text/files/model-fault.ts';
import type { GgufParts } from './parts.ts';

/** A file's description of its model. */
export interface GgufFacts {
  /** Metadata below the architecture's name. Throws where it is missing and has no default. */
  number(key: string, missing?: number): number;
  /** The same, where each layer may have its own: the greatest. */
  greatest(key: string, missing?: number): number;
  /** The same, one number a layer. `prefix`: where it is not the architecture's name. */
  perLayer(key: string, prefix?: string): readonly number[];
  /** Whether something holds, layer by layer. */
  flags(key: string): readonly boolean[];
  flag(key: string, missing: boolean): boolean;
  has(key: string): boolean;
  /** By its Hugging Face name. */
  hasTensor(name: string): boolean;
  /** Without those that predict several tokens at once. */
  readonly layers: number;
  readonly hidden: number;
  readonly heads: number;
  readonly headDim: number;
}

const MOST_LAYERS = 1 << 12;

/** `tensors` with Hugging Face's names. Throws MODEL_BROKEN for what is missing or of another kind. */
export function factsOf(
  path: string,
  architecture: string,
  { metadata }: GgufParts,
  tensors: readonly TensorEntry[],
): GgufFacts {
  const names = new Set(tensors.map(t => t.name));
  const own = `${architecture}.`;
  const value = (key: string, prefix = own): unknown => metadata.get(`${prefix}${key}`);
  const wrong = (key: string, what: string, prefix = own) =>
    broken(path, `is broken: metadata ${prefix}${key} is ${what}`);
  const checked = (key: string, found: unknown, prefix = own): number => {
    if (typeof found === 'number' && Number.isFinite(found)) return found;
    throw wrong(key, found === undefined ? 'missing' : 'not a number', prefix);
  };
  const number = (key: string, missing?: number) => checked(key, value(key) ?? missing);
  const layers = layersOf(number);
  if (!(Number.isInteger(layers) && layers > 0 && layers <= MOST_LAYERS)) {
    throw wrong('block_count', `${layers}, not 1 to ${MOST_LAYERS}`);
  }
  const perLayer = (key: string, prefix = own): number[] => {
    const found = value(key, prefix);
    if (!Array.isArray(found)) return new Array(layers).fill(checked(key, found, prefix));
    if (found.length < layers) throw wrong(key, `of ${found.length} numbers for ${layers} layers`, prefix);
    return found.slice(0, layers).map(item => checked(key, item, prefix));
  };
  const hidden = number('embedding_length');
  const heads = number('attention.head_count');
  return {
    number,
    perLayer,
    flags: key => {
      const found = value(key);
      if (Array.isArray(found) && found.length >= layers)
        return found.slice(0, layers).map(item => item === true);
      throw wrong(key, `not a list for ${layers} layers`);
    },
    greatest: (key, missing) =>
      Array.isArray(value(key)) ? Math.max(...perLayer(key)) : number(key, missing),
    flag: (key, missing) => {
      const found = value(key) ?? missing;
      if (typeof found === 'boolean') return found;
      throw wrong(key, 'neither true nor false');
    },
    has: key => value(key) !== undefined,
    hasTensor: name => names.has(name),
    layers,
    hidden,
    heads,
    headDim: number('attention.key_length', hidden / heads),
  };
}

function layersOf(number: GgufFacts['number']): number {
  return number('block_count') - number('nextn_predict_layers', 0);
}
