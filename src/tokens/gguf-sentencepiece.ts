import type { TextList } from '../text/text-list.ts';
import type { Merges } from './merge-table.ts';
import type { JsonObject } from './tokenizer-json.ts';
import { Vocabulary } from './vocabulary.ts';

/** SentencePiece's substitute for a space. */
const SPACE = '▁';

export interface SentencePieceParts {
  readonly tokens: TextList;
  /** Which of two merges comes first; or the merges themselves, in order. */
  readonly order: { readonly scores: ArrayLike<number> } | { readonly merges: TextList };
  /** A space is added before the text. */
  readonly spacePrefix: boolean;
  readonly unknown: string | undefined;
  readonly addedTokens: readonly object[];
}

/**
 * tokenizer.json for a BPE vocabulary of SentencePiece (llama, gemma). SentencePiece merges the neighbors whose union
 * has the highest score, as long as it is in the vocabulary; unknown characters become bytes.
 */
export function sentencePieceJson(parts: SentencePieceParts): JsonObject {
  const { tokens, order, spacePrefix, unknown, addedTokens } = parts;
  const spaces = { type: 'Replace', pattern: { String: ' ' }, content: SPACE };
  const normalizers = spacePrefix ? [{ type: 'Prepend', prepend: SPACE }, spaces] : [spaces];
  const vocabulary = new Vocabulary(tokens);
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
      vocab: vocabulary,
      merges: 'merges' in order ? order.merges : mergesOf(vocabulary, order.scores),
    },
  };
}

/** Every way to make a token from two others, highest score first; at equal scores longer parts first. */
function mergesOf(vocabulary: Vocabulary, scores: ArrayLike<number>): Merges {
  const { texts } = vocabulary;
  const left: number[] = [];
  const right: number[] = [];
  const made: number[] = [];
  const lengths: number[] = [];
  for (let id = 0; id < texts.length; id++) {
    const start = texts.startOf(id);
    const end = texts.endOf(id);
    for (let cut = start + 1; cut < end; cut++) {
      const before = vocabulary.idOfBytes(texts.bytes, start, cut);
      const after = before < 0 ? before : vocabulary.idOfBytes(texts.bytes, cut, end);
      if (after < 0) continue;
      left.push(before);
      right.push(after);
      made.push(id);
      lengths.push(cut - start);
    }
  }
  const score = (merge: number) => scores[made[merge] as number] as number;
  const order = Uint32Array.from(made.keys()).sort(
    (a, b) => score(b) - score(a) || (lengths[b] as number) - (lengths[a] as number),
  );
  const sorted = (ids: readonly number[]) => Int32Array.from(order, merge => ids[merge] as number);
  return { left: sorted(left), right: sorted(right), made: sorted(made) };
}
