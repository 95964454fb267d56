/**
 * A LoRA in F16 from one in 8 bits: each number of a tensor `X` in I8 is multiplied by its scale in `X.scales`, which
 * holds one for each row of A or for each column of B.
 * @param {Buffer} bytes a safetensors file
 */
export function expandAdapter(bytes) {
  const { __metadata__, ...tensors } = JSON.parse(bytes.toString('utf8', 8, dataStart(bytes)));
  const header = { __metadata__ };
  const parts = [];
  let end = 0;
  for (const [name, { dtype, shape, data_offsets }] of Object.entries(tensors)) {
    if (dtype !== 'I8') continue;
    const scales = tensors[`${name}.scales`];
    const part = expanded(
      new Int8Array(dataOf(bytes, data_offsets)),
      new Uint16Array(dataOf(bytes, scales.data_offsets)),
      scales.shape[0] === 1 ? 1 : shape[1],
    );
    header[name] = { dtype: 'F16', shape, data_offsets: [end, end + part.byteLength] };
    end += part.byteLength;
    parts.push(new Uint8Array(part.buffer));
  }
  return Buffer.concat([headerBytes(header), ...parts]);
}

const dataStart = bytes => 8 + Number(bytes.readBigUInt64LE());

/** Copied, since a tensor may begin at an odd place. */
function dataOf(bytes, [from, to]) {
  const start = bytes.byteOffset + dataStart(bytes);
  return bytes.buffer.slice(start + from, start + to);
}

function headerBytes(header) {
  const text = JSON.stringify(header);
  const padded = Buffer.from(text.padEnd(Math.ceil(text.length / 8) * 8));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(padded.length));
  return Buffer.concat([length, padded]);
}

/** @param {number} run numbers in a row that share a scale */
function expanded(numbers, scaleBits, run) {
  const scales = Float32Array.from(scaleBits, fromHalf);
  const products = new Float32Array(numbers.length);
  for (let i = 0; i < numbers.length; i++)
    products[i] = numbers[i] * scales[Math.floor(i / run) % scales.length];
  const bits = new Uint32Array(products.buffer);
  const halves = new Uint16Array(numbers.length);
  for (let i = 0; i < halves.length; i++) halves[i] = toHalf(products[i], bits[i]);
  return halves;
}

function fromHalf(half) {
  const exponent = (half >> 10) & 31;
  const fraction = half & 1023;
  const size = exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25);
  return half >> 15 ? -size : size;
}

/** Rounds to the nearest, ties to even. Smaller than normal, it needs no rounding: a scale is a multiple of 2^-24. */
function toHalf(value, bits) {
  const sign = (bits >>> 16) & 0x8000;
  const size = bits & 0x7fffffff;
  const isNormal = size >= 0x38800000;
  if (isNormal) return sign | ((size - 0x38000000 + 0xfff + ((size >>> 13) & 1)) >>> 13);
  return sign | (Math.abs(value) * 2 ** 24);
}
