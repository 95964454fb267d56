import type { StreamEvent } from '../api/chat-stream.ts';
import type { AssistantMessage, CallPart, CallState, Part } from '../conversation/types.ts';

/** Longer pauses than this between two pieces of text were something else: a tool, the queue. */
const MAX_PAUSE_MS = 2000;

/** A reply with what has come since. `now`: milliseconds since 1970. Does not change what it is given. */
export function withEvents(
  message: AssistantMessage,
  events: readonly StreamEvent[],
  now: number,
): AssistantMessage {
  if (events.length === 0) return message;
  const next = events.reduce(withEvent, message);
  const writes = events.some(({ type }) => type === 'text' || type === 'thinking');
  const pause = now - message.changed;
  const wrote = writes && message.parts.length > 0 && pause < MAX_PAUSE_MS ? pause : 0;
  return {
    ...next,
    revision: message.revision + 1,
    changed: now,
    writingMs: (message.writingMs ?? 0) + wrote,
  };
}

function withEvent(message: AssistantMessage, event: StreamEvent): AssistantMessage {
  switch (event.type) {
    case 'text':
    case 'thinking':
      return { ...message, parts: grown(message.parts, event) };
    case 'notice':
      return { ...message, parts: [...message.parts, { type: 'notice', text: event.message }] };
    case 'tool_call': {
      const { id, name, arguments: args } = event;
      return {
        ...message,
        parts: [...message.parts, { type: 'call', id, name, arguments: args, state: 'running' }],
      };
    }
    case 'tool_approval': {
      const { approval, reason, server, arguments: args } = event;
      return withCall(message, event.id, {
        state: 'asking',
        question: { approval, reason },
        server,
        arguments: args,
      });
    }
    case 'tool_progress':
      return withCall(message, event.id, { state: 'running', progress: event.message });
    case 'tool_result':
      return withCall(message, event.id, { ...ended('done', event.seconds), result: event.text });
    case 'tool_error':
      return withCall(message, event.id, {
        ...ended(event.refused ? 'refused' : 'failed', event.seconds),
        result: event.message,
      });
    case 'model':
      return { ...message, model: event.name };
    case 'usage':
      return { ...message, usage: event.usage };
    case 'finish':
      return { ...message, state: event.reason === 'length' ? 'cut' : 'done' };
    case 'status': {
      const total = /^prefill \d+\/(\d+)$/.exec(event.text)?.[1];
      return total === undefined ? message : { ...message, promptTokens: Number(total) };
    }
  }
}

/** A question is over once the call has ended. */
function ended(state: CallState, seconds: number): Partial<CallPart> {
  return { state, seconds };
}

/** The reply when no more comes: what was still going on has ended with it. */
export function finished(
  message: AssistantMessage,
  end: Pick<AssistantMessage, 'state' | 'error'> | undefined,
  now: number,
): AssistantMessage {
  const { state: reached } = message;
  const parts = message.parts.map(part =>
    part.type === 'call' && (part.state === 'running' || part.state === 'asking')
      ? { ...part, state: 'ended' as const }
      : part,
  );
  const last = end ?? { state: reached === 'writing' ? ('stopped' as const) : reached };
  return { ...message, ...last, parts, revision: message.revision + 1, changed: now };
}

/** A reply whose tab is gone, as found in storage: nobody writes it any more. */
export function abandoned(message: AssistantMessage, now: number): AssistantMessage {
  return finished(message, { state: 'stopped' }, now);
}

/** The text grows its last part, or begins another after a call. */
function grown(parts: readonly Part[], { type, text }: { type: 'text' | 'thinking'; text: string }): Part[] {
  const last = parts.at(-1);
  if (last?.type === type) return [...parts.slice(0, -1), { type, text: last.text + text }];
  return [...parts, { type, text }];
}

function withCall(message: AssistantMessage, id: string, news: Partial<CallPart>): AssistantMessage {
  return {
    ...message,
    parts: message.parts.map(part => (part.type === 'call' && part.id === id ? { ...part, ...news } : part)),
  };
}
