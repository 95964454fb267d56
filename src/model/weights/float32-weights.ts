import type { WeightFiles } from '../../native/load-types.ts';

/** Whether a checkpoint is all float32: then the reference implementations compute in float32 too. */
export function isFloat32Throughout({ tensors }: WeightFiles): boolean {
  return tensors.every(({ dtype }) => dtype === 'F32');
}
