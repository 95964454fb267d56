import type { TensorEntry } from '../native/addon-types.ts';
import { broken, truncated } from './model-file.ts';

/** A tensor of one file. */
export type FileTensor = Omit<TensorEntry, 'file'>;

// MLX counts each dimension in 32 bits.
const MAX_DIMENSION = 2 ** 31 - 1;

/** Number of elements; undefined if a dimension is no count or the product is not exact. */
export function elementCount(shape: readonly unknown[]): number | undefined {
  let count = 1;
  for (const size of shape) {
    if (typeof size !== 'number' || !Number.isInteger(size) || size < 0 || size > MAX_DIMENSION)
      return undefined;
    count *= size;
    if (!Number.isSafeInteger(count)) return undefined;
  }
  return count;
}

/** Refuses ranges that leave the file or share bytes. */
export function checkRanges(path: string, fileSize: number, tensors: readonly FileTensor[]): void {
  const sorted = tensors.filter(t => t.bytes > 0).sort((a, b) => a.offset - b.offset);
  let last: FileTensor | undefined;
  for (const tensor of sorted) {
    if (last && tensor.offset < last.offset + last.bytes) {
      throw broken(path, `is broken: tensors ${last.name} and ${tensor.name} overlap`);
    }
    last = tensor;
  }
  if (last && last.offset + last.bytes > fileSize) {
    throw truncated(path, last.offset + last.bytes, fileSize, last.name);
  }
}
