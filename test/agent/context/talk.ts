import { ASKED_WITHIN } from '../../../src/agent/context/write-summary.ts';
import type { ReplyStats } from '../../../src/agent/events/turn-event.ts';
import type { ReplyEvent, ReplyRequest } from '../../../src/agent/model/chat-model.ts';
import type { TurnOptions } from '../../../src/agent/turn/agent-options.ts';
import { Conversation } from '../../../src/agent/turn/conversation.ts';
import { createHistory } from '../../../src/chat/history.ts';
import type { Message } from '../../../src/chat/message.ts';
import { answer, collect, content, FakeHost, FakeModel, STATS } from '../fakes.ts';

/** How this model is asked for a summary, within the conversation or of a text: what it gets to read. */
export const asksForSummary = ({ messages }: Pick<ReplyRequest, 'messages'>): string | undefined => {
  if (messages[0]?.content.startsWith('You summarize')) return messages[1]?.content;
  if (messages.at(-1)?.content !== ASKED_WITHIN) return undefined;
  return messages.map(({ content: text }) => text).join('\n');
};

type Reply = (request: ReplyRequest) => AsyncGenerator<ReplyEvent, ReplyStats>;

export interface TalkOptions extends Partial<Pick<TurnOptions, 'tools' | 'overflow' | 'maxResultChars'>> {
  readonly contextLength?: number;
  /** What the model writes as a summary of this text. */
  readonly summary?: (text: string, request: ReplyRequest) => string | readonly ReplyEvent[] | Reply | Error;
  /** What it replies to these messages. */
  readonly reply?: (messages: readonly Message[]) => string | readonly ReplyEvent[];
  readonly stats?: Partial<ReplyStats>;
}

/** A conversation with a model of one token for four characters and three for each message. */
export function talk(options: TalkOptions = {}) {
  const {
    contextLength = 1000,
    summary = () => 'They talked.',
    reply = () => 'Yes.',
    stats,
    ...own
  } = options;
  const step: Reply = async function* (request) {
    const text = asksForSummary(request);
    const said = text === undefined ? reply(request.messages) : summary(text, request);
    if (said instanceof Error) throw said;
    if (typeof said === 'function') return yield* said(request);
    yield* typeof said === 'string' ? [content(said)] : said;
    const cancelled = request.signal?.aborted ? { finishReason: 'cancelled' as const } : {};
    return { ...STATS, ...(text !== undefined && stats), ...cancelled };
  };
  const model = new FakeModel(Array.from({ length: 2000 }, () => step));
  model.contextLength = contextLength;
  const count = (messages: readonly Message[]) =>
    messages.reduce((sum, message) => sum + 3 + Math.ceil(message.content.length / 4), 0);
  model.countTokens = ({ messages, tools }: Pick<ReplyRequest, 'messages' | 'tools'>) =>
    count(messages) + 20 * tools.length;
  const history = createHistory('Be brief.');
  const tools = new FakeHost({ look: answer('A rose.') });
  const agent = new Conversation({
    model,
    history,
    tools,
    sampling: {},
    toolTimeoutMs: 1000,
    overflow: 'summarize',
    ...own,
  });
  return {
    agent,
    history,
    model,
    count,
    ask: (text: string, signal?: AbortSignal) => collect(agent.turn(text, signal)),
    /** The prompts of replies, not of summaries. */
    prompts: () => model.requests.filter(request => asksForSummary(request) === undefined),
    summaries: () => model.requests.filter(request => asksForSummary(request) !== undefined),
  };
}
