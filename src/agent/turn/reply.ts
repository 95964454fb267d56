import type { Message } from '../../chat/message.ts';
import type { ToolMetrics } from '../calls/metrics.ts';
import type { CallEvent, InvalidCall, ValidCall } from '../calls/validate-calls.ts';
import type { ReplyStats, TurnEvent } from '../events/turn-event.ts';
import type { ReplyEvent } from '../model/chat-model.ts';

const REPETITION_NOTICE =
  'The reply repeated itself without end and was stopped; --no-repetition-guard lets such a reply go on.';

/** One reply of the model, complete. */
export interface Reply {
  readonly content: string;
  readonly thinking: string;
  readonly calls: readonly CallEvent[];
  readonly stats: ReplyStats;
}

/** Passes a reply on as events of the turn, but for its calls, and returns all of it. */
export async function* readReply(
  events: AsyncGenerator<ReplyEvent, ReplyStats>,
  metrics: ToolMetrics,
  singleCall = false,
): AsyncGenerator<TurnEvent, Reply> {
  let content = '';
  let thinking = '';
  const calls: CallEvent[] = [];
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
        yield { type: 'token', text: event.text, ...(event.logprobs && { logprobs: event.logprobs }) };
        break;
      case 'thinking':
        thinking += event.text;
        yield { type: 'thinking', text: event.text };
        break;
      case 'call':
      case 'malformed':
        // Some models cannot be stopped behind the first.
        if (!singleCall || calls.length === 0) calls.push(event);
        break;
    }
  }
}

/** Of calls written again and again, the first. */
function distinct(calls: readonly CallEvent[]): CallEvent[] {
  return calls.filter((call, index) => calls.findIndex(({ raw }) => raw === call.raw) === index);
}

/** Everything the model wrote, calls included; attempts are compared by it. */
export function textOf({ content, calls }: Reply): string {
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

/** Says why a reply ended before the model was done. */
export function* cutNotice({ stats: { finishReason, repetitive } }: Reply): Generator<TurnEvent> {
  if (finishReason === 'length' && !repetitive)
    yield { type: 'notice', message: 'The reply was cut at --max-tokens.' };
  if (finishReason === 'full')
    yield {
      type: 'notice',
      message:
        'The context is full; the reply was cut. Type "clear" to start over; /context shows what takes the room.',
    };
}
