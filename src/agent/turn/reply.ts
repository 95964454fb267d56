import type { Message, ToolCall } from '../../chat/message.ts';
import { LlmHostError } from '../../errors.ts';
import { type ResponseFormat, responseProblems } from '../../grammar/response-format.ts';
import type { ToolMetrics } from '../calls/metrics.ts';
import type { CallEvent, InvalidCall, ValidCall } from '../calls/validate-calls.ts';
import type { ReplyStats, TurnEvent } from '../events/turn-event.ts';
import type { ReplyEvent, ToolChoice } from '../model/chat-model.ts';

const REPETITION_NOTICE =
  'The reply repeated itself without end and was stopped; --no-repetition-guard lets such a reply go on.';

/** One reply of the model, complete. */
export interface Reply {
  readonly content: string;
  readonly thinking: string;
  readonly calls: readonly CallEvent[];
  readonly stats: ReplyStats;
}

export interface ReadReplyOptions {
  /** Only the first call counts. Default false. */
  readonly singleCall?: boolean | undefined;
  /** Makes the error to throw from an error of the model. */
  readonly explain: (error: unknown) => unknown;
}

/** Passes a reply on as events of the turn, except for its calls, and returns all of it. */
export async function* readReply(
  events: AsyncGenerator<ReplyEvent, ReplyStats>,
  metrics: ToolMetrics,
  { singleCall = false, explain }: ReadReplyOptions,
): AsyncGenerator<TurnEvent, Reply> {
  let content = '';
  let thinking = '';
  const calls: CallEvent[] = [];
  try {
    for (let step = await events.next(); ; step = await events.next()) {
      if (step.done) {
        const stats = step.value;
        metrics.tokens(stats.generatedTokens);
        yield { type: 'stats', stats };
        if (stats.repetitive) yield { type: 'notice', message: REPETITION_NOTICE };
        return { content, thinking, calls: stats.repetitive ? distinct(calls) : calls, stats };
      }
      const event = step.value;
      switch (event.type) {
        case 'prefill':
          yield event;
          break;
        case 'content':
          content += event.text;
          yield { type: 'token', text: event.text, logprobs: event.logprobs };
          break;
        case 'thinking':
          thinking += event.text;
          yield { type: 'thinking', text: event.text };
          break;
        case 'call':
        case 'malformed':
          // Some models cannot be stopped behind the first call.
          if (!singleCall || calls.length === 0) calls.push(event);
          break;
      }
    }
  } catch (error) {
    throw explain(error);
  }
}

/** Calls without those that were written again. */
function distinct(calls: readonly CallEvent[]): CallEvent[] {
  return calls.filter((call, index) => calls.findIndex(({ raw }) => raw === call.raw) === index);
}

/** Everything the model wrote, calls included; attempts are compared by it. */
export function writtenText({ content, calls }: Reply): string {
  return [content.trim(), ...calls.map(call => call.raw)].filter(Boolean).join('\n');
}

/** The reply for the history: `calls` as tool calls, unreadable ones as the text they are. */
export function assistantMessage(
  { content, thinking, calls: events }: Reply,
  calls: readonly (ValidCall | InvalidCall)[],
): Message {
  const unreadable = events.flatMap(event => (event.type === 'malformed' ? [event.raw] : []));
  const readable = calls.flatMap(({ call }) => (call ? [call] : []));
  return {
    role: 'assistant',
    content: [content.trim(), ...unreadable].filter(Boolean).join('\n'),
    ...(thinking && { reasoning_content: thinking }),
    ...(readable.length > 0 && { tool_calls: readable }),
  };
}

/** The result of a call for the history. */
export function toolMessage(call: ToolCall, content: string): Message {
  return { role: 'tool', tool_call_id: call.id, name: call.function.name, content };
}

/** @throws LlmHostError TOOL_FAILED if the model was required to call a tool, and has not. */
export function refuseMissingCall(toolChoice: ToolChoice = 'auto'): void {
  if (toolChoice === 'auto') return;
  throw new LlmHostError('TOOL_FAILED', 'The model called no tool, although it was asked to');
}

/** How a turn ends with a reply that calls no tool. */
export function* lastEvents(
  { content, stats: { finishReason, repetitive } }: Reply,
  said: string,
  format: ResponseFormat | undefined,
): Generator<TurnEvent> {
  const cancelled = finishReason === 'cancelled';
  if (finishReason === 'length' && !repetitive)
    yield { type: 'notice', message: 'The reply was cut at --max-tokens.' };
  if (finishReason === 'full')
    yield {
      type: 'notice',
      message:
        'The context is full; the reply was cut. Type "clear" to start over; /context shows what takes the room.',
    };
  yield { type: 'assistant', text: said, cancelled };
  if (format && !cancelled) yield* responseFormatError(format, content, finishReason !== 'stop');
}

/** An error event if the reply does not fit: it may be cut off, or break a rule that no grammar can express. */
function* responseFormatError(format: ResponseFormat, reply: string, cut: boolean): Generator<TurnEvent> {
  const [first] = responseProblems(format, reply);
  if (!first) return;
  const { path, expected, got } = first;
  yield {
    type: 'error',
    code: 'RESPONSE_FORMAT',
    message: `The reply does not fit the schema: ${path}: expected ${expected}${got === undefined ? '' : `, got ${got}`}`,
    ...(cut && { hint: 'It was cut off; raise --max-tokens or --context.' }),
  };
}
