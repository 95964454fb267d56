import type { History, HistoryMark } from '../../chat/history.ts';
import type { Message, ToolDefinition } from '../../chat/message.ts';
import type { TurnEvent } from '../events/turn-event.ts';
import type { ChatModel } from '../model/chat-model.ts';
import type { LongResults } from '../results/long-results.ts';

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
  const tokens = () => model.countTokens({ messages: kept, tools, thinking });
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

/** Share of the context that is aimed at, so that not every further result means cutting again. */
const TARGET_SHARE = 0.7;
/** Characters of a result that always stay, and of the note below them. */
const MIN_CHARS = 400;
const NOTE_CHARS = 300;

export interface FitResultsParts {
  readonly model: ChatModel;
  readonly history: History;
  readonly results: LongResults;
  readonly tools: () => readonly ToolDefinition[];
  readonly thinking?: boolean | undefined;
}

/**
 * Cuts the results of the turn that began at `start`, the longest first, if it outgrows the context: its older messages are
 * needed as they are until it ends. What is cut can be read on.
 */
export function* fitResults(
  start: HistoryMark,
  { model, history, results, tools, thinking }: FitResultsParts,
): Generator<TurnEvent> {
  const tokens = () =>
    model.countTokens({
      messages: history.messages,
      tools: tools(),
      thinking,
    });
  if (!history.messages.slice(start).some(isLong) || tokens() <= promptLimit(model)) return;
  const cut = new Set<number>();
  const target = model.contextLength * TARGET_SHARE;
  while (tokens() > target) {
    const turn = history.messages.slice(start);
    const at = longest(turn);
    const message = turn[at];
    if (message?.role !== 'tool') break;
    const limit = Math.max(MIN_CHARS, Math.floor((message.content.length - NOTE_CHARS) / 2));
    const content = results.shrink(message.name, message.content, limit);
    if (content.length >= message.content.length) break;
    history.rollback(start);
    history.add(...turn.with(at, { ...message, content }));
    cut.add(at);
  }
  if (cut.size === 0) return;
  const what = cut.size === 1 ? 'A result was' : `${cut.size} results were`;
  yield {
    type: 'notice',
    message: `${what} cut further: this turn has outgrown the context of ${model.contextLength} tokens.`,
  };
}

const isLong = ({ role, content }: Message): boolean =>
  role === 'tool' && content.length > MIN_CHARS + NOTE_CHARS;

/** The longest result that can be cut; -1: there is none. */
function longest(messages: readonly Message[]): number {
  let found = -1;
  messages.forEach((message, index) => {
    if (isLong(message) && message.content.length > (messages[found]?.content.length ?? 0)) found = index;
  });
  return found;
}
