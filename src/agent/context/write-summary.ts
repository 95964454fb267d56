import type { Message } from '../../chat/message.ts';
import type { ChatModel } from '../model/chat-model.ts';
import { cleanSummary } from './clean-summary.ts';

const INSTRUCTION =
  'You summarize conversations. Write a short summary in the language of the conversation: what the user wanted, what was found out, what was decided and what is still open. Keep every name, number, date, path and quotation exactly. Write nothing but the summary.';
/** Share of the context for the text to summarize; the rest is for the instruction and the summary. */
const TEXT_SHARE = 0.6;
const MIN_SUMMARY_TOKENS = 16;
/** Characters of a tool's result in that text. */
const MAX_RESULT = 400;

/** A user message and everything up to the next one. */
export type Turn = readonly Message[];

export interface WriteSummaryOptions {
  /** What an earlier summary says of the time before these turns; '' if there is none. */
  readonly before: string;
  /** The summary is cut there. */
  readonly maxTokens: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Lets the model summarize turns, a few at a time if they do not fit its context together. It has no tools for that, and
 * what it writes as a call is left out. '': it wrote nothing; undefined: cancelled. Throws LlmHostError if it fails.
 */
export async function writeSummary(
  model: ChatModel,
  turns: readonly Turn[],
  { before, maxTokens, signal }: WriteSummaryOptions,
): Promise<string | undefined> {
  let written = before;
  for (let done = 0; done < turns.length; ) {
    const count = fitting(model, written, turns.slice(done));
    const part = await summarize(model, written, turns.slice(done, done + count), maxTokens, signal);
    if (part === undefined || signal?.aborted) return undefined;
    written = part;
    done += count;
  }
  return written;
}

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
  maxTokens: number,
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
  const sampling = { temperature: 0, maxTokens: Math.max(MIN_SUMMARY_TOKENS, maxTokens) };
  const events = model.reply({
    ...{ messages, tools: [], thinking: false, sampling },
    ...(signal && { signal }),
  });
  let text = '';
  for (let step = await events.next(); ; step = await events.next()) {
    if (step.done) {
      if (step.value.finishReason === 'cancelled') return undefined;
      return cleanSummary(text, step.value.repetitive === true);
    }
    if (step.value.type === 'content') text += step.value.text;
  }
}
