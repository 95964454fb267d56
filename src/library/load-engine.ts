import type { LocalEngine } from '../engine/engine.ts';
import { loadEngine as load } from '../engine/load-engine.ts';
import type { ModelOptions } from '../engine/model-options.ts';
import { unlessCancelled } from './unless-cancelled.ts';

/**
 * Loads a model to work with token ids: a folder in Hugging Face layout, a .gguf file, a Hub id (`org/name`, optionally
 * `@revision`), which is downloaded if it is not in the cache, or `demo`.
 * @throws LlmHostError MODEL_NOT_FOUND, MODEL_BROKEN, MODEL_UNSUPPORTED, OUT_OF_MEMORY, ENGINE_UNAVAILABLE, CANCELLED
 */
export async function loadEngine(source: string, options: ModelOptions = {}): Promise<LocalEngine> {
  return await unlessCancelled(source, options.signal, () => load(source, options));
}
