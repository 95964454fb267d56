import { LlmHostError } from '../errors.ts';
import { ggufTokenizer } from '../tokens/gguf-tokenizer.ts';
import { createTokenizer } from '../tokens/tokenizer.ts';
import type { Tokenizer } from '../tokens/tokenizer-types.ts';
import { readModelTexts } from './config.ts';
import { demoFiles } from './demo-model.ts';
import { readGgufHeader } from './gguf/gguf.ts';
import { resolveModel } from './locate.ts';

/**
 * Loads a model's tokenizer without its weights: of a folder, a .gguf file, a cached Hub id, or `demo`. Throws
 * LlmHostError MODEL_NOT_FOUND, MODEL_BROKEN, or MODEL_UNSUPPORTED if it is missing or of an unknown kind.
 */
export function loadTokenizer(
  source: string,
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Tokenizer {
  const where = { cwd: options.cwd ?? process.cwd(), env: options.env ?? process.env };
  const location = resolveModel(source, where);
  if (location.kind === 'folder') {
    const { tokenizer, tokenizerConfig } = readModelTexts(location.path);
    if (!tokenizer) throw new LlmHostError('MODEL_UNSUPPORTED', `${location.path} has no tokenizer.json`);
    return createTokenizer(tokenizer, tokenizerConfig);
  }
  const path = location.kind === 'gguf' ? location.path : demoFiles(where.env).weights;
  const files = ggufTokenizer(readGgufHeader(path).metadata);
  return createTokenizer(files.tokenizerJson, files.tokenizerConfig);
}
