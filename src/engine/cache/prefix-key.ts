import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { arch, cpus } from 'node:os';
import { join } from 'node:path';
import type { LoadSpec } from '../../native/load-types.ts';
import { PACKAGE_ROOT } from '../../native/optional-package.ts';
import { filesOf, sizeAndTime } from './loaded-files.ts';
import { modelHash } from './model-hash.ts';

/** Variables that choose kernels, whose results differ in the last bits. */
const KERNEL_VARIABLES = ['LLM_HOST_SIMD', 'LLM_HOST_INT8', 'LLM_HOST_DEVICE_POLICY'] as const;

/** What keys and values depend on beside the tokens: weights and adapters, arithmetic, program and machine. */
export function prefixOrigin(
  spec: LoadSpec,
  { device, contextLength }: { readonly device: string; readonly contextLength: number },
  mlx: string,
): string {
  const { kvBits, exact = false } = spec;
  const { version } = JSON.parse(readFileSync(join(PACKAGE_ROOT, 'package.json'), 'utf8')) as {
    version: string;
  };
  return JSON.stringify([
    modelHash(spec),
    filesOf(spec).map(sizeAndTime),
    { kvBits, exact, contextLength },
    { version, mlx, device, cpu: [arch(), cpus()[0]?.model] },
    KERNEL_VARIABLES.map(name => process.env[name] ?? null),
  ]);
}

/** How a request has its tokens computed: the same whatever runs beside it, and with the model's adapters. */
export interface Computed {
  readonly reproducible: boolean;
  readonly adapted: boolean;
}

/** Differs for other tokens, and for ones that were computed otherwise. */
export function prefixKey(origin: string, ids: Int32Array, { reproducible, adapted }: Computed): string {
  return createHash('sha256')
    .update(JSON.stringify([origin, reproducible, adapted]))
    .update(ids)
    .digest('hex');
}
