import type { History, HistoryMark } from '../../chat/history.ts';
import type { Message, ToolDefinition } from '../../chat/message.ts';
import { messageOf } from '../../errors.ts';
import type { ReplyStats, TurnEvent } from '../events/turn-event.ts';
import type { ChatModel } from '../model/chat-model.ts';
import { type Compacted, compactTurns } from './compact-turns.ts';
import { promptLimit } from './fit-context.ts';

export interface CompactIfFullParts {
  readonly model: ChatModel;
  readonly history: History;
  readonly tools: readonly ToolDefinition[];
  /** The messages of `history` as the prompt has them. */
  readonly asRead: readonly Message[];
  readonly thinking?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Before a turn whose question, at `start`, is in the history already: summarizes the oldest turns if it does not fit with all
 * of them. Returns where the question is now. If that fails or is cancelled, the history is as it was.
 */
export async function* compactIfFull(
  start: HistoryMark,
  { model, history, tools, asRead, thinking, signal }: CompactIfFullParts,
): AsyncGenerator<TurnEvent, HistoryMark> {
  const { messages, summarized: earlier } = history;
  // The reply's own list, so that it is counted once.
  const tokens = model.countTokens({ messages: asRead, tools, ...(thinking !== undefined && { thinking }) });
  if (tokens <= promptLimit(model) || !hasTurns(history, start)) return start;
  yield notice(
    `The next turn would not fit the context of ${model.contextLength} tokens: the model summarizes the oldest ones.`,
  );
  let done: Awaited<ReturnType<typeof compactTurns>>;
  const replies: ReplyStats[] = [];
  const onReply = (stats: ReplyStats): void => void replies.push(stats);
  try {
    done = await compactTurns(model, messages, { tools, asRead, earlier, keepLatest: true, signal, onReply });
  } catch (error) {
    yield* statsOf(replies);
    yield notice(`There is no summary: ${messageOf(error)}`);
    return start;
  }
  yield* statsOf(replies);
  if (typeof done === 'string') {
    if (done !== 'cancelled') yield notice('A summary would make no room.');
    return start;
  }
  const question = messages.slice(start);
  history.rollback(start);
  history.summarize(done.messages.slice(0, -question.length), done.removed);
  const moved = history.mark();
  history.add(...question);
  const { turns, summary, tokensBefore, tokensAfter } = done;
  yield notice(compactedText(done));
  yield { type: 'compaction', turns, tokensBefore, tokensAfter, summary };
  return moved;
}

const statsOf = (replies: readonly ReplyStats[]): readonly TurnEvent[] =>
  replies.map(stats => ({ type: 'stats', stats, summary: true }));

/** Whether there is more than a summary before the question. */
function hasTurns({ messages, summarized }: History, start: HistoryMark): boolean {
  const prompts = messages.slice(0, start).filter(({ role }) => role === 'user').length;
  return prompts > (summarized.length > 0 ? 1 : 0);
}

/** What the user is told of a summary. */
export function compactedText({ turns, tokensBefore, tokensAfter, unwritten }: Compacted): string {
  const what = turns === 1 ? '1 turn' : `${turns} turns`;
  const text = `${what} became a summary: ${tokensBefore} tokens are ${tokensAfter} now. The saved conversation keeps every word; /undo takes it back.`;
  return unwritten ? `${text} The model wrote none, so it holds your own words and the facts.` : text;
}

const notice = (message: string): TurnEvent => ({ type: 'notice', message });
