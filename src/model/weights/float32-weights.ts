import type { WeightFiles } from '../../native/addon-types.ts';

/** Whether a checkpoint holds float32 alone, nothing quantized: then the references compute in it too. */
export function isFloat32Throughout({ tensors }: WeightFiles): boolean {
  return tensors.every(({ dtype }) => dtype === 'F32');
}
