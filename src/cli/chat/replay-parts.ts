import type { Message } from '../../chat/message.ts';
import { formatArguments } from '../../text/console-format.ts';

/** A part of a conversation to show again. */
export interface ReplayPart {
  readonly type: 'prompt' | 'reply' | 'note';
  readonly text: string;
}

/** Turns that are shown; what came before is counted. */
const SHOWN_TURNS = 10;
/** Lines of a prompt, which may hold whole files. */
const PROMPT_LINES = 12;

/** The last turns of a conversation for a reader: prompts, calls in one line each, replies; results are left out. */
export function replayParts(messages: readonly Message[]): ReplayPart[] {
  const starts = messages.flatMap(({ role }, index) => (role === 'user' ? [index] : []));
  const hidden = Math.max(0, starts.length - SHOWN_TURNS);
  const note = `... ${hidden} earlier ${hidden === 1 ? 'turn' : 'turns'}`;
  return [
    ...(hidden > 0 ? [{ type: 'note', text: note } as const] : []),
    ...messages.slice(starts[hidden] ?? 0).flatMap(partsOf),
  ];
}

function partsOf(message: Message): ReplayPart[] {
  if (message.role === 'user') return [{ type: 'prompt', text: firstLines(message.content) }];
  if (message.role !== 'assistant') return [];
  const calls = (message.tool_calls ?? []).map(({ function: { name, arguments: args } }) => ({
    type: 'note' as const,
    text: `Called ${name}(${formatArguments(args)})`,
  }));
  return message.content.trim() === '' ? calls : [{ type: 'reply', text: message.content }, ...calls];
}

function firstLines(text: string): string {
  const lines = text.split('\n');
  const rest = lines.length - PROMPT_LINES;
  return rest <= 1 ? text : [...lines.slice(0, PROMPT_LINES), `... ${rest} more lines`].join('\n');
}
