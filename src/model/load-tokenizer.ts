import { LlmHostError } from '../errors.ts';
import { ggufTokenizer } from '../tokens/gguf-tokenizer.ts';
import { createTokenizer } from '../tokens/tokenizer.ts';
import type { Tokenizer } from '../tokens/tokenizer-types.ts';
import { readModelTexts } from './config.ts';
import { demoFiles } from './demo-model.ts';
import { readGgufHeader } from './gguf/gguf.ts';
import { filesOf, type LocalSource, type LocateOptions, localSource } from './model-source.ts';

/**
 * Loads a model's tokenizer without its weights: of a folder, a .gguf file, a cached Hub id, or `demo`. Throws
 * LlmHostError MODEL_NOT_FOUND, MODEL_BROKEN, or MODEL_UNSUPPORTED if it is missing or of an unknown kind.
 */
export function loadTokenizer(
  source: string,
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Tokenizer {
  const where = { cwd: options.cwd ?? process.cwd(), env: options.env ?? process.env };
  return tokenizerOf(localSource(source, where), where);
}

/** Throws as `loadTokenizer` does. */
export function tokenizerOf(source: LocalSource, where: LocateOptions): Tokenizer {
  const found = filesOf(source, where);
  if (found.kind === 'folder') {
    const { tokenizer, tokenizerConfig } = readModelTexts(found.path);
    if (!tokenizer) throw new LlmHostError('MODEL_UNSUPPORTED', `${found.path} has no tokenizer.json`);
    return createTokenizer(tokenizer, tokenizerConfig);
  }
  const path = found.kind === 'gguf' ? found.path : demoFiles(where.env).weights;
  const files = ggufTokenizer(readGgufHeader(path).metadata);
  return createTokenizer(files.tokenizerJson, files.tokenizerConfig);
}
