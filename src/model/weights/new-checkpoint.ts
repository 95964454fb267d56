import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { LlmHostError, messageOf } from '../../errors.ts';
import type { JsonObject } from '../../text/files/json-file.ts';
import { makeFolder } from '../../text/files/make-folder.ts';
import type { Quantization } from './quantization.ts';
import { readSafetensorsHeader } from './safetensors.ts';

/** A checkpoint in MLX's layout being written, to a folder of its own until `complete`. */
export interface NewCheckpoint {
  /** Where the engine writes its shards: empty, on the same disk as the target. */
  readonly folder: string;
  /** Adds the index, config.json and tokenizer files, and moves the folder into place. */
  complete(): void;
  /** Removes the files written so far. No effect after `complete`. */
  discard(): void;
}

/** Text files copied with the weights; those that describe how weights are stored are written anew. */
const COPIED = /\.(json|jinja|model|tiktoken|txt)$|^(LICENSE|NOTICE|README)/i;
const WRITTEN = /^config\.json$|\.safetensors\.index\.json$/;

/**
 * Prepares `target`, which must not exist or be an empty folder.
 * @throws LlmHostError USAGE if it is not empty or not writable.
 */
export function newCheckpoint(
  target: string,
  source: { readonly folder: string; readonly config: JsonObject; readonly quantization: Quantization },
): NewCheckpoint {
  if (existsSync(target) && !(statSync(target).isDirectory() && readdirSync(target).length === 0)) {
    throw new LlmHostError('USAGE', `--save-quantized: ${target} already exists and is not an empty folder`);
  }
  const folder = writing(target, () => {
    makeFolder(dirname(target));
    return mkdtempSync(join(dirname(target), `.${basename(target)}-`));
  });
  let open = true;
  return {
    folder,
    complete: () =>
      writing(target, () => {
        nameShards(folder);
        copyTexts(source.folder, folder);
        writeJson(join(folder, 'config.json'), withQuantization(source.config, source.quantization));
        // rename() does not replace an empty folder on every system.
        if (existsSync(target)) rmdirSync(target);
        renameSync(folder, target);
        open = false;
      }),
    discard: () => {
      if (open) rmSync(folder, { recursive: true, force: true });
      open = false;
    },
  };
}

function writing<T>(target: string, write: () => T): T {
  try {
    return write();
  } catch (error) {
    if (error instanceof LlmHostError) throw error;
    throw new LlmHostError('USAGE', `--save-quantized: cannot write ${target} (${messageOf(error)})`);
  }
}

/** shard-N.safetensors become model.safetensors, or model-0000N-of-0000M.safetensors with an index. */
function nameShards(folder: string): void {
  const count = readdirSync(folder).filter(name => /^shard-\d+\.safetensors$/.test(name)).length;
  if (count === 0) throw new LlmHostError('ENGINE', 'no weights were written');
  const digits = (n: number): string => String(n).padStart(5, '0');
  const weightMap: [string, string][] = [];
  let totalSize = 0;
  for (let i = 1; i <= count; i++) {
    const name = count === 1 ? 'model.safetensors' : `model-${digits(i)}-of-${digits(count)}.safetensors`;
    const path = join(folder, name);
    renameSync(join(folder, `shard-${i}.safetensors`), path);
    for (const tensor of readSafetensorsHeader(path).tensors) {
      weightMap.push([tensor.name, name]);
      totalSize += tensor.bytes;
    }
  }
  if (count === 1) return;
  const weight_map = Object.fromEntries(weightMap.sort(([a], [b]) => (a < b ? -1 : 1)));
  writeJson(join(folder, 'model.safetensors.index.json'), {
    metadata: { total_size: totalSize },
    weight_map,
  });
}

function copyTexts(from: string, to: string): void {
  for (const name of readdirSync(from)) {
    if (!COPIED.test(name) || WRITTEN.test(name) || !statSync(join(from, name)).isFile()) continue;
    copyFileSync(join(from, name), join(to, name));
  }
}

function writeJson(path: string, value: unknown): void {
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);
}

function withQuantization(config: JsonObject, { mode, bits, groupSize }: Quantization): JsonObject {
  const quantization = { group_size: groupSize, bits, mode };
  return { ...config, quantization, quantization_config: quantization };
}
