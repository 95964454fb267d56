import { fileURLToPath } from 'node:url';

/** The committed tiny models. */
export const MODELS = fileURLToPath(new URL('../fixtures/models/', import.meta.url));

/** A safetensors file: length, header, then `dataBytes` zeros. */
export function safetensors(header: object | string | Uint8Array, dataBytes = 0): Buffer {
  const text = header instanceof Uint8Array || typeof header === 'string' ? header : JSON.stringify(header);
  const bytes = Buffer.from(text as Uint8Array);
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(bytes.length));
  return Buffer.concat([length, bytes, Buffer.alloc(dataBytes)]);
}

/** A safetensors file of F32 tensors. */
export function safetensorsOf(
  shapes: Readonly<Record<string, readonly number[]>>,
  weightOf: (tensor: string) => number,
): Buffer {
  const header: Record<string, object> = {};
  const pieces: Uint8Array[] = [];
  let begin = 0;
  for (const [name, shape] of Object.entries(shapes)) {
    const count = shape.reduce((a, b) => a * b, 1);
    header[name] = { dtype: 'F32', shape, data_offsets: [begin, begin + 4 * count] };
    pieces.push(new Uint8Array(Float32Array.from({ length: count }, () => weightOf(name)).buffer));
    begin += 4 * count;
  }
  return Buffer.concat([safetensors(header), ...pieces]);
}

/** The description of an F32 vector in a safetensors header. */
export function vector(begin: number, elements: number) {
  return { dtype: 'F32', shape: [elements], data_offsets: [begin, begin + 4 * elements] };
}

export type GgufValue = string | number | boolean | readonly (string | number | boolean)[];

export interface GgufTensor {
  readonly name: string;
  /** Innermost dimension first, as in the file. */
  readonly dimensions: readonly (number | bigint)[];
  readonly type?: number;
  readonly offset?: number;
}

export interface GgufParts {
  readonly version?: number;
  readonly metadata?: readonly (readonly [string, GgufValue])[];
  readonly tensors?: readonly GgufTensor[];
  readonly tensorCount?: bigint;
  readonly pairCount?: bigint;
  readonly dataBytes?: number;
}

/** A GGUF file; numbers are stored as u32 where they are whole, else as f32. */
export function gguf(parts: GgufParts): Buffer {
  const { version = 3, metadata = [], tensors = [], dataBytes = 0 } = parts;
  const pieces = [
    Buffer.from('GGUF'),
    u32(version),
    u64(parts.tensorCount ?? BigInt(tensors.length)),
    u64(parts.pairCount ?? BigInt(metadata.length)),
    ...metadata.flatMap(([key, value]) => [text(key), ...typed(value)]),
    ...tensors.flatMap(t => [
      text(t.name),
      u32(t.dimensions.length),
      ...t.dimensions.map(d => u64(BigInt(d))),
      u32(t.type ?? 0),
      u64(BigInt(t.offset ?? 0)),
    ]),
  ];
  const header = Buffer.concat(pieces);
  const padding = (32 - (header.length % 32)) % 32;
  return Buffer.concat([header, Buffer.alloc(padding + dataBytes)]);
}

function typed(value: GgufValue): Buffer[] {
  if (typeof value === 'string') return [u32(8), text(value)];
  if (typeof value === 'boolean') return [u32(7), Buffer.from([Number(value)])];
  if (typeof value === 'number') return Number.isInteger(value) ? [u32(4), u32(value)] : [u32(6), f32(value)];
  const item = (one: string | number | boolean): Buffer => {
    if (typeof one === 'string') return text(one);
    return typeof one === 'boolean' ? Buffer.from([Number(one)]) : u32(one);
  };
  const types = { string: 8, boolean: 7, number: 4 } as const;
  const type = types[typeof (value[0] ?? 0) as keyof typeof types];
  return [u32(9), u32(type), u64(BigInt(value.length)), ...value.map(item)];
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([u64(BigInt(bytes.length)), bytes]);
}

export function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

export function u64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
}

function f32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return bytes;
}
