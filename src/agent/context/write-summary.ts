import type { Message } from '../../chat/message.ts';
import type { ReplyStats } from '../events/turn-event.ts';
import type { ChatModel, PromptRequest, ReplyRequest } from '../model/chat-model.ts';
import { missingFacts } from './missing-facts.ts';

const INSTRUCTION =
  'You summarize conversations. Write a short summary in the language of the conversation: what the user wanted, what was found out, what was decided and what is still open. Keep every name, number, date, path and quotation exactly. Write nothing but the summary.';
/** The request for a summary as the conversation's own next message, behind everything the model has read. */
export const ASKED_WITHIN =
  'Leave my requests for a moment and write a short summary of our conversation so far, in its language: what I wanted, what was found out, what was decided and what is still open. Keep every name, number, date, path and quotation exactly. Call no tool and write nothing but the summary.';
/** Share of the context for the text to summarize; the rest is for the instruction and the summary. */
const TEXT_SHARE = 0.6;
const MIN_SUMMARY_TOKENS = 16;
/** Characters of a tool's result in that text. */
const MAX_RESULT = 400;

/** A user message and everything up to the next one. */
export type Turn = readonly Message[];

export interface WriteSummaryOptions {
  /** The turns, and all before them, as the model has read them: their request begins as the conversation does. */
  readonly asRead: Pick<PromptRequest, 'messages' | 'tools'>;
  /** The text of an earlier summary, about the time before these turns; '' if there is none. */
  readonly before: string;
  /** The summary is cut there. */
  readonly maxTokens: number;
  readonly signal?: AbortSignal | undefined;
  /** Receives the figures of each reply that the model gives for it, whatever becomes of the summary. */
  readonly onReply?: ((stats: ReplyStats) => void) | undefined;
}

/**
 * Lets the model summarize turns, within the conversation if they fit: then it need not read them again, nor what stands
 * before them in later prompts. Else, or if it only called tools, as a text, a few turns at a time if they do not fit its
 * context together. What it writes as a call is left out. `before`, if it wrote nothing; undefined: cancelled. Throws
 * LlmHostError if it fails.
 */
export async function writeSummary(
  model: ChatModel,
  turns: readonly Turn[],
  options: WriteSummaryOptions,
): Promise<string | undefined> {
  const { asRead, before, maxTokens, signal } = options;
  const { messages, tools } = asRead;
  const within = { messages: [...messages, { role: 'user' as const, content: ASKED_WITHIN }], tools };
  if (model.countTokens(within) + maxTokens <= model.contextLength) {
    const text = await summarize(model, within, options);
    if (text === undefined || text !== '') return text;
    if (tools.length === 0) return before;
  }
  let written = before;
  for (let done = 0; done < turns.length; ) {
    const count = fitting(model, written, turns.slice(done));
    const request = cutToFit(model, written, turns.slice(done, done + count));
    const part = await summarize(model, { ...request, readsCalls: true }, options);
    if (part === undefined || signal?.aborted) return undefined;
    // A part that yields nothing keeps the summary so far.
    written = part || written;
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

/** A single turn that is larger than the context is halved until it fits. */
function cutToFit(
  model: ChatModel,
  written: string,
  turns: readonly Turn[],
): Pick<PromptRequest, 'messages' | 'tools'> {
  const limit = model.contextLength * TEXT_SHARE;
  let messages = requestFor(written, turns);
  for (
    let chars = turns.map(transcript).join('\n').length;
    tokensOf(model, messages) > limit && chars > 200;
  ) {
    chars = Math.floor(chars / 2);
    messages = requestFor(written, turns, chars);
  }
  return { messages, tools: [] };
}

/** undefined: cancelled. */
async function summarize(
  model: ChatModel,
  request: Pick<ReplyRequest, 'messages' | 'tools' | 'readsCalls'>,
  { maxTokens, signal, onReply }: WriteSummaryOptions,
): Promise<string | undefined> {
  const sampling = { temperature: 0, maxTokens: Math.max(MIN_SUMMARY_TOKENS, maxTokens) };
  const events = model.reply({ ...request, thinking: false, sampling, signal });
  let text = '';
  for (let step = await events.next(); ; step = await events.next()) {
    if (step.done) {
      onReply?.(step.value);
      if (step.value.finishReason === 'cancelled' || signal?.aborted) return undefined;
      return cleanSummary(text, step.value.repetitive === true);
    }
    if (step.value.type === 'content') text += step.value.text;
  }
}

const TITLE = 'Summary of our conversation so far:';
const WORDS_TITLE = "The user's own words, in short:";
const FACTS_TITLE = 'Also mentioned:';
/** Characters of each of the user's messages, from the most that may fit. */
const WORD_CHARS = [200, 120, 80, 50] as const;

/**
 * The text that replaces turns: the model's summary, each of the user's messages in short, and the numbers, names and
 * paths that neither has. All together take at most `room` tokens: then the user's messages become shorter, and the oldest
 * of them and the last facts are left out.
 * @param removed all messages that this summary and those before it stand for
 */
export function summaryText(
  written: string,
  removed: readonly Message[],
  room: number,
  tokensOf: (text: string) => number,
): string {
  const fits = (text: string) => tokensOf(text) <= room;
  let own = written;
  while (own.length > 40 && !fits(textOf(own, [], [])))
    own = own.slice(0, Math.floor(own.length * 0.8)).toWellFormed();
  const asked = removed.flatMap(({ role, content }) => (role === 'user' ? [content] : []));
  let words: string[] = [];
  for (const chars of WORD_CHARS) {
    words = [...new Set(asked.map(text => short(text, chars)).filter(Boolean))];
    if (fits(textOf(own, words, []))) break;
  }
  const newest = most(words.length, count => fits(textOf(own, last(words, count), [])));
  words = last(words, newest);
  const facts = missingFacts(removed, [own, ...words].join('\n'));
  const known = most(facts.length, count => fits(textOf(own, words, facts.slice(0, count))));
  return textOf(own, words, facts.slice(0, known));
}

/** The model's own part of a summary. */
export function writtenPart(summary: string): string {
  const text = summary.startsWith(TITLE) ? summary.slice(TITLE.length) : summary;
  const ends = [WORDS_TITLE, FACTS_TITLE].map(title => text.indexOf(`\n${title}`)).filter(at => at >= 0);
  return text.slice(0, Math.min(text.length, ...ends)).trim();
}

function textOf(written: string, words: readonly string[], facts: readonly string[]): string {
  const parts = [TITLE, written];
  if (words.length > 0) parts.push(WORDS_TITLE, ...words.map(text => `- ${text}`));
  if (facts.length > 0) parts.push(`${FACTS_TITLE} ${facts.join(', ')}.`);
  return parts.filter(Boolean).join('\n');
}

function short(text: string, chars: number): string {
  const line = text
    .slice(0, 4 * chars)
    .replaceAll(/\s+/g, ' ')
    .trim();
  if (line.length <= chars) return line;
  const cut = line.slice(0, chars).toWellFormed();
  return `${cut.slice(0, Math.max(cut.lastIndexOf(' '), chars / 2))} ...`;
}

const last = (items: readonly string[], count: number): string[] => items.slice(items.length - count);

/** The largest count up to `limit` that fits, where fewer always fit too. */
function most(limit: number, fits: (count: number) => boolean): number {
  if (fits(limit)) return limit;
  let [low, high] = [0, limit];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return low;
}

/** Marks of chat templates and of tool calls, as far as they are the same in many families. */
const MARKS =
  /<\|[^|<>\n]{1,40}\|>|<\/?(?:s|bos|eos|think|tool_calls?|tool_response|tool_result|tools|function_call|start_of_turn|end_of_turn)>|\[\/?(?:INST|TOOL_CALLS|TOOL_RESULTS|AVAILABLE_TOOLS|THINK)\]/gi;
/** A line that begins like a turn of somebody. */
const SPEAKER = /^[#*\s]*(user|human|assistant|system|tool)\s*(?:\*\*)?:(?:\*\*)?[ \t]*/gim;
/** The end of a reply that repeats itself. */
const LOOP = /([\s\S]{1,200}?)\1{2,}[\s\S]{0,200}$/;

/** Turns a summary by a model into plain text that cannot be taken for turns or calls, each sentence once. */
function cleanSummary(text: string, repetitive: boolean): string {
  const plain = text.replaceAll(MARKS, '').replaceAll(SPEAKER, '($1) ');
  return eachOnce(repetitive ? plain.replace(LOOP, '$1') : plain).trim();
}

function eachOnce(text: string): string {
  const seen = new Set<string>();
  const isNew = (sentence: string): boolean => {
    const key = sentence.trim();
    if (key === '' || !seen.has(key)) seen.add(key);
    else return false;
    return true;
  };
  const lines = text.split('\n').map(line => {
    const sentences = line.split(/(?<=[.!?])\s+/);
    return { empty: line.trim() === '', text: sentences.filter(isNew).join(' ') };
  });
  return lines.flatMap(line => (line.text !== '' || line.empty ? [line.text] : [])).join('\n');
}
