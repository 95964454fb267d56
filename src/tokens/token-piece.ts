import type { Tokenizer } from './tokenizer-types.ts';

/** One token by itself. */
export interface TokenPiece {
  /** With U+FFFD for a part of a character. */
  readonly token: string;
  /** Its UTF-8; undefined: the tokenizer does not tell. */
  readonly bytes?: readonly number[];
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** A token as it stands in the middle of a text: decoded as a text of its own, it may lose the space it begins with. */
export function tokenPiece(tokenizer: Pick<Tokenizer, 'decode' | 'bytesOf'>, id: number): TokenPiece {
  const bytes = tokenizer.bytesOf?.(id);
  return bytes === undefined
    ? { token: tokenizer.decode([id]) }
    : { token: decoder.decode(bytes), bytes: [...bytes] };
}
