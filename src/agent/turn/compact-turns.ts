import type { Message, ToolDefinition } from '../../chat/message.ts';
import { LlmHostError } from '../../errors.ts';
import type { ChatModel } from '../model/chat-model.ts';
import { missingFacts } from './missing-facts.ts';

export interface CompactOptions {
  /** As offered in the conversation; they count as a part of every prompt. */
  readonly tools: readonly ToolDefinition[];
  readonly signal?: AbortSignal;
}

/** A conversation whose oldest turns are a summary. */
export interface Compacted {
  readonly messages: readonly Message[];
  /** The messages that the summary replaces, without earlier summaries. */
  readonly removed: readonly Message[];
  readonly turns: number;
  readonly summary: string;
  /** Tokens of the whole prompt. */
  readonly tokensBefore: number;
  readonly tokensAfter: number;
}

const TITLE = 'Summary of our conversation so far:';
const INSTRUCTION =
  'You summarize conversations. Write a short summary in the language of the conversation: what the user wanted, what was found out, what was decided and what is still open. Keep every name, number, date, path and quotation exactly. Write nothing but the summary.';
/** Share of the context for the text to summarize; the rest is for the instruction and the summary. */
const TEXT_SHARE = 0.6;
const SUMMARY_SHARE = 0.15;
const MAX_SUMMARY_TOKENS = 600;
/** Characters of a tool's result in that text. */
const MAX_RESULT = 400;

/**
 * Lets the model summarize all turns but the last; the system message stays. Numbers and names that it forgets are added to
 * the summary. `short`: nothing to summarize; `longer`: nothing would be saved. Throws LlmHostError if the model fails.
 */
export async function compactTurns(
  model: ChatModel,
  messages: readonly Message[],
  { tools, signal }: CompactOptions,
): Promise<Compacted | 'short' | 'longer' | 'cancelled'> {
  const starts = messages.flatMap((message, index) => (message.role === 'user' ? [index] : []));
  const [first, last] = [starts[0], starts.at(-1)];
  if (first === undefined || last === undefined || first === last) return 'short';
  const old = starts.slice(0, -1).map((start, index) => messages.slice(start, starts[index + 1]));
  let written = '';
  for (let done = 0; done < old.length; ) {
    const count = fitting(model, written, old.slice(done));
    const part = await summarize(model, written, old.slice(done, done + count), signal);
    if (part === undefined || signal?.aborted) return 'cancelled';
    written = part;
    done += count;
  }
  const removed = old.filter(turn => !isSummary(turn)).flat();
  const facts = missingFacts(removed, written);
  const summary = facts.length === 0 ? written : `${written}\nAlso mentioned: ${facts.join(', ')}.`;
  const compacted: Message[] = [
    ...messages.slice(0, first),
    { role: 'user', content: `${TITLE}\n${summary}` },
    { role: 'assistant', content: 'Thank you, I go on from there.' },
    ...messages.slice(last),
  ];
  const [tokensBefore, tokensAfter] = [messages, compacted].map(list =>
    model.countTokens({ messages: list, tools }),
  );
  if (tokensAfter === undefined || tokensBefore === undefined || tokensAfter >= tokensBefore) return 'longer';
  return { messages: compacted, removed, turns: old.length, summary, tokensBefore, tokensAfter };
}

type Turn = readonly Message[];

const isSummary = ([prompt]: Turn): boolean => prompt?.content.startsWith(TITLE) === true;

/** How many turns the model can read at once; at least one, which is cut if it must be. */
function fitting(model: ChatModel, written: string, turns: readonly Turn[]): number {
  let count = turns.length;
  const limit = model.contextLength * TEXT_SHARE;
  while (count > 1 && tokensOf(model, requestFor(written, turns.slice(0, count))) > limit)
    count = Math.ceil(count / 2);
  return count;
}

const tokensOf = (model: ChatModel, messages: readonly Message[]): number =>
  model.countTokens({ messages, tools: [] });

function requestFor(written: string, turns: readonly Turn[], maxChars = Number.POSITIVE_INFINITY): Message[] {
  const earlier = written === '' ? '' : `Summary of what came before:\n${written}\n\n`;
  const text = turns.map(transcript).join('\n').slice(0, maxChars).toWellFormed();
  return [
    { role: 'system', content: INSTRUCTION },
    { role: 'user', content: `${earlier}Conversation:\n${text}\n\nSummarize it.` },
  ];
}

function transcript(turn: Turn): string {
  return turn
    .map(message => {
      if (message.role === 'tool')
        return `Result of ${message.name}: ${message.content.slice(0, MAX_RESULT)}`;
      const calls = message.role === 'assistant' ? (message.tool_calls ?? []) : [];
      const called = calls.map(
        call => `[calls ${call.function.name}(${JSON.stringify(call.function.arguments)})]`,
      );
      return `${message.role === 'user' ? 'User' : 'Assistant'}: ${[message.content, ...called].filter(Boolean).join(' ')}`;
    })
    .join('\n');
}

/** undefined: cancelled. */
async function summarize(
  model: ChatModel,
  written: string,
  turns: readonly Turn[],
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const limit = model.contextLength * TEXT_SHARE;
  let messages = requestFor(written, turns);
  // A single turn that is larger than the context: halve it until it fits.
  for (
    let chars = turns.map(transcript).join('\n').length;
    tokensOf(model, messages) > limit && chars > 200;
  ) {
    chars = Math.floor(chars / 2);
    messages = requestFor(written, turns, chars);
  }
  const maxTokens = Math.max(
    16,
    Math.min(MAX_SUMMARY_TOKENS, Math.floor(model.contextLength * SUMMARY_SHARE)),
  );
  const events = model.reply({
    ...{ messages, tools: [], thinking: false, sampling: { temperature: 0, maxTokens } },
    ...(signal && { signal }),
  });
  let text = '';
  for (let step = await events.next(); ; step = await events.next()) {
    if (step.done) {
      if (step.value.finishReason === 'cancelled') return undefined;
      break;
    }
    if (step.value.type === 'content') text += step.value.text;
  }
  if (text.trim() === '')
    throw new LlmHostError('ENGINE', 'The model wrote no summary; the conversation is as it was');
  return text.trim();
}
