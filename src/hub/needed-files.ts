import { LlmHostError } from '../errors.ts';
import { isPlainObject } from '../text/json/plain-object.ts';
import type { HubFile } from './hub-api.ts';

export const INDEX = 'model.safetensors.index.json';

const TEXTS = /^(?:[^/]+\.(?:json|jinja|model|tiktoken)|\d_[A-Za-z]+\/config\.json|merges\.txt|vocab\.txt)$/;

/** Read before the weights: configuration, templates, tokenizer, index. */
export function textFiles(files: readonly HubFile[]): HubFile[] {
  return files.filter(({ path }) => TEXTS.test(path));
}

/** A single weight file may have any name; shards without an index could belong to several models. */
export const isWholeWeights = (name: string): boolean =>
  /^model.*\.safetensors$/.test(name) && !/-\d+-of-\d+\.safetensors$/.test(name);

/** Matrices behind the pooling of an embedding model. */
const MODULES = /^\d_[A-Za-z]+\/model\.safetensors$/;

/**
 * The weights: the shards of the index, or the only safetensors file, and those of modules. `index` is the parsed index;
 * undefined if the repository has none. Throws LlmHostError MODEL_BROKEN or MODEL_UNSUPPORTED.
 */
export function weightFiles(source: string, files: readonly HubFile[], index: unknown): HubFile[] {
  return [...modelFiles(source, files, index), ...files.filter(({ path }) => MODULES.test(path))];
}

function modelFiles(source: string, files: readonly HubFile[], index: unknown): HubFile[] {
  if (index !== undefined) return shards(source, files, index);
  const whole = files.filter(({ path }) => isWholeWeights(path));
  const chosen = whole.find(({ path }) => path === 'model.safetensors') ?? whole[0];
  if (chosen && (whole.length === 1 || chosen.path === 'model.safetensors')) return [chosen];
  throw noWeights(source, files, whole.length);
}

function shards(source: string, files: readonly HubFile[], index: unknown): HubFile[] {
  return shardNames(index).map(name => {
    const file = files.find(({ path }) => path === name);
    if (file) return file;
    throw new LlmHostError('MODEL_BROKEN', `${INDEX} of ${source} names ${name}, which is missing`, {
      hint: 'The repository is incomplete; another revision may be complete (--revision).',
    });
  });
}

/** The files an index names, each once. */
export function shardNames(index: unknown): string[] {
  const map = isPlainObject(index) ? index.weight_map : undefined;
  const names = isPlainObject(map) ? Object.values(map) : [];
  return [...new Set(names.filter(name => typeof name === 'string'))];
}

function noWeights(source: string, files: readonly HubFile[], whole: number): LlmHostError {
  const gguf = files.filter(({ path }) => /\.gguf$/i.test(path)).length;
  const kinds = [
    gguf > 0 ? `${gguf} GGUF files` : '',
    files.some(({ path }) => /\.(bin|pth?)$/.test(path)) ? 'PyTorch files' : '',
    files.some(({ path }) => /\.onnx$/.test(path)) ? 'ONNX files' : '',
  ].filter(Boolean);
  const what = whole > 1 ? `${whole} safetensors files, but no index` : 'no model.safetensors';
  return new LlmHostError('MODEL_UNSUPPORTED', `${source} has ${what}`, {
    hint:
      gguf > 0
        ? `It holds ${kinds.join(' and ')}: download one of them and give its path.`
        : `Weights must be safetensors${kinds.length > 0 ? `; it holds ${kinds.join(' and ')}` : ''}.`,
  });
}
