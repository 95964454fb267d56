/** How a matrix is written: plain numbers, MLX's affine quantization, or ggml blocks. */
export type Storage =
  | { readonly form: 'F32' | 'F16' | 'BF16' | 'Q4_0' | 'Q4_1' | 'Q8_0' }
  | { readonly form: 'affine'; readonly bits: 4 | 8; readonly group: 32 | 64 | 128 };

interface Part {
  readonly name: string;
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly data: Buffer;
}

interface Encoded {
  /** What the stored bytes mean, in the model's own row order. */
  readonly values: Float64Array;
  readonly parts: readonly Part[];
}

/** `heads` > 0: rows are stored in llama.cpp's order for rotary heads if the form is a ggml one. */
export function encodeTensor(
  name: string,
  values: Float64Array,
  shape: readonly number[],
  storage: Storage,
  heads: number,
): Encoded {
  switch (storage.form) {
    case 'affine':
      return encodeAffine(name, values, shape, storage.bits, storage.group);
    case 'F32':
    case 'F16':
    case 'BF16':
      return encodePlain(name, values, shape, storage.form);
    default: {
      const order = rowOrder(shape[0] ?? 0, heads);
      const { values: stored, data } = encodeBlocks(reorderRows(values, shape, order), storage.form);
      return {
        values: reorderRows(stored, shape, order, true),
        parts: [{ name, dtype: storage.form, shape, data }],
      };
    }
  }
}

function encodePlain(
  name: string,
  wanted: Float64Array,
  shape: readonly number[],
  dtype: 'F32' | 'F16' | 'BF16',
): Encoded {
  const bytes = dtype === 'F32' ? 4 : 2;
  const data = Buffer.alloc(wanted.length * bytes);
  const values = wanted.map((value, i) => {
    if (dtype === 'F32') return data.readFloatLE(data.writeFloatLE(value, i * 4) - 4);
    const bits = dtype === 'F16' ? halfBits(value) : bfloatBits(value);
    data.writeUInt16LE(bits, i * 2);
    return dtype === 'F16' ? halfValue(bits) : bfloatValue(bits);
  });
  return { values, parts: [{ name, dtype, shape, data }] };
}

function encodeAffine(
  name: string,
  wanted: Float64Array,
  shape: readonly number[],
  bits: number,
  group: number,
): Encoded {
  const [rows = 0, cols = 0] = shape;
  const levels = 2 ** bits - 1;
  const perWord = 32 / bits;
  const words = new Uint32Array(wanted.length / perWord);
  const scales = new Float32Array(wanted.length / group);
  const biases = new Float32Array(wanted.length / group);
  for (let g = 0; g < scales.length; g++) {
    const slice = wanted.subarray(g * group, (g + 1) * group);
    const low = Math.min(...slice);
    scales[g] = (Math.max(...slice) - low) / levels;
    biases[g] = low;
  }
  const values = wanted.map((value, i) => {
    const g = Math.floor(i / group);
    const scale = scales[g] as number;
    const bias = biases[g] as number;
    const q = Math.min(levels, Math.max(0, Math.round((value - bias) / scale)));
    const word = Math.floor(i / perWord);
    words[word] = ((words[word] as number) | (q << (bits * (i % perWord)))) >>> 0;
    return scale * q + bias;
  });
  const path = name.replace(/\.weight$/, '');
  const groups = [rows, cols / group];
  return {
    values,
    parts: [
      { name, dtype: 'U32', shape: [rows, cols / perWord], data: Buffer.from(words.buffer) },
      { name: `${path}.scales`, dtype: 'F32', shape: groups, data: Buffer.from(scales.buffer) },
      { name: `${path}.biases`, dtype: 'F32', shape: groups, data: Buffer.from(biases.buffer) },
    ],
  };
}

function encodeBlocks(wanted: Float64Array, form: 'Q4_0' | 'Q4_1' | 'Q8_0') {
  const size = { Q4_0: 18, Q4_1: 20, Q8_0: 34 }[form];
  const data = Buffer.alloc((wanted.length / 32) * size);
  const values = new Float64Array(wanted.length);
  for (let b = 0; b < wanted.length / 32; b++) {
    const block = data.subarray(b * size, (b + 1) * size);
    const source = wanted.subarray(b * 32, (b + 1) * 32);
    const largest = Math.max(...source.map(Math.abs));
    const low = Math.min(...source);
    const step = { Q4_0: largest / 7, Q4_1: (Math.max(...source) - low) / 15, Q8_0: largest / 127 }[form];
    block.writeUInt16LE(halfBits(step), 0);
    if (form === 'Q4_1') block.writeUInt16LE(halfBits(low), 2);
    const d = halfValue(block.readUInt16LE(0));
    const offset = form === 'Q4_1' ? halfValue(block.readUInt16LE(2)) : form === 'Q4_0' ? -8 * d : 0;
    source.forEach((value, i) => {
      const q = Math.round((value - offset) / d);
      const kept = form === 'Q8_0' ? Math.min(127, Math.max(-127, q)) : Math.min(15, Math.max(0, q));
      if (form === 'Q8_0') block.writeInt8(kept, 2 + i);
      else {
        const at = (form === 'Q4_1' ? 4 : 2) + (i % 16);
        block[at] = (block[at] as number) | (kept << (i < 16 ? 0 : 4));
      }
      values[b * 32 + i] = d * kept + offset;
    });
  }
  return { values, data };
}

/** llama.cpp puts row (half, i) of a head at (i, half). Entry r: the original row stored at r. */
function rowOrder(rows: number, heads: number): number[] {
  if (heads === 0) return Array.from({ length: rows }, (_, r) => r);
  const size = rows / heads;
  return Array.from({ length: rows }, (_, r) => {
    const inHead = r % size;
    return r - inHead + (inHead % 2) * (size / 2) + Math.floor(inHead / 2);
  });
}

/** Row `order[r]` of `values` at r; the other way round with `back`. */
function reorderRows(
  values: Float64Array,
  shape: readonly number[],
  order: readonly number[],
  back = false,
): Float64Array {
  const cols = shape[1] ?? 1;
  const result = new Float64Array(values.length);
  for (const [stored, own] of order.entries()) {
    const [from, to] = back ? [stored, own] : [own, stored];
    result.set(values.subarray(from * cols, (from + 1) * cols), to * cols);
  }
  return result;
}

function bfloatBits(value: number): number {
  return (new Uint32Array(new Float32Array([value]).buffer)[0] as number) >>> 16;
}

function bfloatValue(bits: number): number {
  return new Float32Array(new Uint32Array([bits << 16]).buffer)[0] as number;
}

/** Truncates; enough for values of ordinary size. */
function halfBits(value: number): number {
  const sign = value < 0 ? 0x8000 : 0;
  const size = Math.abs(value);
  if (size < 2 ** -14) return sign | Math.floor(size * 2 ** 24);
  const exponent = Math.floor(Math.log2(size));
  return sign | ((exponent + 15) << 10) | Math.floor((size / 2 ** exponent - 1) * 1024);
}

function halfValue(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const mantissa = bits & 1023;
  return exponent === 0 ? sign * mantissa * 2 ** -24 : sign * (1 + mantissa / 1024) * 2 ** (exponent - 15);
}
