import type { TensorEntry } from '../../native/addon-types.ts';
import { broken } from '../../text/files/model-fault.ts';
import type { GgufParts } from './parts.ts';

/** What a file says of its model. */
export interface GgufFacts {
  /** Metadata below the architecture's name. Throws where it is missing and has no default. */
  number(key: string, missing?: number): number;
  /** The same, where each layer may have its own: the greatest. */
  greatest(key: string, missing?: number): number;
  /** The same, one number a layer. */
  perLayer(key: string): readonly number[];
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
  const value = (key: string): unknown => metadata.get(`${architecture}.${key}`);
  const wrong = (key: string, what: string) =>
    broken(path, `is broken: metadata ${architecture}.${key} is ${what}`);
  const checked = (key: string, found: unknown): number => {
    if (typeof found === 'number' && Number.isFinite(found)) return found;
    throw wrong(key, found === undefined ? 'missing' : 'not a number');
  };
  const number = (key: string, missing?: number) => checked(key, value(key) ?? missing);
  const layers = layersOf(number);
  if (!(Number.isInteger(layers) && layers > 0 && layers <= MOST_LAYERS)) {
    throw wrong('block_count', `${layers}, not 1 to ${MOST_LAYERS}`);
  }
  const perLayer = (key: string): number[] => {
    const found = value(key);
    if (!Array.isArray(found)) return new Array(layers).fill(checked(key, found));
    if (found.length < layers) throw wrong(key, `of ${found.length} numbers for ${layers} layers`);
    return found.slice(0, layers).map(item => checked(key, item));
  };
  const hidden = number('embedding_length');
  const heads = number('attention.head_count');
  return {
    number,
    perLayer,
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
