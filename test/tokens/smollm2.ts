import { existsSync } from 'node:fs';
import { demoWeightsPath } from '../../src/model/demo-model.ts';
import { readGgufHeader } from '../../src/model/gguf/gguf.ts';
import { ggufTokenizer } from '../../src/tokens/gguf-tokenizer.ts';
import { createTokenizer } from '../../src/tokens/tokenizer.ts';
import type { Tokenizer } from '../../src/tokens/tokenizer-types.ts';

/** The demo's real tokenizer, out of its GGUF file. A test without it would show nothing, so it fails. */
export function smollm2Tokenizer(): Tokenizer {
  const path = demoWeightsPath(process.env);
  if (!existsSync(path)) {
    throw new Error(
      `This test reads the demo's tokenizer from ${path}, which is missing. Run: npm run bootstrap`,
    );
  }
  const files = ggufTokenizer(readGgufHeader(path).metadata);
  return createTokenizer(files.tokenizerJson, files.tokenizerConfig);
}
