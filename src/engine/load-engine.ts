import { join, resolve } from 'node:path';
import { LlmHostError, messageOf } from '../errors.ts';
import type { DownloadProgress } from '../hub/transfer-meter.ts';
import { programCacheFolder } from '../model/cache-folder.ts';
import { ensureModel } from '../model/ensure-model.ts';
import { type ReadModel, readModel } from '../model/load-model.ts';
import { type LocalSource, localSource } from '../model/model-source.ts';
import { withConfigFile } from '../model/name-config-file.ts';
import { notAChatModel } from '../model/not-a-chat-model.ts';
import { type NewCheckpoint, newCheckpoint } from '../model/weights/new-checkpoint.ts';
import type { Quantization } from '../model/weights/quantization.ts';
import type { NativeRequest } from '../native/addon-types.ts';
import { loadAddon } from '../native/load-addon.ts';
import type { LoadProgress } from '../native/load-types.ts';
import { ggufTokenizer } from '../tokens/gguf-tokenizer.ts';
import { createTokenizer } from '../tokens/tokenizer.ts';
import type { Tokenizer } from '../tokens/tokenizer-types.ts';
import { cacheBytesFor } from './cache-bytes.ts';
import { draftSpec } from './draft-spec.ts';
import type { LocalJobEngine } from './engine-job.ts';
import { MlxEngine } from './mlx-engine.ts';

export interface LoadEngineOptions {
  /** Tokens; 0 (default): the model's maximum. */
  readonly contextLength?: number;
  /** A model with a smaller maximum keeps that, instead of being refused. Default false. */
  readonly contextIsLimit?: boolean;
  /** Quantize keys and values to this many bits; head sizes must be a multiple of 32. Default: off. */
  readonly kvBits?: 4 | 8;
  /**
   * CPU only: multiply weights by float32 activations, not by ones rounded to a pair of int8 or to bfloat16. Several
   * times slower. Default: the variable LLM_HOST_EXACT (1 or 0), else true for a pure float32 checkpoint that is not
   * quantized while loading.
   */
  readonly exact?: boolean;
  /** Folder of a LoRA adapter in MLX or PEFT layout, or several to add up. */
  readonly adapter?: string | readonly string[];
  /**
   * Quantize float matrices while loading: 8, 6, 5, 4, 3 or 2 (bits, affine in groups of 64), mxfp4, nvfp4, mxfp8.
   */
  readonly quantize?: string;
  /** With `quantize`: a missing or empty folder that receives the result as a checkpoint in MLX layout. */
  readonly saveQuantized?: string;
  /**
   * Bytes for the KV caches of several conversations; `auto`: four times the weights, but 256 MB to 1 GB, and no more than
   * fits. Default: one conversation, of any size.
   */
  readonly cacheBytes?: number | 'auto';
  /**
   * Bytes on disk, in the folder llm-host/prefixes of the user's caches, for what was read of system prompts and tools, so
   * that another process need not read them again. Default 0: nothing is kept.
   */
  readonly diskCacheBytes?: number;
  /** What happens there, for a log. */
  readonly onDiskCache?: (note: string) => void;
  /** Generations at once, 1 to 256; more wait. Default 1. */
  readonly parallel?: number;
  /**
   * Milliseconds, 1 to 60,000, that a running reply should wait at most for its next token because others' prompts are read:
   * less is smoother, more reads prompts faster. Default 100.
   */
  readonly maxGapMs?: number;
  /** A smaller model with the same tokens, which proposes what comes next: the text is the same, and may come faster. */
  readonly draftModel?: string;
  /**
   * This process computes a part of the model, and others the rest: those of the group that MLX's variables MLX_HOSTFILE and
   * MLX_RANK describe. Each must run the same requests in the same order (docs/distributed.md). Default: the whole model.
   */
  readonly group?: {
    /** Milliseconds to wait for the others, when loading and in each step. */
    readonly limitMs: number;
  };
  readonly onProgress?: (progress: LoadProgress) => void;
  /** Progress of a download, if one is needed. */
  readonly onDownload?: (progress: DownloadProgress) => void;
  /** Another process (with this id, if known) is downloading the same model, and this one waits. */
  readonly onWait?: (pid: number | undefined) => void;
  /** Cancels a download. */
  readonly signal?: AbortSignal;
  /** Base of relative paths. Default: of the process. */
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}

export interface LoadedParts {
  readonly engine: LocalJobEngine;
  readonly read: ReadModel;
  /** undefined: the model has no tokenizer and works with ids only. */
  readonly tokenizer: Tokenizer | undefined;
  /** Why an existing tokenizer cannot be used. */
  readonly tokenizerProblem: string | undefined;
}

/**
 * Loads a model: a folder in Hugging Face layout, a .gguf file, a Hub id (`org/name`, optionally `@revision`), which
 * is downloaded if it is not in the cache, or `demo`. Throws LlmHostError: MODEL_NOT_FOUND, MODEL_BROKEN,
 * MODEL_UNSUPPORTED, OUT_OF_MEMORY, ENGINE_UNAVAILABLE.
 */
export async function loadEngine(source: string, options: LoadEngineOptions = {}): Promise<LocalJobEngine> {
  const parsed = localSource(source, { cwd: options.cwd ?? process.cwd() });
  return (await loadParts(parsed, options)).engine;
}

/** The same, with everything else a chat needs. */
export async function loadParts(source: LocalSource, options: LoadEngineOptions): Promise<LoadedParts> {
  return await loadRead(await readSource(source, options), options);
}

/** Reads a model's headers, after downloading it if need be. */
export async function readSource(source: LocalSource, options: LoadEngineOptions): Promise<ReadModel> {
  const where = { cwd: options.cwd ?? process.cwd(), env: options.env ?? process.env };
  await ensureModel(source, {
    ...where,
    signal: options.signal,
    onProgress: options.onDownload,
    onWait: options.onWait,
  });
  return readModel(source, {
    ...where,
    contextLength: options.contextLength ?? 0,
    contextIsLimit: options.contextIsLimit,
    kvBits: options.kvBits ?? 0,
    ...(typeof options.cacheBytes === 'number' && { cacheBytes: options.cacheBytes }),
    exact: options.exact,
    adapter: options.adapter,
    quantize: options.quantize,
    // Of a part of it, its share counts.
    anyMemory: options.group !== undefined,
  });
}

export interface LoadReadOptions extends LoadEngineOptions {
  /** Called with each request once it is queued here, for the other processes of the group. */
  readonly onStart?: (request: NativeRequest) => void;
  /** With `group`: until its processes are all there. Default: the group's limit. */
  readonly joinMs?: number;
}

/** Loads what was found. */
export async function loadRead(read: ReadModel, options: LoadReadOptions): Promise<LoadedParts> {
  if (read.encoder) throw notAChatModel(read.name);
  const saved = options.saveQuantized === undefined ? undefined : checkpointOf(read, options);
  try {
    const addon = loadAddon();
    const { tokenizer, problem } = makeTokenizer(read);
    const { cacheBytes: wanted = 0, parallel = 1, draftModel } = options;
    const drafted =
      draftModel === undefined
        ? undefined
        : await draftSpec(
            draftModel,
            { name: read.name, need: read.need, spec: read.spec, tokenizer },
            options,
          );
    const bytesLeft = drafted?.bytesLeft ?? read.bytesLeft;
    const cacheBytes = wanted === 'auto' ? cacheBytesFor(read.weightBytes, bytesLeft) : wanted;
    const spec = {
      ...read.spec,
      cacheBytes,
      parallel,
      ...(options.maxGapMs !== undefined && { maxGapMs: options.maxGapMs }),
      ...(saved && { saveTo: saved.folder }),
      ...(drafted && { draft: drafted.spec }),
      ...(options.group && {
        group: { ...options.group, ...(options.joinMs !== undefined && { joinMs: options.joinMs }) },
      }),
    };
    const engine = await MlxEngine.create(addon, spec, {
      name: read.name,
      defaultStopIds: read.stopIds,
      ...(tokenizer && { tokenizer }),
      ...(options.onProgress && { onProgress: options.onProgress }),
      ...(options.onStart && { onStart: options.onStart }),
      ...prefixPlace(options),
    });
    await completing(saved, engine);
    return { engine, read, tokenizer, tokenizerProblem: problem };
  } catch (error) {
    throw error instanceof LlmHostError ? withConfigFile(error, read.configFile) : error;
  } finally {
    saved?.discard();
  }
}

function prefixPlace({ diskCacheBytes = 0, onDiskCache, env = process.env }: LoadEngineOptions) {
  if (diskCacheBytes === 0) return {};
  const folder = join(programCacheFolder(env), 'prefixes');
  return { prefixes: { folder, maxBytes: diskCacheBytes, onNote: onDiskCache ?? (() => undefined) } };
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

/** If saving fails, the model is closed too. */
async function completing(saved: NewCheckpoint | undefined, engine: LocalJobEngine): Promise<void> {
  try {
    saved?.complete();
  } catch (error) {
    await engine.close();
    throw error;
  }
}

/** A model with an unknown kind of tokenizer still works with ids; the reason is kept for callers that need text. */
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
