import { createTokenizer } from '../../src/tokens/tokenizer.ts';
import type { Tokenizer } from '../../src/tokens/tokenizer-types.ts';

export interface SmallToken {
  readonly content: string;
  readonly special?: boolean;
  readonly normalized?: boolean;
  readonly lstrip?: boolean;
  readonly rstrip?: boolean;
  readonly single_word?: boolean;
}

/** One token a character (of `letters`), plus added tokens: enough to see where text is cut. */
export function smallTokenizer(
  added: readonly SmallToken[],
  extra: Readonly<Record<string, unknown>> = {},
): Tokenizer {
  const letters = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)).concat(
    '\n',
    '\u2581',
    'é',
  );
  const vocab = Object.fromEntries(['<unk>', ...letters].map((letter, id) => [letter, id]));
  const first = Object.keys(vocab).length;
  return createTokenizer({
    added_tokens: added.map((token, index) => ({
      special: false,
      normalized: false,
      ...token,
      id: first + index,
    })),
    model: { type: 'BPE', vocab, merges: [], unk_token: '<unk>' },
    ...extra,
  });
}

/** Ids as their tokens, control tokens in brackets: easy to read in an assertion. */
export function show(tokenizer: Tokenizer, ids: readonly number[], added: readonly SmallToken[]): string {
  const names = new Map(added.map(token => [tokenizer.idOf(token.content), `[${token.content}]`]));
  return ids.map(id => names.get(id) ?? tokenizer.decode([id])).join('');
}
