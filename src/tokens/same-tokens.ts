import type { Tokenizer } from './tokenizer-types.ts';

type Tokens = Pick<Tokenizer, 'vocabSize' | 'decode' | 'bytesOf'>;

/** The first id that is not the same token for both; undefined if all are. */
export function differentToken(a: Tokens, b: Tokens): number | undefined {
  const count = Math.max(a.vocabSize, b.vocabSize);
  for (let id = 0; id < count; id++) {
    if (!bytes(a, id).equals(bytes(b, id))) return id;
  }
  return undefined;
}

/** None for an id that is no token. */
function bytes(tokenizer: Tokens, id: number): Buffer {
  if (id >= tokenizer.vocabSize) return Buffer.alloc(0);
  const known = tokenizer.bytesOf?.(id);
  return known ? Buffer.from(known) : Buffer.from(tokenizer.decode([id]));
}
