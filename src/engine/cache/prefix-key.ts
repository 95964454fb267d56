import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { arch, cpus } from 'node:os';
import { join } from 'node:path';
import { LlmHostError } from '../../errors.ts';
import type { LoadSpec } from '../../native/load-types.ts';
import { PACKAGE_ROOT } from '../../native/optional-package.ts';
import { modelHash } from './model-hash.ts';

/** Variables that choose kernels, whose results differ in the last bits. */
const KERNEL_VARIABLES = ['LLM_HOST_SIMD', 'LLM_HOST_INT8', 'LLM_HOST_DEVICE_POLICY'] as const;

/**
 * Everything that keys and values depend on besides the tokens: weights and adapters, arithmetic, program and machine.
 */
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

/** How a request has its tokens computed: the same whatever runs at the same time, and with the model's adapters. */
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

/** The weights of a loaded model and its adapters, on a disk where others may be written in their place. */
export class LoadedFiles {
  readonly #spec: LoadSpec;
  readonly #stamps: string;
  #hash: string | undefined;

  /** Once they have been read. */
  constructor(spec: LoadSpec) {
    this.#spec = spec;
    this.#stamps = this.#stampsNow();
  }

  /** `modelHash` of what was loaded. @throws LlmHostError CACHE */
  hash(): string {
    this.#hash ??= this.read(() => modelHash(this.#spec));
    return this.#hash;
  }

  /** Returns what `body` finds in the files. @throws LlmHostError CACHE: they are no longer what was loaded */
  read<T>(body: () => T): T {
    this.#check();
    const found = body();
    this.#check();
    return found;
  }

  #check(): void {
    if (this.#stampsNow() === this.#stamps) return;
    const [path] = this.#spec.weights.files;
    throw new LlmHostError('CACHE', `the model's files have changed since it was loaded (${path})`);
  }

  #stampsNow(): string {
    return JSON.stringify(filesOf(this.#spec).map(sizeAndTime));
  }
}

/** The files of weights and adapters. */
function filesOf({ weights, adapters }: LoadSpec): readonly string[] {
  return [weights, ...adapters.map(adapter => adapter.weights)].flatMap(table => table.files);
}

/** A file that is written anew at the same place has another time. */
function sizeAndTime(path: string): readonly [string, string] | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found && [String(found.size), String(found.mtimeNs)];
}
