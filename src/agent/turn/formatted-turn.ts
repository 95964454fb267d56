import type { History, HistoryMark } from '../../chat/history.ts';
import type { Message, ToolCall } from '../../chat/message.ts';
import { LlmHostError } from '../../errors.ts';
import { canFollow, type ResponseFormat } from '../../grammar/response-format.ts';
import { isCovered } from '../../grammar/schema-coverage.ts';
import { checkSchema } from '../../parse/json/schema-check.ts';
import { isPlainObject } from '../../text/json/plain-object.ts';
import type { TurnEvent } from '../events/turn-event.ts';
import type { ChatModel } from '../model/chat-model.ts';

/** Attempts after the first. */
const RETRIES = 2;

/** The JSON Schema of a format; undefined: any object. */
function schemaOf(format: ResponseFormat): Readonly<Record<string, unknown>> | undefined {
  return format.type === 'json_schema' ? format.schema : undefined;
}

/** Asks the model for the format in words. */
export function formatInstruction(format: ResponseFormat): string {
  const schema = schemaOf(format);
  const what = schema ? `JSON that fits this schema:\n${JSON.stringify(schema)}` : 'one JSON object';
  return `Answer with ${what}\nWrite nothing before or after the JSON.`;
}

/** The part of a format that a model's grammar can enforce; the rest is asked for in words and checked. */
export function enforceable(
  model: ChatModel,
  format: ResponseFormat,
): { readonly enforced: ResponseFormat | undefined; readonly constrained: boolean } {
  const enforced = model.canFollowFormat && canFollow(format) ? format : undefined;
  return { enforced, constrained: enforced !== undefined && isCovered(schemaOf(enforced)) };
}

/**
 * A turn whose reply must fit a format: the model learns what does not fit and tries again. The text is yielded in
 * one piece once it fits; after the last attempt the turn fails. A `constrained` reply, whose grammar enforces all of
 * the format, is streamed instead and has one attempt.
 * @throws LlmHostError TOOL_FAILED
 */
export async function* formattedTurn(
  history: History,
  format: ResponseFormat,
  constrained: boolean,
  newAttempt: () => AsyncGenerator<TurnEvent, readonly ToolCall[]>,
): AsyncGenerator<TurnEvent, readonly ToolCall[]> {
  const start = history.mark();
  /** Answers that do not fit, and what the model was told about them. */
  const failures = new Set<Message>();
  for (let attempt = 0; ; attempt += 1) {
    const said = new SaidText(constrained);
    const events = newAttempt();
    let step = await events.next();
    for (; !step.done; step = await events.next()) if (said.passes(step.value)) yield step.value;
    const calls = step.value;
    const { text, cancelled, cut } = said;
    // A reply that was cut off cannot fit; the client learns why it was.
    const checked =
      calls.length > 0 || cancelled || cut ? { text, problem: undefined } : readReply(text, format);
    if (checked.problem === undefined) {
      if (attempt > 0) forget(failures, history, start, checked.text);
      if (!constrained && checked.text !== '') yield { type: 'token', text: checked.text };
      yield { type: 'assistant', text: checked.text, cancelled };
      return calls;
    }
    if (constrained || attempt === RETRIES) {
      const message = `The model did not write the requested JSON: ${checked.problem}`;
      throw new LlmHostError('TOOL_FAILED', message);
    }
    const told = `That was not the requested JSON: ${checked.problem}\n${formatInstruction(format)}`;
    history.add({ role: 'user', content: told });
    for (const message of history.messages.slice(-2)) failures.add(message);
  }
}

/** Leaves what tools were called for, and the answer that fits, as it was checked. */
function forget(failures: ReadonlySet<Message>, history: History, start: HistoryMark, text: string): void {
  const kept = history.messages.slice(start).filter(message => !failures.has(message));
  const last = kept.at(-1);
  const isAnswer = last?.role === 'assistant' && last.tool_calls === undefined;
  history.rollback(start);
  history.add(...(isAnswer ? kept.with(-1, { role: 'assistant', content: text }) : kept));
}

/**
 * The text of one attempt. A reply that is not streamed counts without what was said between calls, which is not part of
 * the JSON.
 */
class SaidText {
  readonly #streams: boolean;
  #all = '';
  #reply = '';
  #last = '';
  cancelled = false;
  /** The last reply was cut off, by its length or a full context. */
  cut = false;

  constructor(streams: boolean) {
    this.#streams = streams;
  }

  get text(): string {
    return this.#streams ? this.#all : this.#last.trim();
  }

  /** Notes an event. Returns whether the reader gets it: the final text never, tokens only if they are streamed. */
  passes(event: TurnEvent): boolean {
    if (event.type === 'assistant') {
      this.#all = event.text;
      this.cancelled = event.cancelled;
      return false;
    }
    if (event.type === 'token') this.#reply += event.text;
    if (event.type === 'stats') {
      this.#last = this.#reply;
      this.#reply = '';
      this.cut = ['length', 'full'].includes(event.stats.finishReason);
    }
    return this.#streams || event.type !== 'token';
  }
}

/** The JSON of a reply, out of its code fence if it has one, and what is wrong with it. */
function readReply(reply: string, format: ResponseFormat): { text: string; problem: string | undefined } {
  const schema = schemaOf(format);
  const text = (/^```(?:json)?\s*\n([\s\S]*?)\n?```$/.exec(reply.trim())?.[1] ?? reply).trim();
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { text, problem: `it cannot be read (${(error as Error).message})` };
  }
  if (!schema) return { text, problem: isPlainObject(value) ? undefined : 'it is not an object' };
  const [first] = checkSchema(schema, value);
  return {
    text,
    problem: first && `${first.path}: expected ${first.expected}${first.got ? `, got ${first.got}` : ''}`,
  };
}
