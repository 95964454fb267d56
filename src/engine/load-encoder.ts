import { LlmHostError } from '../errors.ts';
import type { ReadModel } from '../model/load-model.ts';
import { withConfigFile } from '../model/name-config-file.ts';
import { loadAddon } from '../native/load-addon.ts';
import { createTokenizer } from '../tokens/tokenizer.ts';
import type { Tokenizer } from '../tokens/tokenizer-types.ts';
import { MlxEncoder } from './encoder.ts';
import type { ModelOptions } from './model-options.ts';

/** Loads an encoder that was found, with its tokenizer. @throws LlmHostError as `loadEngine` does */
export async function loadEncoder(
  read: ReadModel,
  { onProgress, saveQuantized }: Pick<ModelOptions, 'onProgress' | 'saveQuantized'>,
): Promise<{ readonly encoder: MlxEncoder; readonly tokenizer: Tokenizer }> {
  if (!read.tokenizer) throw new LlmHostError('MODEL_UNSUPPORTED', `${read.name} has no tokenizer.json`);
  if (saveQuantized !== undefined)
    throw new LlmHostError(
      'USAGE',
      `--save-quantized: ${read.name} turns texts into vectors, and is not saved`,
    );
  const tokenizer = createTokenizer(read.tokenizer, read.tokenizerConfig);
  try {
    return {
      encoder: await MlxEncoder.create(loadAddon(), read.spec, { name: read.name, onProgress }),
      tokenizer,
    };
  } catch (error) {
    throw error instanceof LlmHostError ? withConfigFile(error, read.configFile) : error;
  }
}
