import type { JsonObject } from './tokenizer-json.ts';

/** What SentencePiece puts in the place of a space. */
const SPACE = '▁';

export interface SentencePieceParts {
  readonly tokens: readonly string[];
  readonly scores: ArrayLike<number>;
  /** Text gets a space before it. */
  readonly spacePrefix: boolean;
  readonly unknown: string | undefined;
  readonly addedTokens: readonly object[];
}

/**
 * tokenizer.json for a SentencePiece vocabulary of the BPE kind (llama, gemma). SentencePiece joins the neighbours
 * whose union has the highest score, until none is in the vocabulary; characters that are not in it become bytes.
 */
export function sentencePieceJson(parts: SentencePieceParts): JsonObject {
  const { tokens, scores, spacePrefix, unknown, addedTokens } = parts;
  const spaces = { type: 'Replace', pattern: { String: ' ' }, content: SPACE };
  const normalizers = spacePrefix ? [{ type: 'Prepend', prepend: SPACE }, spaces] : [spaces];
  const decoders: object[] = [
    { type: 'Replace', pattern: { String: SPACE }, content: ' ' },
    { type: 'ByteFallback' },
    { type: 'Fuse' },
  ];
  if (spacePrefix) decoders.push({ type: 'Strip', content: ' ', start: 1, stop: 0 });
  return {
    version: '1.0',
    added_tokens: addedTokens,
    normalizer: { type: 'Sequence', normalizers },
    pre_tokenizer: null,
    post_processor: null,
    decoder: { type: 'Sequence', decoders },
    model: {
      type: 'BPE',
      unk_token: unknown ?? null,
      fuse_unk: true,
      byte_fallback: true,
      vocab: Object.fromEntries(tokens.map((token, id) => [token, id])),
      merges: mergesOf(tokens, scores),
    },
  };
}

/** Every way to make a token of two others, the highest score first; of equal ones the longer parts first. */
function mergesOf(tokens: readonly string[], scores: ArrayLike<number>): [string, string][] {
  const known = new Set(tokens);
  const merges: { left: string; right: string; score: number }[] = [];
  tokens.forEach((token, id) => {
    const characters = Array.from(token);
    for (let cut = 1, left = ''; cut < characters.length; cut++) {
      left += characters[cut - 1];
      const right = token.slice(left.length);
      if (known.has(left) && known.has(right)) merges.push({ left, right, score: scores[id] as number });
    }
  });
  merges.sort(
    (a, b) => b.score - a.score || b.left.length - a.left.length || b.right.length - a.right.length,
  );
  return merges.map(({ left, right }) => [left, right]);
}
