import { existsSync } from 'node:fs';
import { messageOf } from '../../errors.ts';
import type { OpenedModel } from '../../run/open-model.ts';

/** The file next to a saved conversation with its KV cache. */
const cacheFileOf = (path: string): string => `${path}.cache.safetensors`;

/**
 * Saves the KV cache next to a saved conversation. Resolves with a sentence for the user, undefined for a model without a
 * cache. If it fails, the conversation just has to be computed again.
 */
export async function keepCache({ cache }: OpenedModel, path: string): Promise<string | undefined> {
  if (cache === undefined) return undefined;
  const file = cacheFileOf(path);
  try {
    const { tokens, bytes } = await cache.saveCache(file);
    return `The KV cache is saved in ${file} (${tokens} tokens, ${(bytes / 1e6).toFixed(1)} MB).`;
  } catch (error) {
    return `The KV cache is not saved: ${messageOf(error)}`;
  }
}

/** Loads the KV cache next to a saved conversation; a sentence for the user if there is one. */
export async function restoreCache({ cache }: OpenedModel, path: string): Promise<string | undefined> {
  const file = cacheFileOf(path);
  if (cache === undefined || !existsSync(file)) return undefined;
  try {
    const { tokens } = await cache.loadCache(file);
    return `Its KV cache was loaded: ${tokens} tokens.`;
  } catch (error) {
    return `Its KV cache cannot be used, so the conversation is computed again: ${messageOf(error)}`;
  }
}
