import { resolve } from 'node:path';
import { LlmHostError, messageOf } from '../errors.ts';
import type { DownloadProgress } from '../hub/transfer-meter.ts';
import { ensureModel } from '../model/ensure-model.ts';
import { type ReadModel, readModel } from '../model/load-model.ts';
import { withConfigFile } from '../model/name-config-file.ts';
import { type NewCheckpoint, newCheckpoint } from '../model/weights/new-checkpoint.ts';
import type { Quantization } from '../model/weights/quantization.ts';
import type { LoadProgress } from '../native/addon-types.ts';
import { loadAddon } from '../native/load-addon.ts';
import { ggufTokenizer } from '../tokens/gguf-tokenizer.ts';
import { createTokenizer } from '../tokens/tokenizer.ts';
import type { Tokenizer } from '../tokens/tokenizer-types.ts';
import type { LocalEngine } from './engine.ts';
import { MlxEngine } from './mlx-engine.ts';

export interface LoadEngineOptions {
  /** Tokens; 0 (default) = the model's own maximum. */
  readonly contextLength?: number;
  /** Quantize keys and values to so many bits; heads must be a multiple of 32. Default: no. */
  readonly kvBits?: 4 | 8;
  /**
   * CPU: multiply weights by float32 activations, not by ones rounded to two numbers of 8 bits or to bfloat16. Several
   * times slower. Default: as the variable LLM_HOST_EXACT says (1 or 0), else true for a checkpoint that holds float32
   * alone and is not quantized while loading.
   */
  readonly exact?: boolean;
  /** Folder of a LoRA adapter in MLX's or PEFT's layout, or several that add up. */
  readonly adapter?: string | readonly string[];
  /** Pack float matrices while loading: 8, 6, 5, 4, 3 or 2 (bits, affine in groups of 64), mxfp4, nvfp4, mxfp8. */
  readonly quantize?: string;
  /** With `quantize`: a folder, not there yet or empty, that gets the result as a checkpoint in MLX's layout. */
  readonly saveQuantized?: string;
  /** Bytes for the caches of several conversations at a time. Default: one, of any size. */
  readonly cacheBytes?: number;
  readonly onProgress?: (progress: LoadProgress) => void;
  /** Of a model that is downloaded first. */
  readonly onDownload?: (progress: DownloadProgress) => void;
  /** Another process, with this id where known, downloads the same model; this one waits. */
  readonly onWait?: (pid: number | undefined) => void;
  /** Ends a download. */
  readonly signal?: AbortSignal;
  /** Relative paths start here. Default: the process's. */
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}

export interface LoadedParts {
  readonly engine: LocalEngine;
  readonly read: ReadModel;
  /** undefined: the model has no tokenizer and works with ids only. */
  readonly tokenizer: Tokenizer | undefined;
  /** Why a tokenizer that is there cannot be used. */
  readonly tokenizerProblem: string | undefined;
}

/**
 * Loads a model: a folder in Hugging Face layout, a .gguf file, a Hub id (`org/name`, optionally `@revision`), which is
 * downloaded unless it is in the cache, or `demo`. Throws LlmHostError: MODEL_NOT_FOUND, MODEL_BROKEN, MODEL_UNSUPPORTED, OUT_OF_MEMORY, ENGINE_UNAVAILABLE.
 */
export async function loadEngine(source: string, options: LoadEngineOptions = {}): Promise<LocalEngine> {
  return (await loadParts(source, options)).engine;
}

/** The same, with what a chat needs beside the engine. */
export async function loadParts(source: string, options: LoadEngineOptions): Promise<LoadedParts> {
  const where = { cwd: options.cwd ?? process.cwd(), env: options.env ?? process.env };
  await ensureModel(source, {
    ...where,
    signal: options.signal,
    onProgress: options.onDownload,
    onWait: options.onWait,
  });
  const read = readModel(source, {
    ...where,
    contextLength: options.contextLength ?? 0,
    kvBits: options.kvBits ?? 0,
    exact: options.exact,
    adapter: options.adapter,
    quantize: options.quantize,
  });
  const saved = options.saveQuantized === undefined ? undefined : checkpointOf(read, options);
  try {
    const addon = loadAddon();
    const { tokenizer, problem } = makeTokenizer(read);
    const { cacheBytes = 0 } = options;
    const spec = { ...read.spec, cacheBytes, ...(saved && { saveTo: saved.folder }) };
    const engine = await MlxEngine.create(addon, spec, {
      name: read.name,
      defaultStopIds: read.stopIds,
      ...(tokenizer && { tokenizer }),
      ...(options.onProgress && { onProgress: options.onProgress }),
    });
    await completing(saved, engine);
    return { engine, read, tokenizer, tokenizerProblem: problem };
  } catch (error) {
    throw error instanceof LlmHostError ? withConfigFile(error, read.configFile) : error;
  } finally {
    saved?.discard();
  }
}

function checkpointOf(read: ReadModel, options: LoadEngineOptions): NewCheckpoint {
  const { quantize, config } = read.spec;
  if (!quantize || read.folder === undefined) {
    throw new LlmHostError('USAGE', '--save-quantized needs --quantize, which says how to save the weights');
  }
  const target = resolve(options.cwd ?? process.cwd(), options.saveQuantized as string);
  const quantization = quantize as Quantization;
  return newCheckpoint(target, { folder: read.folder, config, quantization });
}

/** A model that could not be saved is not kept either. */
async function completing(saved: NewCheckpoint | undefined, engine: LocalEngine): Promise<void> {
  try {
    saved?.complete();
  } catch (error) {
    await engine.close();
    throw error;
  }
}

/** A model whose tokenizer is of an unknown kind still works with ids; the reason is kept for those who need text. */
function makeTokenizer(read: ReadModel): { tokenizer?: Tokenizer; problem: string | undefined } {
  try {
    if (read.tokenizer)
      return { tokenizer: createTokenizer(read.tokenizer, read.tokenizerConfig), problem: undefined };
    if (!read.ggufMetadata) return { problem: 'it has no tokenizer.json' };
    const files = ggufTokenizer(read.ggufMetadata);
    return { tokenizer: createTokenizer(files.tokenizerJson, files.tokenizerConfig), problem: undefined };
  } catch (error) {
    return { problem: messageOf(error) };
  }
}
