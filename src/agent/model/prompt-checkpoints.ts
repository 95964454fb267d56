import type { Message } from '../../chat/message.ts';
import type { PromptSegment } from '../../tokens/tokenizer-types.ts';

/**
 * The two places where later prompts are likely to branch off: the end of the system message, which every new
 * conversation shares, and the end of the last message, before the generation prompt (the next turn has the reply
 * there, perhaps not token for token as it was generated). Prefix lengths, ascending.
 */
export function promptCheckpoints(
  prompt: { readonly ids: readonly number[]; readonly segments: readonly PromptSegment[] },
  systemIds: readonly number[],
  encode: (segments: readonly PromptSegment[]) => readonly number[],
): number[] {
  const { ids, segments } = prompt;
  const history = segments.at(-1)?.special ? encode(segments.slice(0, -1)) : [];
  const places = [commonLength(ids, systemIds), commonLength(ids, history)];
  return [...new Set(places)].filter(place => place > 0).sort((a, b) => a - b);
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
