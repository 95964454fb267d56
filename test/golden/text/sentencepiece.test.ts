import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ggufTokenizer } from '../../../src/tokens/gguf-tokenizer.ts';
import { createTokenizer } from '../../../src/tokens/tokenizer.ts';

interface Golden {
  readonly name: string;
  readonly tokens: readonly string[];
  readonly scores: readonly number[];
  readonly types: readonly number[];
  readonly prefix: boolean;
  readonly cases: readonly { readonly text: string; readonly ids: readonly number[] }[];
}

const goldens: Golden[] = JSON.parse(readFileSync(new URL('sentencepiece.json', import.meta.url), 'utf8'));

describe.each(goldens)(
  'a SentencePiece vocabulary as $name has it',
  ({ tokens, scores, types, prefix, cases }) => {
    const files = ggufTokenizer(
      new Map<string, unknown>([
        ['tokenizer.ggml.model', 'llama'],
        ['tokenizer.ggml.tokens', tokens],
        ['tokenizer.ggml.scores', scores],
        ['tokenizer.ggml.token_type', types],
        ['tokenizer.ggml.add_space_prefix', prefix],
        ['tokenizer.ggml.bos_token_id', 1],
      ]),
    );
    const tokenizer = createTokenizer(files.tokenizerJson, files.tokenizerConfig);

    test.each(cases)('$text', ({ text, ids }) => {
      expect(tokenizer.encode(text)).toEqual(ids);
      expect(tokenizer.decode(ids)).toBe(text);
    });
  },
);
