import { LlmHostError, messageOf } from '../../errors.ts';
import { readSafetensorsHeader, type SafetensorsHeader } from '../../model/weights/safetensors.ts';
import type { NativeCacheFile } from '../../native/addon-types.ts';

const FORMAT = 'llm-host-cache';
/** The version the addon writes. */
const VERSION = '2';

/**
 * Reads and checks the header of a saved cache; the addon reads the tensors. @throws LlmHostError CACHE: unreadable,
 * truncated, not a saved cache, or of another version or model.
 */
export function readCacheFile(path: string, modelHash: string): NativeCacheFile {
  const { tensors, metadata } = headerOf(path);
  if (metadata.format !== FORMAT) throw refusal(path, 'is not a saved cache of llm-host');
  if (metadata.version !== VERSION) {
    throw refusal(path, `has version ${JSON.stringify(metadata.version)}, this program reads ${VERSION}`);
  }
  if (metadata.model_hash !== modelHash) {
    throw refusal(path, 'was saved by another model: its configuration, weights or adapter differ');
  }
  const { checksum } = metadata;
  if (checksum === undefined) throw refusal(path, 'has no checksum');
  return { files: [path], tensors: tensors.map(tensor => ({ ...tensor, file: 0 })), checksum };
}

function headerOf(path: string): SafetensorsHeader {
  try {
    return readSafetensorsHeader(path);
  } catch (error) {
    throw refusal(path, `cannot be used: ${messageOf(error).replace(' Download it again.', '')}`, error);
  }
}

function refusal(path: string, what: string, cause?: unknown): LlmHostError {
  return new LlmHostError('CACHE', `${path} ${what}`, {
    cause,
    hint: 'Continue without it: the conversation will be read again, which takes a moment longer.',
  });
}
