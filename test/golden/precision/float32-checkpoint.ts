import { readFileSync, writeFileSync } from 'node:fs';

interface Entry {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly data_offsets: readonly [number, number];
}

/** Writes a safetensors file again with its bfloat16 tensors as float32, the same values. */
export function widen(path: string): void {
  const bytes = readFileSync(path);
  const start = 8 + Number(bytes.readBigUInt64LE());
  const header: Record<string, Entry> = JSON.parse(bytes.toString('utf8', 8, start));
  const parts: Buffer[] = [];
  const widened: Record<string, Entry> = {};
  let end = 0;
  for (const [name, entry] of Object.entries(header)) {
    if (name === '__metadata__') continue;
    const data = bytes.subarray(start + entry.data_offsets[0], start + entry.data_offsets[1]);
    const wide = entry.dtype === 'BF16' ? widenedValues(data) : data;
    parts.push(wide);
    const dtype = entry.dtype === 'BF16' ? 'F32' : entry.dtype;
    widened[name] = { dtype, shape: entry.shape, data_offsets: [end, end + wide.length] };
    end += wide.length;
  }
  const text = Buffer.from(JSON.stringify(widened));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  writeFileSync(path, Buffer.concat([length, text, ...parts]));
}

/** bfloat16 is the upper half of float32. */
function widenedValues(data: Buffer): Buffer {
  const wide = Buffer.alloc(2 * data.length);
  for (let at = 0; at < data.length; at += 2) data.copy(wide, 2 * at + 2, at, at + 2);
  return wide;
}
