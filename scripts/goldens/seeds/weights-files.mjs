// Weights files as they are: each tensor's bytes in the order of the file, its values, and what the file has beside them.
import { readFileSync } from 'node:fs';
import { readGgufHeader } from '../../../src/model/gguf/gguf.ts';

/** @returns {{ file: Buffer, frame: object, tensors: object[] }} frame: the part of a description that is no tensor */
export function readWeights(path) {
  const file = readFileSync(path);
  const { frame, tensors } = path.endsWith('.gguf') ? gguf(file, path) : safetensors(file);
  const ordered = tensors
    .toSorted((a, b) => a.begin - b.begin)
    .map(({ begin, size, ...tensor }) => {
      const bytes = file.subarray(begin, begin + size);
      return { ...tensor, bytes, values: decoded(bytes, tensor.dtype) };
    });
  return { file, frame, tensors: ordered };
}

function safetensors(file) {
  const start = 8 + Number(file.readBigUInt64LE(0));
  const text = file.toString('utf8', 8, start);
  const { __metadata__: metadata, ...entries } = JSON.parse(text);
  const tensors = Object.entries(entries).map(
    ([
      name,
      {
        dtype,
        shape,
        data_offsets: [begin, end],
      },
    ]) => {
      return { name, dtype, shape, begin: start + begin, size: end - begin };
    },
  );
  return { frame: { mlx: text.includes('],"dtype"'), metadata }, tensors };
}

function gguf(file, path) {
  const tensors = readGgufHeader(path).tensors.map(({ name, dtype, shape, offset, bytes }) => {
    return { name, dtype, shape, begin: offset, size: bytes };
  });
  const header = file.subarray(0, Math.min(...tensors.map(tensor => tensor.begin)));
  return { frame: { header: header.toString('base64') }, tensors };
}

/** Undefined for what is no float. */
function decoded(bytes, dtype) {
  const { buffer } = Uint8Array.from(bytes);
  if (dtype === 'F32') return Float64Array.from(new Float32Array(buffer));
  if (dtype === 'F16') return Float64Array.from(new Uint16Array(buffer), float16);
  if (dtype !== 'BF16') return undefined;
  const wide = Uint32Array.from(new Uint16Array(buffer), bits => bits << 16);
  return Float64Array.from(new Float32Array(wide.buffer));
}

function float16(bits) {
  const [sign, exponent, fraction] = [bits >> 15 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
  return sign * (exponent ? (1 + fraction / 1024) * 2 ** (exponent - 15) : fraction * 2 ** -24);
}
