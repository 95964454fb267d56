import type { StoredDtype } from '../../native/load-types.ts';
import { broken, unsupported } from '../../text/files/model-fault.ts';
import { type ModelFile, withModelFile } from '../weights/model-file.ts';
import { checkName, checkRanges, elementCount, type FileTensor } from '../weights/tensor-ranges.ts';
import { GgufCursor } from './cursor.ts';

/** Strings, numbers (bigint beyond 2^53), booleans, and arrays of these; of strings: a TextList. */
export type GgufMetadata = ReadonlyMap<string, unknown>;

export interface GgufHeader {
  readonly metadata: GgufMetadata;
  /** llama.cpp's names; shapes outermost dimension first. */
  readonly tensors: readonly FileTensor[];
}

interface Block {
  readonly name: StoredDtype;
  /** Elements in one block, and its bytes. */
  readonly elements: number;
  readonly bytes: number;
}

const SUPPORTED: ReadonlyMap<number, Block> = new Map([
  [0, { name: 'F32', elements: 1, bytes: 4 }],
  [1, { name: 'F16', elements: 1, bytes: 2 }],
  [2, { name: 'Q4_0', elements: 32, bytes: 18 }],
  [3, { name: 'Q4_1', elements: 32, bytes: 20 }],
  [6, { name: 'Q5_0', elements: 32, bytes: 22 }],
  [7, { name: 'Q5_1', elements: 32, bytes: 24 }],
  [8, { name: 'Q8_0', elements: 32, bytes: 34 }],
  [10, { name: 'Q2_K', elements: 256, bytes: 84 }],
  [11, { name: 'Q3_K', elements: 256, bytes: 110 }],
  [12, { name: 'Q4_K', elements: 256, bytes: 144 }],
  [13, { name: 'Q5_K', elements: 256, bytes: 176 }],
  [14, { name: 'Q6_K', elements: 256, bytes: 210 }],
  [20, { name: 'IQ4_NL', elements: 32, bytes: 18 }],
  [23, { name: 'IQ4_XS', elements: 256, bytes: 136 }],
  [30, { name: 'BF16', elements: 1, bytes: 2 }],
  [34, { name: 'TQ1_0', elements: 256, bytes: 54 }],
  [35, { name: 'TQ2_0', elements: 256, bytes: 66 }],
  [39, { name: 'MXFP4', elements: 32, bytes: 17 }],
]);

/** ggml's unsupported types by number, for the error message; those that it has given up, too. */
const OTHER_TYPES: Readonly<Record<number, string>> = {
  9: 'Q8_1',
  15: 'Q8_K',
  16: 'IQ2_XXS',
  17: 'IQ2_XS',
  18: 'IQ3_XXS',
  19: 'IQ1_S',
  21: 'IQ3_S',
  22: 'IQ2_S',
  24: 'I8',
  25: 'I16',
  26: 'I32',
  27: 'I64',
  28: 'F64',
  29: 'IQ1_M',
  31: 'Q4_0_4_4',
  32: 'Q4_0_4_8',
  33: 'Q4_0_8_8',
  36: 'IQ4_NL_4_4',
  37: 'IQ4_NL_4_8',
  38: 'IQ4_NL_8_8',
  40: 'NVFP4',
  41: 'Q1_0',
  42: 'Q2_0',
};

const NEWEST_TYPE = 42;
/** ggml counts its types up, and forks leave a gap; a greater number comes from a broken file. */
const GREATEST_TYPE = 255;

/** Tensors, or metadata: far more than any model has. */
const MAX_NAMES = 1 << 20;
const MAX_DIMENSIONS = 4;
const MAX_ARRAY_DEPTH = 4;

/** The minimum bytes of a value of each type. */
const VALUE_BYTES = [1, 1, 2, 2, 4, 4, 4, 1, 8, 12, 8, 8, 8];
const STRING_TYPE = 8;
const ARRAY_TYPE = 9;

/**
 * Reads and checks the header of a GGUF file (version 2 or 3, little-endian); reads no tensor.
 * Throws MODEL_BROKEN or MODEL_UNSUPPORTED naming the file and the tensor.
 */
export function readGgufHeader(path: string): GgufHeader {
  return withModelFile(path, file => {
    const cursor = new GgufCursor(file);
    checkVersion(path, cursor);
    const tensorCount = cursor.count('tensors', 24);
    const pairCount = cursor.count('metadata entries', 13);
    if (Math.max(tensorCount, pairCount) > MAX_NAMES)
      throw broken(path, `is broken: ${tensorCount} tensors and ${pairCount} metadata entries`);
    const metadata = readMetadata(path, cursor, pairCount);
    const tensors = readTensors(file, cursor, tensorCount, alignmentOf(path, metadata));
    return { metadata, tensors };
  });
}

function checkVersion(path: string, cursor: GgufCursor): void {
  const magic = String.fromCharCode(cursor.u8(), cursor.u8(), cursor.u8(), cursor.u8());
  if (magic !== 'GGUF') throw broken(path, 'is not a GGUF file: it does not start with GGUF');
  const version = cursor.u32();
  if (version === 2 || version === 3) return;
  if ((version & 0xffff) === 0)
    throw unsupported(path, 'is a big-endian GGUF file; only little-endian is supported');
  throw unsupported(path, `has GGUF version ${version}; supported: 2, 3`);
}

function readMetadata(path: string, cursor: GgufCursor, count: number): Map<string, unknown> {
  const metadata = new Map<string, unknown>();
  for (let i = 0; i < count; i++) {
    const key = cursor.string();
    if (metadata.has(key)) throw broken(path, `is broken: metadata ${key} occurs twice`);
    metadata.set(key, readValue(path, cursor, key, cursor.u32(), 0));
  }
  return metadata;
}

function readValue(path: string, cursor: GgufCursor, key: string, type: number, depth: number): unknown {
  if (type === STRING_TYPE) return cursor.string();
  if (type === ARRAY_TYPE) return readArray(path, cursor, key, depth);
  return scalarReader(path, key, type)(cursor);
}

function readArray(path: string, cursor: GgufCursor, key: string, depth: number): unknown {
  if (depth === MAX_ARRAY_DEPTH) throw broken(path, `is broken: metadata ${key} is nested too deep`);
  const type = cursor.u32();
  const count = cursor.listLength(`entries of ${key}`, VALUE_BYTES[type] ?? 1);
  if (type === STRING_TYPE) return cursor.strings(count);
  const values: unknown[] = [];
  if (type === ARRAY_TYPE) {
    for (let i = 0; i < count; i++) values.push(readArray(path, cursor, key, depth + 1));
  } else {
    const read = scalarReader(path, key, type);
    for (let i = 0; i < count; i++) values.push(read(cursor));
  }
  return values;
}

/** Reads one value of each scalar type, by the type's number. */
const SCALARS: Readonly<Record<number, (cursor: GgufCursor) => unknown>> = {
  0: c => c.u8(),
  1: c => c.i8(),
  2: c => c.u16(),
  3: c => c.i16(),
  4: c => c.u32(),
  5: c => c.i32(),
  6: c => c.f32(),
  7: c => c.u8() !== 0,
  10: c => c.u64(),
  11: c => c.i64(),
  12: c => c.f64(),
};

function scalarReader(path: string, key: string, type: number): (cursor: GgufCursor) => unknown {
  const read = SCALARS[type];
  if (!read) throw broken(path, `is broken: metadata ${key} has type ${type}`);
  return read;
}

function alignmentOf(path: string, metadata: GgufMetadata): number {
  const alignment = metadata.get('general.alignment') ?? 32;
  if (typeof alignment === 'number' && Number.isInteger(Math.log2(alignment)) && alignment <= 1 << 20) {
    return alignment;
  }
  throw broken(path, `is broken: general.alignment is ${alignment}`);
}

function readTensors(file: ModelFile, cursor: GgufCursor, count: number, alignment: number): FileTensor[] {
  const tensors: FileTensor[] = [];
  const names = new Set<string>();
  for (let i = 0; i < count; i++) {
    const tensor = readTensor(file.path, cursor, alignment);
    if (names.has(tensor.name)) throw broken(file.path, `is broken: tensor ${tensor.name} occurs twice`);
    names.add(tensor.name);
    tensors.push(tensor);
  }
  // Offsets count from the end of the header, which is known only now.
  const dataStart = Math.ceil(cursor.position / alignment) * alignment;
  const placed = tensors.map(t => ({ ...t, offset: dataStart + t.offset }));
  checkRanges(file.path, file.size, placed);
  return placed;
}

function readTensor(path: string, cursor: GgufCursor, alignment: number): FileTensor {
  const name = cursor.string();
  checkName(path, name);
  const dimensions = cursor.u32();
  if (dimensions > MAX_DIMENSIONS)
    throw broken(path, `is broken: tensor ${name} has ${dimensions} dimensions`);
  const shape: unknown[] = [];
  for (let i = 0; i < dimensions; i++) shape.unshift(cursor.u64());
  const block = blockOf(path, name, cursor.u32());
  const offset = cursor.u64();
  const count = elementCount(shape);
  if (count === undefined) throw broken(path, `is broken: tensor ${name} has shape [${shape.join(', ')}]`);
  if (((shape.at(-1) as number | undefined) ?? 1) % block.elements !== 0) {
    const rows = `rows of ${shape.at(-1)}, not a multiple of ${block.elements}`;
    throw broken(path, `is broken: tensor ${name} of type ${block.name} has ${rows}`);
  }
  if (typeof offset !== 'number' || offset > 2 ** 52 || offset % alignment !== 0) {
    throw broken(path, `is broken: tensor ${name} starts at ${offset}, not a multiple of ${alignment}`);
  }
  const bytes = (count / block.elements) * block.bytes;
  return { name, dtype: block.name, shape: shape as number[], offset, bytes };
}

function blockOf(path: string, tensor: string, type: number): Block {
  const block = SUPPORTED.get(type);
  if (block) return block;
  const newer = type > NEWEST_TYPE && type <= GREATEST_TYPE;
  const name = newer ? `${type} (newer than this program)` : OTHER_TYPES[type];
  if (name === undefined) throw broken(path, `is broken: tensor ${tensor} has type ${type}`);
  const supported = [...SUPPORTED.values()].map(b => b.name).join(', ');
  throw unsupported(
    path,
    `has tensor ${tensor} of type ${name}, which is not supported; supported: ${supported}`,
  );
}
