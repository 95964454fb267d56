import { TextList, TextListBuilder } from '../text/text-list.ts';
import type { Merges } from './merge-table.ts';
import { brokenTokenizer } from './tokenizer-json.ts';
import type { Vocabulary } from './vocabulary.ts';

/**
 * The merges of tokenizer.json in order of rank: pairs of tokens, or the two with a space between. A merge with a
 * missing token keeps its rank and forms nothing. @throws LlmHostError MODEL_BROKEN
 */
export function readMerges(merges: TextList | readonly unknown[], vocabulary: Vocabulary): Merges {
  const pairs = Array.isArray(merges) && Array.isArray(merges[0]) ? pairsOf(merges) : halvesOf(merges);
  const count = pairs.length / 2;
  const read = { left: new Int32Array(count), right: new Int32Array(count), made: new Int32Array(count) };
  for (let rank = 0; rank < count; rank++) {
    const start = pairs.startOf(2 * rank);
    const cut = pairs.endOf(2 * rank);
    const end = pairs.endOf(2 * rank + 1);
    const left = vocabulary.idOfBytes(pairs.bytes, start, cut);
    const right = vocabulary.idOfBytes(pairs.bytes, cut, end);
    read.left[rank] = left;
    read.right[rank] = right;
    // Concatenated, the two are the token they form.
    read.made[rank] = left < 0 || right < 0 ? -1 : vocabulary.idOfBytes(pairs.bytes, start, end);
  }
  return read;
}

function pairsOf(merges: readonly unknown[]): TextList {
  const pairs = new TextListBuilder();
  for (const merge of merges) {
    const [left, right] = Array.isArray(merge) ? merge : [];
    pairs.addText(textOf(left));
    pairs.addText(textOf(right));
  }
  return pairs.build();
}

const SPACE = 0x20;

function halvesOf(merges: TextList | readonly unknown[]): TextList {
  const texts = merges instanceof TextList ? merges : TextList.of(merges.map(textOf));
  const pairs = new TextListBuilder(2 * texts.length, texts.bytes.length);
  for (let i = 0; i < texts.length; i++) {
    const end = texts.endOf(i);
    const cut = spaceIn(texts.bytes, texts.startOf(i), end);
    pairs.add(texts.bytes, texts.startOf(i), cut);
    pairs.add(texts.bytes, Math.min(cut + 1, end), spaceIn(texts.bytes, cut + 1, end));
  }
  return pairs.build();
}

/** The position of the first space, or `end`. */
function spaceIn(bytes: Uint8Array, start: number, end: number): number {
  let at = start;
  while (at < end && bytes[at] !== SPACE) at += 1;
  return Math.min(at, end);
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  throw brokenTokenizer("an entry of 'merges' is not two tokens");
}
