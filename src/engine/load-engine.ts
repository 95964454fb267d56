import { messageOf } from '../errors.ts';
import { type ReadModel, readModel } from '../model/load-model.ts';
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
  /** Quantise keys and values to so many bits; heads must be a multiple of 32. Default: no. */
  readonly kvBits?: 4 | 8;
  /** Folder of a LoRA adapter in MLX layout. */
  readonly adapter?: string;
  readonly onProgress?: (progress: LoadProgress) => void;
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
 * Loads a model: a folder in Hugging Face layout, a .gguf file, a cached Hub id, or `demo`. Throws LlmHostError:
 * MODEL_NOT_FOUND, MODEL_BROKEN, MODEL_UNSUPPORTED, OUT_OF_MEMORY, ENGINE_UNAVAILABLE.
 */
export async function loadEngine(source: string, options: LoadEngineOptions = {}): Promise<LocalEngine> {
  return (await loadParts(source, options)).engine;
}

/** The same, with what a chat needs beside the engine. */
export async function loadParts(source: string, options: LoadEngineOptions): Promise<LoadedParts> {
  const read = readModel(source, {
    contextLength: options.contextLength ?? 0,
    kvBits: options.kvBits ?? 0,
    adapter: options.adapter,
    cwd: options.cwd ?? process.cwd(),
    env: options.env ?? process.env,
  });
  const addon = loadAddon();
  const { tokenizer, problem } = makeTokenizer(read);
  const engine = await MlxEngine.create(addon, read.spec, {
    name: read.name,
    defaultStopIds: read.stopIds,
    ...(tokenizer && { tokenizer }),
    ...(options.onProgress && { onProgress: options.onProgress }),
  });
  return { engine, read, tokenizer, tokenizerProblem: problem };
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
