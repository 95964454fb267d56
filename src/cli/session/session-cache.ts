import { existsSync } from 'node:fs';
import { messageOf } from '../../errors.ts';
import type { OpenedModel } from '../../run/open-model.ts';

/** The file beside a saved conversation with the keys, values and states of the tokens that the model has read of it. */
const cacheFileOf = (path: string): string => `${path}.cache.safetensors`;

/**
 * Keeps the model's cache beside a saved conversation. A sentence for the user, or undefined for a model without one;
 * without it the conversation only has to be read again.
 */
export async function keepCache({ cache }: OpenedModel, path: string): Promise<string | undefined> {
  if (cache === undefined) return undefined;
  const file = cacheFileOf(path);
  try {
    const { tokens, bytes } = await cache.saveCache(file);
    return `What the model has read is kept in ${file} (${tokens} tokens, ${(bytes / 1e6).toFixed(1)} MB).`;
  } catch (error) {
    return `What the model has read is not kept: ${messageOf(error)}`;
  }
}

/** Takes over the cache beside a saved conversation; a sentence for the user where there is one. */
export async function restoreCache({ cache }: OpenedModel, path: string): Promise<string | undefined> {
  const file = cacheFileOf(path);
  if (cache === undefined || !existsSync(file)) return undefined;
  try {
    const { tokens } = await cache.loadCache(file);
    return `The model has read ${tokens} tokens of it already.`;
  } catch (error) {
    return `It has to be read again: ${messageOf(error)}`;
  }
}
