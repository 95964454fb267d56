import type { Message } from '../../chat/message.ts';
import type { PromptSegment } from '../../tokens/tokenizer-types.ts';

/** Tokens between two places of an older message: each ends a step of reading. */
const LEAST_GAP = 256;

/**
 * The places where later prompts are likely to branch off: the end of the system message, which every new conversation
 * shares; the end of the last message, before the generation prompt (the next turn has the reply there, perhaps not token
 * for token as it was generated, or without its thoughts); the one before it, if the last message is edited; and some
 * further back. Prefix lengths, ascending.
 */
export function promptCheckpoints(
  prompt: { readonly ids: readonly number[]; readonly segments: readonly PromptSegment[] },
  systemIds: readonly number[],
  encode: (segments: readonly PromptSegment[]) => readonly number[],
): number[] {
  const { ids, segments } = prompt;
  const history = segments.at(-1)?.special ? segments.slice(0, -1) : [];
  const ends = contentEnds(ids, history, encode);
  const last = ends.whole ? [] : [commonLength(ids, encode(history))];
  const places = [commonLength(ids, systemIds), ...last, ...spread(ends.lengths)];
  return [...new Set(places)].filter(place => place > 0).sort((a, b) => a - b);
}

/**
 * Where contents end. Each piece is tokenized alone, so that a long history is tokenized once and not for every message;
 * `whole` is false where tokens go across such an end, and further ones are not known.
 */
function contentEnds(
  ids: readonly number[],
  segments: readonly PromptSegment[],
  encode: (segments: readonly PromptSegment[]) => readonly number[],
): { readonly lengths: readonly number[]; readonly whole: boolean } {
  const lengths: number[] = [];
  let length = 0;
  let from = 0;
  for (const [index, { special }] of segments.entries()) {
    if (special || segments[index + 1]?.special === false) continue;
    const piece = encode(segments.slice(from, index + 1));
    if (!piece.every((id, place) => ids[length + place] === id)) return { lengths, whole: false };
    length += piece.length;
    lengths.push(length);
    from = index + 1;
  }
  return { lengths, whole: from > 0 && from === segments.length };
}

/** The last two, and those before them with some distance. */
function spread(lengths: readonly number[]): number[] {
  const chosen: number[] = [];
  for (const length of lengths.toReversed()) {
    if (chosen.length < 2 || (chosen.at(-1) as number) - length >= LEAST_GAP) chosen.push(length);
  }
  return chosen;
}

/** The ids that all prompts with these system messages start with. */
export function systemPrefix(
  messages: readonly Message[],
  prompt: (messages: readonly Message[]) => readonly number[],
): readonly number[] {
  const end = messages.findIndex(message => message.role !== 'system');
  const system = end < 0 ? messages : messages.slice(0, end);
  // Two questions without a token in common: what the prompts share comes before either.
  const [one = [], other = []] = ['a', '7'].map(content => prompt([...system, { role: 'user', content }]));
  return one.slice(0, commonLength(one, other));
}

export function commonLength(a: readonly number[], b: readonly number[]): number {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length++;
  return length;
}
