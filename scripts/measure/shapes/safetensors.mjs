// Writes safetensors files a chunk at a time.
import { closeSync, openSync, renameSync, writeSync } from 'node:fs';

const CHUNK_BYTES = 8 << 20;
const ITEM_BYTES = { U8: 1, BF16: 2, U32: 4 };

/**
 * `tensors`: `{ name, dtype, shape, fill }`; `fill(bytes, seed)` sets the next bytes of the tensor, a whole number of
 * items. The file gets its name last: one that is there is complete.
 */
export function writeSafetensors(path, tensors) {
  const header = { __metadata__: { format: 'mlx' } };
  let offset = 0;
  const sizes = tensors.map(({ name, dtype, shape }) => {
    const bytes = shape.reduce((product, size) => product * size, ITEM_BYTES[dtype]);
    header[name] = { dtype, shape, data_offsets: [offset, offset + bytes] };
    offset += bytes;
    return bytes;
  });
  // Readers may want the data aligned.
  const text = Buffer.from(JSON.stringify(header));
  const padded = Buffer.concat([text, Buffer.alloc((8 - (text.length % 8)) % 8, ' ')]);
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(padded.length));
  const file = openSync(`${path}.part`, 'w');
  writeFully(file, Buffer.concat([length, padded]));
  const chunk = Buffer.alloc(CHUNK_BYTES);
  tensors.forEach(({ fill }, index) => {
    for (let done = 0; done < sizes[index]; done += CHUNK_BYTES) {
      const bytes = chunk.subarray(0, Math.min(CHUNK_BYTES, sizes[index] - done));
      fill(bytes, index + done);
      writeFully(file, bytes);
    }
  });
  closeSync(file);
  renameSync(`${path}.part`, path);
}

function writeFully(file, bytes) {
  for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
}
