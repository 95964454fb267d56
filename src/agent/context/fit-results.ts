import type { History, HistoryMark } from '../../chat/history.ts';
import type { Message, ToolDefinition } from '../../chat/message.ts';
import type { TurnEvent } from '../events/turn-event.ts';
import type { ChatModel } from '../model/chat-model.ts';
import type { LongResults } from '../results/long-results.ts';
import { promptLimit } from './fit-context.ts';

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
      ...(thinking !== undefined && { thinking }),
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
