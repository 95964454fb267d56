import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { arch, cpus } from 'node:os';
import { join } from 'node:path';
import type { LoadSpec } from '../../native/load-types.ts';
import { PACKAGE_ROOT } from '../../native/optional-package.ts';
import { modelHash } from './model-hash.ts';

/** Variables that choose kernels, whose results differ in the last bits. */
const KERNEL_VARIABLES = ['LLM_HOST_SIMD', 'LLM_HOST_INT8', 'LLM_HOST_DEVICE_POLICY'] as const;

/** What keys and values depend on beside the tokens: weights and adapters, arithmetic, program and machine. */
export function prefixOrigin(
  spec: LoadSpec,
  { device, contextLength }: { readonly device: string; readonly contextLength: number },
  mlx: string,
): string {
  const { kvBits, exact = false, weights, adapters } = spec;
  const files = [weights, ...adapters.map(adapter => adapter.weights)].flatMap(table => table.files);
  const { version } = JSON.parse(readFileSync(join(PACKAGE_ROOT, 'package.json'), 'utf8')) as {
    version: string;
  };
  return JSON.stringify([
    modelHash(spec),
    files.map(sizeAndTime),
    { kvBits, exact, contextLength },
    { version, mlx, device, cpu: [arch(), cpus()[0]?.model] },
    KERNEL_VARIABLES.map(name => process.env[name] ?? null),
  ]);
}

/** Differs for other tokens, and for ones that were computed otherwise. */
export function prefixKey(origin: string, ids: Int32Array, reproducible: boolean): string {
  return createHash('sha256')
    .update(JSON.stringify([origin, reproducible]))
    .update(ids)
    .digest('hex');
}

/** A file that is written anew at the same place has another time. */
function sizeAndTime(path: string): readonly [string, string] {
  const { size, mtimeNs } = statSync(path, { bigint: true });
  return [String(size), String(mtimeNs)];
}
