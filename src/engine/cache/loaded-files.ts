import { statSync } from 'node:fs';
import { LlmHostError } from '../../errors.ts';
import type { LoadSpec } from '../../native/load-types.ts';
import { modelHash } from './model-hash.ts';

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

  /** What `body` finds in the files. @throws LlmHostError CACHE: they are no longer what was loaded */
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

/** Of weights and adapters. */
export function filesOf({ weights, adapters }: LoadSpec): readonly string[] {
  return [weights, ...adapters.map(adapter => adapter.weights)].flatMap(table => table.files);
}

/** A file that is written anew at the same place has another time. */
export function sizeAndTime(path: string): readonly [string, string] | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found && [String(found.size), String(found.mtimeNs)];
}
