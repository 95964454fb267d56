import { join, resolve } from 'node:path';
import { LlmHostError, messageOf } from '../errors.ts';
import { programCacheFolder } from '../model/cache-folder.ts';
import { modelContext } from '../model/context-length.ts';
import { ensureModel } from '../model/ensure-model.ts';
import { type ReadModel, readModel } from '../model/load-model.ts';
import { tokenizerOf } from '../model/load-tokenizer.ts';
import { type LocalSource, localSource } from '../model/model-source.ts';
import { withConfigFile } from '../model/name-config-file.ts';
import { notAChatModel } from '../model/not-a-chat-model.ts';
import { type NewCheckpoint, newCheckpoint } from '../model/weights/new-checkpoint.ts';
import type { Quantization } from '../model/weights/quantization.ts';
import type { NativeRequest } from '../native/addon-types.ts';
import { loadAddon } from '../native/load-addon.ts';
import type { LoadSpec } from '../native/load-types.ts';
import { ggufTokenizer } from '../tokens/gguf-tokenizer.ts';
import { differentToken } from '../tokens/same-tokens.ts';
import { createTokenizer } from '../tokens/tokenizer.ts';
import type { Tokenizer } from '../tokens/tokenizer-types.ts';
import type { LocalJobEngine } from './engine-job.ts';
import { MlxEngine } from './mlx-engine.ts';
import type { ModelOptions } from './model-options.ts';

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
export async function loadEngine(source: string, options: ModelOptions = {}): Promise<LocalJobEngine> {
  const parsed = localSource(source, { cwd: options.cwd ?? process.cwd() });
  return (await loadParts(parsed, options)).engine;
}

/** The same, with everything else a chat needs. */
export async function loadParts(source: LocalSource, options: ModelOptions): Promise<LoadedParts> {
  return await loadRead(await readSource(source, options), options);
}

/** Reads a model's headers, after downloading it if need be. */
export async function readSource(source: LocalSource, options: ModelOptions): Promise<ReadModel> {
  const where = { cwd: options.cwd ?? process.cwd(), env: options.env ?? process.env };
  await ensureModel(source, {
    ...where,
    signal: options.signal,
    onProgress: options.onDownload,
    onWait: options.onWait,
  });
  return readModel(source, {
    ...options,
    ...where,
    // In a group only its own share counts.
    anyMemory: options.group !== undefined,
  });
}

export interface LoadReadOptions extends ModelOptions {
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
    const { cacheBytes: wanted = 0, parallel = 1, maxGapMs, draftModel, group, joinMs } = options;
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
      maxGapMs,
      saveTo: saved?.folder,
      draft: drafted?.spec,
      group: group && { ...group, joinMs },
    };
    const engine = await MlxEngine.create(addon, spec, {
      name: read.name,
      defaultStopIds: read.stopIds,
      tokenizer,
      onProgress: options.onProgress,
      onStart: options.onStart,
      prefixes: prefixPlace(options),
    });
    await completing(saved, engine);
    return { engine, read, tokenizer, tokenizerProblem: problem };
  } catch (error) {
    throw error instanceof LlmHostError ? withConfigFile(error, read.configFile) : error;
  } finally {
    saved?.discard();
  }
}

function prefixPlace({ diskCacheBytes = 0, onDiskCache, env = process.env }: ModelOptions) {
  if (diskCacheBytes === 0) return undefined;
  const folder = join(programCacheFolder(env), 'prefixes');
  return { folder, maxBytes: diskCacheBytes, onNote: onDiskCache ?? (() => undefined) };
}

function checkpointOf(read: ReadModel, options: ModelOptions): NewCheckpoint {
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
function makeTokenizer(read: ReadModel): { tokenizer: Tokenizer | undefined; problem: string | undefined } {
  try {
    if (read.tokenizer)
      return { tokenizer: createTokenizer(read.tokenizer, read.tokenizerConfig), problem: undefined };
    if (!read.ggufMetadata) return { tokenizer: undefined, problem: 'it has no tokenizer.json' };
    const files = ggufTokenizer(read.ggufMetadata);
    return { tokenizer: createTokenizer(files.tokenizerJson, files.tokenizerConfig), problem: undefined };
  } catch (error) {
    return { tokenizer: undefined, problem: messageOf(error) };
  }
}

const FEWEST = 2 ** 28;
const MOST = 2 ** 30;

/**
 * Bytes for the KV caches of a server's conversations: a small model's server stays small, and a large model's does not
 * hold every conversation that it ever had. `bytesLeft`: what the weights leave free.
 */
export function cacheBytesFor(weightBytes: number, bytesLeft: number): number {
  return Math.floor(Math.min(Math.max(4 * weightBytes, FEWEST), MOST, bytesLeft));
}

/** The model that another one drafts for. */
export type DraftedFor = Pick<ReadModel, 'name' | 'need'> & {
  readonly spec: Pick<LoadSpec, 'config' | 'contextLength'>;
  readonly tokenizer: Tokenizer | undefined;
};

interface DraftSpec {
  readonly spec: LoadSpec;
  /** Bytes of memory that are left for the KV caches of each of the two models. */
  readonly bytesLeft: number;
}

/**
 * Reads a draft model, whose context ends with that of the model it drafts for. It is downloaded if it is not
 * in the cache.
 * @throws LlmHostError as `loadEngine` does, OUT_OF_MEMORY if the two do not fit together; MODEL_UNSUPPORTED if its tokens
 * are not those of the model.
 */
export async function draftSpec(
  draftModel: string,
  { name, need, spec, tokenizer }: DraftedFor,
  options: ModelOptions,
): Promise<DraftSpec> {
  const where = { cwd: options.cwd ?? process.cwd(), env: options.env ?? process.env };
  const source = localSource(draftModel, where);
  await ensureModel(source, {
    ...where,
    signal: options.signal,
    onProgress: options.onDownload,
    onWait: options.onWait,
  });
  const read = readModel(source, {
    ...where,
    contextLength: spec.contextLength || (modelContext(spec.config) ?? 0),
    contextIsLimit: true,
    cacheBytes: options.cacheBytes,
    beside: need,
    kvBits: options.kvBits,
    exact: options.exact,
    adapter: [],
  });
  if (read.encoder) throw refusal(`${read.name} turns texts into vectors and proposes no tokens`);
  if (!tokenizer) throw refusal(`${name} has no tokenizer to compare with that of ${read.name}`);
  const own = tokenizerOf(source, where);
  const id = differentToken(tokenizer, own);
  if (id === undefined) return { spec: read.spec, bytesLeft: read.bytesLeft };
  const shown = (tokens: Tokenizer) => (id < tokens.vocabSize ? JSON.stringify(tokens.decode([id])) : 'none');
  throw refusal(
    `${read.name} has other tokens than ${name}: token ${id} is ${shown(own)} instead of ${shown(tokenizer)}`,
  );
}

function refusal(why: string): LlmHostError {
  return new LlmHostError('MODEL_UNSUPPORTED', `--draft-model: ${why}`, {
    hint: 'Name a smaller model of the same family, with the same tokenizer.',
  });
}
