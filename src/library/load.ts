import type { LocalEngine } from '../engine/engine.ts';
import { loadEngine as load } from '../engine/load-engine.ts';
import type { ModelOptions } from '../engine/model-options.ts';
import { LlmHostError } from '../errors.ts';
import { localSource } from '../model/model-source.ts';
import { openLocalModel } from '../run/open-local-model.ts';
import type { OpenedModel } from '../run/open-model.ts';
import { type Model, newModel } from './model.ts';

export type LoadModelOptions = Omit<ModelOptions, 'group'>;

/** Conversations that generate at once unless `parallel` says otherwise. */
const PARALLEL = 4;

/**
 * Loads a model: a Hub id (`org/name`, optionally `@revision`), which is downloaded if it is not in the cache, a folder in
 * Hugging Face layout, a .gguf file, or `demo`. Four of its conversations can generate at once by default, and it keeps
 * what it has read of several of them.
 * @throws LlmHostError MODEL_NOT_FOUND, MODEL_BROKEN, MODEL_UNSUPPORTED, OUT_OF_MEMORY, ENGINE_UNAVAILABLE, CANCELLED
 */
export async function loadModel(source: string, options: LoadModelOptions = {}): Promise<Model> {
  const opened = await unlessCancelled(source, options.signal, () => open(source, options));
  const { tokenizer } = opened;
  if (tokenizer) return newModel(opened, tokenizer);
  await opened.close();
  throw new LlmHostError('MODEL_UNSUPPORTED', `${opened.name} has no tokenizer`);
}

async function open(source: string, options: LoadModelOptions): Promise<OpenedModel> {
  const { parallel = PARALLEL, cacheBytes = 'auto', cwd = process.cwd() } = options;
  return await openLocalModel(localSource(source, { cwd }), { ...options, parallel, cacheBytes });
}

/**
 * Loads a model to work with token ids: a folder in Hugging Face layout, a .gguf file, a Hub id (`org/name`, optionally
 * `@revision`), which is downloaded if it is not in the cache, or `demo`.
 * @throws LlmHostError MODEL_NOT_FOUND, MODEL_BROKEN, MODEL_UNSUPPORTED, OUT_OF_MEMORY, ENGINE_UNAVAILABLE, CANCELLED
 */
export async function loadEngine(source: string, options: ModelOptions = {}): Promise<LocalEngine> {
  return await unlessCancelled(source, options.signal, () => load(source, options));
}

/** Loads a model, or throws LlmHostError CANCELLED once the signal has ended its download. */
async function unlessCancelled<T>(
  source: string,
  signal: AbortSignal | undefined,
  load: () => Promise<T>,
): Promise<T> {
  const cancelled = (cause: unknown) =>
    new LlmHostError('CANCELLED', `Loading ${source} was cancelled`, { cause });
  if (signal?.aborted) throw cancelled(signal.reason);
  try {
    return await load();
  } catch (error) {
    throw signal?.aborted && !(error instanceof LlmHostError) ? cancelled(error) : error;
  }
}
