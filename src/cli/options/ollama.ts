import { LlmHostError } from '../../errors.ts';
import type { ModelSource } from '../../model/model-source.ts';
import type { ChatArguments } from './chat-options.ts';

/** How this program loads a model. */
const OF_ONE_LOADED_HERE = {
  adapter: '--adapter',
  quantize: '--quantize',
  saveQuantized: '--save-quantized',
  draftModel: '--draft-model',
  hosts: '--hosts',
} as const satisfies Partial<Record<keyof ChatArguments, string>>;

/** What further models of a server are loaded with, too. */
const OF_ALL_LOADED_HERE = {
  kvBits: '--kv-bits',
  diskCacheMb: '--disk-cache-mb',
} as const satisfies Partial<Record<keyof ChatArguments, string>>;

/**
 * Refuses what has no effect on a model that Ollama loads; what config.json says is for all models, and stays.
 * Throws LlmHostError USAGE.
 * @param others whether further models may be loaded here
 */
export function checkOllama(source: ModelSource, args: ChatArguments, others: boolean): void {
  if (source.kind !== 'ollama') return;
  const flags = { ...OF_ONE_LOADED_HERE, ...(!others && OF_ALL_LOADED_HERE) };
  const given = Object.entries(flags).find(([name]) => args[name as keyof typeof flags] !== undefined);
  if (!given) return;
  throw new LlmHostError('USAGE', `${given[1]} does not go with a model of Ollama`, {
    hint: 'Ollama loads the model, by its own settings.',
  });
}
