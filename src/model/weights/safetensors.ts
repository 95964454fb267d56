import { messageOf } from '../../errors.ts';
import type { StoredDtype } from '../../native/load-types.ts';
import { isObject, type JsonObject } from '../../text/files/json-file.ts';
import { broken, truncated, unsupported } from '../../text/files/model-fault.ts';
import { jsonc } from '../../text/json/jsonc.ts';
import { type ModelFile, withModelFile } from './model-file.ts';
import { checkName, checkRanges, elementCount, type FileTensor } from './tensor-ranges.ts';

export interface SafetensorsHeader {
  readonly tensors: readonly FileTensor[];
  readonly metadata: Readonly<Record<string, string>>;
}

/** The format's own limit, in bytes. */
const MAX_HEADER = 100_000_000;
/** The format has three levels. */
const MAX_DEPTH = 100;

const DTYPE_BYTES: Partial<Record<string, number>> = { F32: 4, F16: 2, BF16: 2, U32: 4, U8: 1, I32: 4 };

/** Indices that older encoders store and every implementation computes. */
const INDICES = /(^|\.)position_ids$/;

/** Types the format has but the engine cannot use. */
const OTHER_DTYPES = /^(BOOL|I8|I16|I64|U16|U64|F64|C64|F8_\w+|F4\w*|F6_\w+)$/;

/**
 * Reads and checks the header of a safetensors file; reads no tensor. Offsets are from the start of the file.
 * Throws MODEL_BROKEN or MODEL_UNSUPPORTED naming the file and the tensor.
 */
export function readSafetensorsHeader(path: string): SafetensorsHeader {
  return withModelFile(path, file => {
    const { text, dataStart } = headerText(file);
    const header = parseHeader(path, text);
    const tensors: FileTensor[] = [];
    for (const [name, value] of Object.entries(header)) {
      if (name !== '__metadata__') tensors.push(tensorOf(path, name, value, dataStart));
    }
    checkRanges(path, file.size, tensors);
    return { tensors, metadata: metadataOf(path, header) };
  });
}

function headerText(file: ModelFile): { text: string; dataStart: number } {
  const { path, size } = file;
  if (size < 8) throw truncated(path, 8, size);
  const length = file.read(0, 8).readBigUInt64LE();
  if (length > MAX_HEADER) {
    throw broken(
      path,
      `is not a safetensors file: its header would have ${length} bytes, at most ${MAX_HEADER}`,
    );
  }
  const dataStart = 8 + Number(length);
  if (dataStart > size) throw truncated(path, dataStart, size);
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(file.read(8, Number(length)));
    return { text, dataStart };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw broken(path, 'has a broken header: not valid UTF-8', { cause: error });
  }
}

function parseHeader(path: string, text: string): JsonObject {
  let header: unknown;
  try {
    header = JSON.parse(text);
  } catch (error) {
    throw broken(path, `has a broken header: ${messageOf(error)}`, { cause: error });
  }
  if (!isObject(header)) throw broken(path, 'has a broken header: not a JSON object');
  checkForm(path, text);
  return header;
}

/** JSON.parse silently keeps the last of two equal keys, and reads what is nested too deeply for all that comes after. */
function checkForm(path: string, text: string): void {
  const names = new Set<string>();
  let depth = 0;
  const enter = () => {
    depth++;
    if (depth > MAX_DEPTH)
      throw broken(path, `has a broken header: nested more than ${MAX_DEPTH} levels deep`);
  };
  const leave = () => {
    depth--;
  };
  jsonc().visit(text, {
    onObjectBegin: enter,
    onObjectEnd: leave,
    onArrayBegin: enter,
    onArrayEnd: leave,
    onObjectProperty: name => {
      if (depth !== 1) return;
      if (names.has(name)) throw broken(path, `is broken: tensor ${name} occurs twice`);
      names.add(name);
    },
  });
}

function tensorOf(path: string, name: string, value: unknown, dataStart: number): FileTensor {
  checkName(path, name);
  if (!isObject(value)) throw broken(path, `is broken: tensor ${name} has no description`);
  const { dtype, shape, data_offsets: range } = value;
  const elementBytes = dtype === 'I64' && INDICES.test(name) ? 8 : dtypeBytes(path, name, dtype);
  const count = Array.isArray(shape) ? elementCount(shape) : undefined;
  if (count === undefined) {
    throw broken(path, `is broken: tensor ${name} has shape ${JSON.stringify(shape)}`);
  }
  const [begin, end] = Array.isArray(range) && range.length === 2 ? range : [];
  if (!isOffset(begin) || !isOffset(end) || end < begin) {
    throw broken(path, `is broken: tensor ${name} has data_offsets ${JSON.stringify(range)}`);
  }
  const bytes = end - begin;
  if (bytes !== count * elementBytes) {
    const needed = `${dtype} ${JSON.stringify(shape)} needs ${count * elementBytes}`;
    throw broken(path, `is broken: tensor ${name} has ${bytes} bytes, ${needed}`);
  }
  const offset = dataStart + begin;
  return { name, dtype: dtype as StoredDtype, shape: shape as number[], offset, bytes };
}

function dtypeBytes(path: string, name: string, dtype: unknown): number {
  const bytes =
    typeof dtype === 'string' && Object.hasOwn(DTYPE_BYTES, dtype) ? DTYPE_BYTES[dtype] : undefined;
  if (bytes !== undefined) return bytes;
  if (typeof dtype === 'string' && OTHER_DTYPES.test(dtype)) {
    const known = Object.keys(DTYPE_BYTES).join(', ');
    throw unsupported(
      path,
      `has tensor ${name} of type ${dtype}, which is not supported; supported: ${known}`,
    );
  }
  throw broken(path, `is broken: tensor ${name} has type ${JSON.stringify(dtype)}`);
}

function isOffset(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) < 2 ** 52;
}

function metadataOf(path: string, header: JsonObject): Record<string, string> {
  // MLX writes null for no metadata.
  const metadata = (Object.hasOwn(header, '__metadata__') ? header.__metadata__ : null) ?? {};
  if (isObject(metadata) && Object.values(metadata).every(v => typeof v === 'string')) {
    return metadata as Record<string, string>;
  }
  throw broken(path, 'has a broken header: __metadata__ must map names to strings');
}
