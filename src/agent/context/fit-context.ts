import type { Message, ToolDefinition } from '../../chat/message.ts';
import type { TurnEvent } from '../events/turn-event.ts';
import type { ChatModel } from '../model/chat-model.ts';

/** Share of the context kept free for the reply. */
const REPLY_SHARE = 0.125;

/** Tokens a prompt may have, so that a reply has room. */
export function promptLimit({ contextLength }: ChatModel): number {
  return contextLength - Math.ceil(contextLength * REPLY_SHARE);
}

/**
 * The messages that fit the model's context. The oldest turns (a user message and everything up to the next one) are
 * dropped whole; the system message, the summary and the latest turn always stay. The history itself does not change. Where
 * even the latest turn does not fit, none counts as dropped: its error says all.
 * @param summarized whether the first turn is a summary
 * @param turn where the latest turn begins, or what follows its question: a call that cannot be read is answered by a user
 * message too. Default: the last message
 */
export function fitContext(
  model: ChatModel,
  messages: readonly Message[],
  tools: readonly ToolDefinition[],
  {
    thinking,
    summarized = false,
    turn = messages.length,
  }: { readonly thinking?: boolean | undefined; readonly summarized?: boolean; readonly turn?: number },
): { messages: readonly Message[]; droppedTurns: number } {
  const limit = promptLimit(model);
  const all = messages.flatMap((message, index) => (message.role === 'user' ? [index] : []));
  const starts = (summarized && all.length > 1 ? all.slice(1) : all).filter(start => start <= turn);
  const head = messages.slice(0, starts[0] ?? messages.length);
  let kept = messages;
  let droppedTurns = 0;
  const tokens = () =>
    model.countTokens({ messages: kept, tools, ...(thinking !== undefined && { thinking }) });
  while (droppedTurns < starts.length - 1 && tokens() > limit) {
    droppedTurns += 1;
    kept = [...head, ...messages.slice(starts[droppedTurns])];
  }
  const inVain = droppedTurns > 0 && droppedTurns === starts.length - 1 && tokens() > model.contextLength;
  return { messages: kept, droppedTurns: inVain ? 0 : droppedTurns };
}

export function droppedNotice(turns: number, contextLength: number): TurnEvent {
  const [what, verb] =
    turns === 1 ? ['The oldest turn does', 'was'] : [`The ${turns} oldest turns do`, 'were'];
  return {
    type: 'notice',
    message: `${what} not fit the context of ${contextLength} tokens and ${verb} left out.`,
  };
}
