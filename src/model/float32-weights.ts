import type { StoredDtype, WeightFiles } from '../native/addon-types.ts';

/** Codes of quantised matrices and their exponents, which are no numbers by themselves. */
const CODES = new Set<StoredDtype>(['U32', 'U8', 'I32']);

/** Whether all numbers of a checkpoint are float32, scales included: then the references compute in it too. */
export function isFloat32Throughout({ tensors }: WeightFiles): boolean {
  return (
    tensors.some(({ dtype }) => dtype === 'F32') &&
    tensors.every(({ dtype }) => dtype === 'F32' || CODES.has(dtype))
  );
}
