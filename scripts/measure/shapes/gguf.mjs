// Writes GGUF files with random weights; the tokenizer is copied from another GGUF file.
import { closeSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { BLOCKS, randomBlocks } from './blocks.mjs';

const ALIGNMENT = 32;
const CHUNK_BLOCKS = 1 << 16;
const U32 = 4;
const F32 = 6;
const STRING = 8;
const ARRAY = 9;
const SCALAR_BYTES = [1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8];

function text(value) {
  const bytes = Buffer.from(value);
  return Buffer.concat([u64(bytes.length), bytes]);
}
function u32(value) {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
function u64(value) {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}
function f32(value) {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return bytes;
}

/** A metadata entry: strings, whole numbers or arrays of them, or fractions as `{ float }`. */
function entry(key, value) {
  if (typeof value === 'string') return Buffer.concat([text(key), u32(STRING), text(value)]);
  if (Array.isArray(value)) {
    return Buffer.concat([text(key), u32(ARRAY), u32(U32), u64(value.length), ...value.map(u32)]);
  }
  if (typeof value === 'number') return Buffer.concat([text(key), u32(U32), u32(value)]);
  return Buffer.concat([text(key), u32(F32), f32(value.float)]);
}

/** The bytes of a GGUF file's metadata entries below tokenizer.ggml. */
function tokenizerOf(path) {
  const file = readFileSync(path);
  let at = 24;
  const number = () => {
    at += 8;
    return Number(file.readBigUInt64LE(at - 8));
  };
  const skip = type => {
    if (type === STRING) {
      const length = number();
      at += length;
    } else if (type === ARRAY) {
      const inner = file.readUInt32LE(at);
      at += 4;
      for (let left = number(); left > 0; left--) skip(inner);
    } else {
      at += SCALAR_BYTES[type];
    }
  };
  const entries = [];
  for (let left = Number(file.readBigUInt64LE(16)); left > 0; left--) {
    const start = at;
    const length = number();
    const key = file.toString('utf8', at, at + length);
    at += length + 4;
    skip(file.readUInt32LE(at - 4));
    if (key.startsWith('tokenizer.ggml.')) entries.push(file.subarray(start, at));
  }
  return entries;
}

function padding(size) {
  return (ALIGNMENT - (size % ALIGNMENT)) % ALIGNMENT;
}

/**
 * Writes a file. `metadata`: keys and values; `tensors`: `{ name, shape, type }`, shapes outermost dimension first;
 * `tokenizer`: a GGUF file.
 */
export function writeGguf(path, { metadata, tensors, tokenizer }) {
  const entries = [
    ...Object.entries(metadata).map(([key, value]) => entry(key, value)),
    ...tokenizerOf(tokenizer),
  ];
  const placed = [];
  let offset = 0;
  for (const { name, shape, type } of tensors) {
    const blocks = shape.reduce((product, size) => product * size, 1) / BLOCKS[type].weights;
    placed.push({ name, shape, type, blocks, offset });
    offset += blocks * BLOCKS[type].bytes;
    offset += padding(offset);
  }
  const header = Buffer.concat([
    Buffer.from('GGUF'),
    u32(3),
    u64(tensors.length),
    u64(entries.length),
    ...entries,
    ...placed.map(({ name, shape, type, offset }) =>
      Buffer.concat([
        text(name),
        u32(shape.length),
        ...shape.toReversed().map(u64),
        u32(BLOCKS[type].type),
        u64(offset),
      ]),
    ),
  ]);
  const file = openSync(`${path}.part`, 'w');
  let size = 0;
  const write = bytes => {
    for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
    size += bytes.length;
  };
  write(header);
  write(Buffer.alloc(padding(size)));
  placed.forEach(({ type, blocks }, index) => {
    for (let done = 0; done < blocks; done += CHUNK_BLOCKS) {
      write(randomBlocks(type, Math.min(CHUNK_BLOCKS, blocks - done), index + done));
    }
    write(Buffer.alloc(padding(size)));
  });
  closeSync(file);
  renameSync(`${path}.part`, path);
}
