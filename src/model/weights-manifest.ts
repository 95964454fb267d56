import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { LlmHostError, messageOf } from '../errors.ts';
import type { TensorEntry, WeightFiles } from '../native/load-types.ts';
import { shownJson } from '../text/clean/visible.ts';
import { isObject, readJsonObject } from '../text/files/json-file.ts';
import { broken } from '../text/files/model-fault.ts';
import { type GgufModel, readGgufModel } from './gguf/config.ts';
import { readSafetensorsHeader } from './weights/safetensors.ts';

/**
 * The tensors of a folder, by its index or its only safetensors file. Index and shards must name the same tensors; other
 * files are ignored. Reads headers only. Throws MODEL_BROKEN or MODEL_UNSUPPORTED naming file and tensor.
 */
export function folderWeights(folder: string): WeightFiles {
  const indexPath = join(folder, 'model.safetensors.index.json');
  const index = readJsonObject(indexPath);
  if (index) return indexedWeights(folder, indexPath, index.weight_map);
  return singleFileWeights(singleFile(folder));
}

/** All tensors of one safetensors file. */
export function singleFileWeights(path: string): WeightFiles {
  return { files: [path], tensors: readSafetensorsHeader(path).tensors.map(t => ({ ...t, file: 0 })) };
}

/** The tensors of a GGUF file, and of the other parts of a split model, under Hugging Face's names. */
export function ggufWeights(path: string): { model: GgufModel; weights: WeightFiles } {
  const model = readGgufModel(path);
  return { model, weights: { files: model.files, tensors: model.tensors } };
}

function singleFile(folder: string): string {
  const names = listFolder(folder).filter(name => /^model.*\.safetensors$/.test(name));
  const name = names.includes('model.safetensors') ? 'model.safetensors' : names[0];
  if (name !== undefined && (names.length === 1 || name === 'model.safetensors')) return join(folder, name);
  const found =
    names.length === 0 ? 'no model.safetensors' : `${names.length} safetensors files but no index`;
  throw new LlmHostError('MODEL_BROKEN', `${found} in ${folder}`, {
    hint: 'Weights must be safetensors: model.safetensors, or model.safetensors.index.json with its files. Download the whole repository.',
  });
}

function listFolder(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    throw broken(folder, `cannot be read: ${messageOf(error)}`, { cause: error });
  }
}

function indexedWeights(folder: string, indexPath: string, map: unknown): WeightFiles {
  if (!isObject(map) || Object.keys(map).length === 0) throw broken(indexPath, 'has no weight_map');
  const wanted = new Map<string, string[]>();
  for (const [tensor, file] of Object.entries(map)) {
    if (typeof file !== 'string' || !/^[^/\\]+\.safetensors$/.test(file)) {
      throw broken(indexPath, `names a broken file for tensor ${tensor}: ${shownJson(file)}`);
    }
    const tensors = wanted.get(file);
    if (tensors) tensors.push(tensor);
    else wanted.set(file, [tensor]);
  }
  const missing = [...wanted.keys()].filter(file => !existsSync(join(folder, file)));
  if (missing.length > 0) {
    throw broken(
      indexPath,
      `names files that are not in the folder: ${missing.join(', ')}. Download them again.`,
    );
  }
  const stray = listFolder(folder).find(file => isShardOf(file, wanted));
  if (stray !== undefined) throw broken(indexPath, `does not name the shard ${stray}. Download it again.`);
  const files = [...wanted.keys()].map(file => join(folder, file));
  const tensors = [...wanted.values()].flatMap((names, file) =>
    shardTensors(files[file] as string, file, names),
  );
  return { files, tensors };
}

/** Whether a file looks like one of the index's shards though the index does not name it. */
function isShardOf(file: string, wanted: ReadonlyMap<string, unknown>): boolean {
  const set = file.match(/^(.+-)\d+(-of-\d+\.safetensors)$/);
  if (!set || wanted.has(file)) return false;
  const [, start = '', end = ''] = set;
  return [...wanted.keys()].some(name => name.startsWith(start) && name.endsWith(end));
}

function shardTensors(path: string, file: number, names: readonly string[]): TensorEntry[] {
  const byName = new Map(readSafetensorsHeader(path).tensors.map(t => [t.name, t]));
  const tensors = names.map(name => {
    const tensor = byName.get(name);
    if (!tensor) throw broken(path, `has no tensor ${name}, though the index says so. Download it again.`);
    byName.delete(name);
    return { ...tensor, file };
  });
  const [extra] = byName.keys();
  if (extra === undefined) return tensors;
  throw broken(path, `has tensor ${extra}, which the index does not name as its own. Download both again.`);
}
