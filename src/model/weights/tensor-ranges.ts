import type { TensorEntry } from '../../native/load-types.ts';
import { broken, truncated } from '../../text/files/model-fault.ts';

/** A tensor of one file. */
export type FileTensor = Omit<TensorEntry, 'file'>;

// MLX counts each dimension in 32 bits.
const MAX_DIMENSION = 2 ** 31 - 1;

// biome-ignore lint/suspicious/noControlCharactersInRegex: names are printed and must not steer the terminal
const PRINTABLE_NAME = /^[^\u0000-\u001f\u007f-\u009f]{1,512}$/;

export function checkName(path: string, name: string): void {
  if (!PRINTABLE_NAME.test(name))
    throw broken(path, `is broken: it has a tensor named ${JSON.stringify(name)}`);
}

/** Number of elements; undefined if a dimension is invalid or the product is not exact. */
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

const endOf = ({ offset, bytes }: FileTensor): number => offset + bytes;

/** Refuses ranges that overlap or leave the file, also empty ones. */
export function checkRanges(path: string, fileSize: number, tensors: readonly FileTensor[]): void {
  const sorted = tensors.filter(t => t.bytes > 0).sort((a, b) => a.offset - b.offset);
  let last: FileTensor | undefined;
  for (const tensor of sorted) {
    if (last && tensor.offset < endOf(last)) {
      throw broken(path, `is broken: tensors ${last.name} and ${tensor.name} overlap`);
    }
    last = tensor;
  }
  const furthest = tensors.reduce((far, tensor) => Math.max(far, endOf(tensor)), 0);
  if (furthest <= fileSize) return;
  throw truncated(path, furthest, fileSize, tensors.find(tensor => endOf(tensor) === furthest)?.name);
}
