import { closeSync, openSync, readSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { ggufWeights } from '../../../src/model/weights-manifest.ts';
import type { TensorEntry } from '../../../src/native/load-types.ts';
import { isObject } from '../../../src/text/files/json-file.ts';

/** Writes a llama model in GGUF with blocks of Q4_1 and Q8_0 as a folder in bfloat16, as scripts/goldens does. */
export function writeBf16Folder(gguf: string, folder: string): void {
  const { model, weights } = ggufWeights(gguf);
  const { config } = model;
  if (!isObject(config)) throw new Error('no configuration');
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config));
  const header: Record<string, object> = {};
  let end = 0;
  for (const { name, shape } of weights.tensors) {
    const bytes = 2 * product(shape);
    header[name] = { dtype: 'BF16', shape, data_offsets: [end, end + bytes] };
    end += bytes;
  }
  const text = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  const [from, to] = [openSync(gguf, 'r'), openSync(join(folder, 'model.safetensors'), 'w')];
  try {
    for (const part of [length, text]) writeSync(to, part);
    for (const tensor of weights.tensors) writeSync(to, bf16Rows(readTensor(from, tensor), tensor, config));
  } finally {
    closeSync(from);
    closeSync(to);
  }
}

const product = (shape: readonly number[]): number => shape.reduce((a, b) => a * b, 1);

function readTensor(file: number, tensor: TensorEntry): Float32Array {
  const data = Buffer.alloc(tensor.bytes);
  readSync(file, data, 0, data.length, tensor.offset);
  if (tensor.dtype === 'F32') return new Float32Array(data.buffer, data.byteOffset, data.length / 4);
  if (tensor.dtype === 'Q4_1') return fromQ41(data);
  if (tensor.dtype === 'Q8_0') return fromQ80(data);
  throw new Error(`${tensor.name} is ${tensor.dtype}`);
}

/** Blocks of 20 bytes: scale, least value, 32 nibbles, the low ones first. */
function fromQ41(data: Buffer): Float32Array {
  const values = new Float32Array((data.length / 20) * 32);
  for (let block = 0; block * 20 < data.length; block++) {
    const at = block * 20;
    const scale = float16(data.readUInt16LE(at));
    const least = float16(data.readUInt16LE(at + 2));
    for (let i = 0; i < 16; i++) {
      const byte = data[at + 4 + i] as number;
      values[block * 32 + i] = Math.fround(scale * (byte & 15)) + least;
      values[block * 32 + 16 + i] = Math.fround(scale * (byte >> 4)) + least;
    }
  }
  return values;
}

/** Blocks of 34 bytes: scale, 32 signed bytes. */
function fromQ80(data: Buffer): Float32Array {
  const values = new Float32Array((data.length / 34) * 32);
  for (let block = 0; block * 34 < data.length; block++) {
    const scale = float16(data.readUInt16LE(block * 34));
    for (let i = 0; i < 32; i++) values[block * 32 + i] = scale * data.readInt8(block * 34 + 2 + i);
  }
  return values;
}

function float16(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1 + fraction / 1024) * 2 ** (exponent - 15));
}

/** Rounded to even; rows of queries and keys from llama.cpp's order (i, half) of each head back to (half, i). */
function bf16Rows(
  values: Float32Array,
  { name, shape }: TensorEntry,
  config: Record<string, unknown>,
): Buffer {
  const heads = name.endsWith('q_proj.weight')
    ? Number(config.num_attention_heads)
    : name.endsWith('k_proj.weight')
      ? Number(config.num_key_value_heads)
      : 0;
  const [rows = 1, columns = 1] = shape;
  const size = heads > 0 ? rows / heads : 0;
  const bits = new Uint32Array(values.buffer, values.byteOffset, values.length);
  const out = new Uint16Array(values.length);
  for (let row = 0; row < values.length / columns; row++) {
    const inHead = size > 0 ? row % size : 0;
    const from = size > 0 ? row - inHead + 2 * (inHead % (size / 2)) + Math.floor((2 * inHead) / size) : row;
    for (let i = 0; i < columns; i++) {
      const word = bits[from * columns + i] as number;
      out[row * columns + i] = (word + 0x7fff + ((word >>> 16) & 1)) >>> 16;
    }
  }
  return Buffer.from(out.buffer);
}
