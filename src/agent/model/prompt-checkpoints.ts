import type { Message, ToolDefinition } from '../../chat/message.ts';
import type { PromptSegment } from '../../tokens/tokenizer-types.ts';

/** How messages become tokens. */
export interface PromptEncoder {
  render(messages: readonly Message[], tools: readonly ToolDefinition[]): readonly PromptSegment[];
  encode(segments: readonly PromptSegment[]): readonly number[];
}

/**
 * The two places where later prompts are likely to part from this one: the end of the system message, shared by every
 * new conversation, and the end of the last message, before what makes the model answer (in the next turn its answer
 * stands there, and maybe not as it was generated). Lengths of beginnings of the prompt, ascending.
 */
export function promptCheckpoints(
  prompt: { readonly ids: readonly number[]; readonly segments: readonly PromptSegment[] },
  systemIds: readonly number[],
  encoder: PromptEncoder,
): number[] {
  const { ids, segments } = prompt;
  const history = segments.at(-1)?.special ? encoder.encode(segments.slice(0, -1)) : [];
  const places = [commonLength(ids, systemIds), commonLength(ids, history)];
  return [...new Set(places)].filter(place => place > 0).sort((a, b) => a - b);
}

/** What all prompts with these system messages and tools begin with. */
export function systemPrefix(
  messages: readonly Message[],
  tools: readonly ToolDefinition[],
  encoder: PromptEncoder,
): readonly number[] {
  const end = messages.findIndex(message => message.role !== 'system');
  const system = end < 0 ? messages : messages.slice(0, end);
  // Two questions that share no token: what both prompts have in common is none of theirs.
  const [one = [], other = []] = ['a', '7'].map(content =>
    encoder.encode(encoder.render([...system, { role: 'user', content }], tools)),
  );
  return one.slice(0, commonLength(one, other));
}

function commonLength(a: readonly number[], b: readonly number[]): number {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length++;
  return length;
}
