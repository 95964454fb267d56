import { LlmHostError } from '../errors.ts';
import type { JsonObject } from '../text/files/json-file.ts';
import { keepsLatents } from './cached-layers.ts';

/** Refuses to quantize latents, before anything is loaded. Throws USAGE. */
export function checkKvBits(name: string, config: JsonObject, kvBits = 0): void {
  if (kvBits === 0 || !keepsLatents(config)) return;
  throw new LlmHostError(
    'USAGE',
    `--kv-bits: ${name} keeps latents instead of keys and values, which cannot be quantized`,
    { hint: 'Leave --kv-bits out: latents are small already.' },
  );
}
