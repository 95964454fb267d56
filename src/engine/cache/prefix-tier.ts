import { messageOf } from '../../errors.ts';
import type { NativeCacheFile, NativeModel } from '../../native/addon-types.ts';
import { readCacheFile } from './cache-file.ts';
import type { PrefixFolder } from './prefix-folder.ts';
import { type Computed, prefixKey } from './prefix-key.ts';

/** A shorter prefix is read again about as fast as a file is. */
const LEAST_SHARED = 256;
/** Prefixes whose second coming is waited for. */
const MOST_SEEN = 1000;

/** The beginning of a prompt that other prompts have too. */
export interface Prefix {
  readonly ids: Int32Array;
  readonly computed: Computed;
  readonly key: string;
  readonly path: string;
  /** Undefined: nothing that can be used. */
  readonly file: NativeCacheFile | undefined;
}

/**
 * Keeps keys and values of system prompts on disk, for the next process. What cannot be read or written is noted and
 * costs time, never the reply. The first prefix of a process is kept at once, another one when it comes again: a server
 * whose clients send a new system prompt each time should not write them all.
 */
export class PrefixTier {
  readonly #native: Pick<NativeModel, 'savePrefix'>;
  readonly #folder: PrefixFolder;
  readonly #origin: () => string;
  readonly #note: (note: string) => void;
  #known: string | undefined;
  readonly #seen = new Set<string>();
  /** Being written, or not to be tried again. */
  readonly #settled = new Set<string>();
  readonly #writes = new Set<Promise<void>>();
  #pruned = false;

  constructor(
    native: Pick<NativeModel, 'savePrefix'>,
    folder: PrefixFolder,
    origin: () => string,
    note: (note: string) => void,
  ) {
    this.#native = native;
    this.#folder = folder;
    this.#origin = origin;
    this.#note = note;
  }

  /** Looks up the first `shared` tokens; undefined: they are not worth it. */
  find(promptIds: Int32Array, shared: number, computed: Computed): Prefix | undefined {
    if (shared < LEAST_SHARED) return undefined;
    return this.#trying('looked up', () => {
      this.#known ??= this.#origin();
      const ids = promptIds.slice(0, shared);
      const key = prefixKey(this.#known, ids, computed);
      const path = this.#folder.pathOf(key);
      return { ids, computed, key, path, file: this.#fileOf(path, key) };
    });
  }

  /** After the reply: `refusal` says why the engine could not use the file. Nobody need wait for what follows. */
  replied(prefix: Prefix, refusal: string | undefined): void {
    if (prefix.file && refusal === undefined) {
      this.#trying('marked as used', () => this.#folder.touch(prefix.path));
      this.#pruneOnce();
      return;
    }
    if (refusal !== undefined) this.#drop(prefix.path, refusal);
    if (!this.#comesAgain(prefix.key) || this.#settled.has(prefix.key)) return;
    this.#settled.add(prefix.key);
    const write = this.#write(prefix).finally(() => this.#writes.delete(write));
    this.#writes.add(write);
  }

  /** Waits for what is being written. */
  async close(): Promise<void> {
    await Promise.all(this.#writes);
  }

  /** The limit may be lower than that of the processes before, and nothing new need come. */
  #pruneOnce(): void {
    if (this.#pruned) return;
    this.#pruned = true;
    this.#trying('pruned', () => this.#folder.prune());
  }

  #comesAgain(key: string): boolean {
    if (this.#seen.size === 0 || this.#seen.has(key)) {
      this.#seen.add(key);
      return true;
    }
    if (this.#seen.size < MOST_SEEN) this.#seen.add(key);
    return false;
  }

  #fileOf(path: string, key: string): NativeCacheFile | undefined {
    if (!this.#folder.has(path)) return undefined;
    try {
      return readCacheFile(path, key);
    } catch (error) {
      this.#drop(path, messageOf(error));
      return undefined;
    }
  }

  #drop(path: string, why: string): void {
    this.#note(`A kept prefix is not used: ${why}`);
    this.#trying('removed', () => this.#folder.remove(path));
  }

  async #write({ ids, computed, key, path }: Prefix): Promise<void> {
    try {
      const maxBytes = this.#folder.room();
      const saved = await this.#native.savePrefix({ ids, ...computed, path, modelHash: key, maxBytes });
      if (saved.tokens === 0) {
        this.#settled.delete(key);
        return;
      }
      this.#note(`A prefix of ${saved.tokens} tokens is kept in ${path}, ${saved.bytes} bytes.`);
      this.#folder.prune();
    } catch (error) {
      this.#note(`A prefix of ${ids.length} tokens is not kept: ${messageOf(error)}`);
    }
  }

  /** The disk may do what it likes: the reply does not depend on it. */
  #trying<T>(done: string, body: () => T): T | undefined {
    try {
      return body();
    } catch (error) {
      this.#note(`A kept prefix could not be ${done}: ${messageOf(error)}`);
      return undefined;
    }
  }
}
