import type { History, HistoryMark } from '../../chat/history.ts';
import type { Message, ToolDefinition } from '../../chat/message.ts';
import { messageOf } from '../../errors.ts';
import type { ReplyStats, TurnEvent } from '../events/turn-event.ts';
import type { ChatModel } from '../model/chat-model.ts';
import { promptLimit } from './fit-context.ts';
import { summaryText, type Turn, writeSummary, writtenPart } from './write-summary.ts';

export interface CompactOptions {
  /** As listed in the conversation's prompts. */
  readonly tools: readonly ToolDefinition[];
  /** The messages as the prompts have them. Default: as they are. */
  readonly asRead?: readonly Message[];
  /** The messages that earlier summaries stand for; if there are any, the first turn is the summary. */
  readonly earlier: readonly Message[];
  /** Keep as many of the latest turns as leave room for those to come. Default: only the last turn. */
  readonly keepLatest?: boolean;
  readonly signal?: AbortSignal | undefined;
  /** Receives the figures of the model's replies, whatever becomes of the summary. */
  readonly onReply?: ((stats: ReplyStats) => void) | undefined;
}

/** A conversation whose oldest turns are a summary. */
export interface Compacted {
  readonly messages: readonly Message[];
  /** The messages that the summary replaces, without an earlier summary. */
  readonly removed: readonly Message[];
  readonly turns: number;
  readonly summary: string;
  /** The model wrote nothing: only the user's words and the facts stand in the summary, with the text of an earlier one. */
  readonly unwritten: boolean;
  /** Tokens of the whole prompt. */
  readonly tokensBefore: number;
  readonly tokensAfter: number;
}

/** The summary's share of the room that system prompt, tools and the last turn leave. */
const SUMMARY_SHARE = 0.35;
const WRITTEN_SHARE = 0.2;
const MAX_WRITTEN_TOKENS = 600;
/** For the summary and the turns that stay. */
const KEPT_SHARE = 0.55;
const MIN_FREE_TOKENS = 100;

/**
 * Lets the model summarize the oldest turns; the system message and the last turn always stay. `short`: nothing to summarize,
 * or no room for a summary; `longer`: nothing would be saved. Throws LlmHostError if the model fails.
 */
export async function compactTurns(
  model: ChatModel,
  messages: readonly Message[],
  { tools, asRead = messages, earlier, keepLatest = false, signal, onReply }: CompactOptions,
): Promise<Compacted | 'short' | 'longer' | 'cancelled'> {
  const { head, summary: before, turns } = splitTurns(messages, earlier.length > 0);
  const count = (list: readonly Message[]) => model.countTokens({ messages: list, tools });
  const withTurns = (kept: readonly Turn[]) => [...head, ...kept.flat()];
  if (turns.length < 2) return 'short';
  const free = model.contextLength - count(withTurns(turns.slice(-1)));
  if (free < MIN_FREE_TOKENS) return 'short';
  const room = Math.floor(free * SUMMARY_SHARE);
  const most = model.contextLength - free * (1 - KEPT_SHARE) - room;
  const kept = keepLatest ? latest(turns, list => count(withTurns(list)) <= most) : turns.slice(-1);
  const old = turns.slice(0, turns.length - kept.length);
  const known = writtenPart(before);
  const written = await writeSummary(model, old, {
    asRead: { messages: asRead.slice(0, messages.length - kept.flat().length), tools },
    before: known,
    maxTokens: Math.min(MAX_WRITTEN_TOKENS, Math.floor(free * WRITTEN_SHARE)),
    signal,
    onReply,
  });
  if (written === undefined) return 'cancelled';
  const removed = old.flat();
  const summary = summaryText(written, [...earlier, ...removed], room, text =>
    model.countTokens({ messages: [{ role: 'user', content: text }], tools: [] }),
  );
  const compacted = [...head, ...summaryMessages(summary), ...kept.flat()];
  const [tokensBefore, tokensAfter] = [count(messages), count(compacted)];
  if (tokensAfter >= tokensBefore) return 'longer';
  const unwritten = written === known;
  return { messages: compacted, removed, turns: old.length, summary, unwritten, tokensBefore, tokensAfter };
}

/** Templates want a reply after each user message. */
function summaryMessages(summary: string): Message[] {
  return [
    { role: 'user', content: summary },
    { role: 'assistant', content: 'Thank you, I go on from there.' },
  ];
}

/** The system message, the text of an earlier summary, and the turns after it. */
function splitTurns(messages: readonly Message[], summarized: boolean) {
  const starts = messages.flatMap((message, index) => (message.role === 'user' ? [index] : []));
  const all = starts.map((start, index) => messages.slice(start, starts[index + 1]));
  const head = messages.slice(0, starts[0] ?? messages.length);
  const summary = summarized ? (all[0]?.[0]?.content ?? '') : '';
  return { head, summary, turns: summarized ? all.slice(1) : all };
}

/** As many of the last turns as fit, at least one and not all. */
function latest(turns: readonly Turn[], fits: (kept: readonly Turn[]) => boolean): readonly Turn[] {
  let count = 1;
  while (count < turns.length - 1 && fits(turns.slice(-count - 1))) count += 1;
  return turns.slice(-count);
}

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
  const tokens = model.countTokens({ messages: asRead, tools, thinking });
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

/** Describes a summary to the user. */
export function compactedText({ turns, tokensBefore, tokensAfter, unwritten }: Compacted): string {
  const what = turns === 1 ? '1 turn' : `${turns} turns`;
  const text = `${what} became a summary: ${tokensBefore} tokens are ${tokensAfter} now. The saved conversation keeps every word; /undo takes it back.`;
  return unwritten ? `${text} The model wrote none, so it holds your own words and the facts.` : text;
}

const notice = (message: string): TurnEvent => ({ type: 'notice', message });
