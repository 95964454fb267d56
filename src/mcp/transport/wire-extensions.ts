import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { isPlainObject } from '../../text/json/plain-object.ts';

/**
 * Before a method that the SDK refuses to send in the newer era, because the tasks extension has taken over names of the
 * older one (`tasks/get`).
 */
export const EXTENSION = 'extension:';
/** On a result that is the handle of a task; the SDK takes no result of another type than `complete`. */
export const TASK_MARK = 'llm-host/task';

/**
 * Before the key of a list: there the SDK does not see it. In the newer era it refuses a whole list for one odd item, and works
 * for seconds on the faults of many.
 */
export const LIST_MARK = 'llm-host/list:';
const LISTS = [
  ...['tools', 'prompts', 'resources', 'resourceTemplates'],
  ...['content', 'contents', 'messages'],
];

/** A message as it goes to the server. */
export function outgoing(message: JSONRPCMessage): JSONRPCMessage {
  if (!('method' in message) || !message.method.startsWith(EXTENSION)) return message;
  return { ...message, method: message.method.slice(EXTENSION.length) };
}

/** A message as the SDK can take it. A result that names no type is a complete one. */
export function incoming(message: JSONRPCMessage): JSONRPCMessage {
  // The question for the era is the SDK's own; its answers tell by their shape what the server is.
  if (!('result' in message) || typeof message.id === 'string' || !isPlainObject(message.result))
    return message;
  const { [TASK_MARK]: _, ...given } = message.result as Record<string, unknown>;
  const result = withHiddenLists(given);
  const { resultType } = result;
  if (resultType === undefined) return { ...message, result: { ...result, resultType: 'complete' } };
  if (resultType !== 'task') return { ...message, result };
  return { ...message, result: { content: [], ...result, resultType: 'complete', [TASK_MARK]: true } };
}

function withHiddenLists(result: Record<string, unknown>): Record<string, unknown> {
  const hidden: Record<string, unknown> = { ...result };
  for (const key of LISTS) {
    delete hidden[LIST_MARK + key];
    if (!Array.isArray(hidden[key])) continue;
    hidden[LIST_MARK + key] = hidden[key];
    hidden[key] = [];
  }
  return hidden;
}

/** A result with its lists where the server had them. */
export function withShownLists(result: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const shown: Record<string, unknown> = { ...result };
  for (const key of LISTS) {
    if (!(LIST_MARK + key in shown)) continue;
    shown[key] = shown[LIST_MARK + key];
    delete shown[LIST_MARK + key];
  }
  return shown;
}
