import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { definitionSizeFault } from '../../text/json/definition-size.ts';
import { isPlainObject } from '../../text/json/plain-object.ts';
import { refusal } from './json-rpc.ts';

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
const LISTS = ['tools', 'prompts', 'resources', 'resourceTemplates', 'content', 'contents', 'messages'];

/** Fields of a list or a call's result that may be missing; some servers write null for them. */
const OPTIONAL = ['nextCursor', 'content', 'isError'];

/** In one answer; more would be asked of the user one by one, and take long to check. */
export const MAX_QUESTIONS = 20;

/** In `_meta` of a question: why its form is left out. The SDK works for seconds on a large one. */
export const FORM_MARK = 'llm-host/form';

/** A message as it goes to the server. */
export function outgoing(message: JSONRPCMessage): JSONRPCMessage {
  if (!('method' in message) || !message.method.startsWith(EXTENSION)) return message;
  return { ...message, method: message.method.slice(EXTENSION.length) };
}

/** A message as the SDK can take it. A result that names no type is a complete one. */
export function incoming(message: JSONRPCMessage): JSONRPCMessage {
  if ('method' in message) return 'id' in message ? withSmallForm(message) : message;
  // The question for the era is the SDK's own; its answers tell by their shape what the server is.
  if (!('result' in message) || typeof message.id === 'string' || !isPlainObject(message.result))
    return message;
  const { [TASK_MARK]: _, ...given } = message.result as Record<string, unknown>;
  const result = withHiddenLists(given);
  const { resultType, inputRequests } = result;
  if (isPlainObject(inputRequests)) {
    const asked = Object.entries(inputRequests);
    if (asked.length > MAX_QUESTIONS)
      return refusal(
        message.id,
        `the answer asks more than ${MAX_QUESTIONS} questions at once and was refused`,
      );
    result.inputRequests = Object.fromEntries(asked.map(([key, one]) => [key, withSmallForm(one)]));
  }
  if (resultType === undefined) return { ...message, result: { ...result, resultType: 'complete' } };
  if (resultType !== 'task') return { ...message, result };
  return { ...message, result: { content: [], ...result, resultType: 'complete', [TASK_MARK]: true } };
}

/** A question without its form if that is larger than any that a user would fill in. */
function withSmallForm<T>(request: T): T {
  if (!isPlainObject(request) || request.method !== 'elicitation/create') return request;
  const params: unknown = request.params;
  if (!isPlainObject(params)) return request;
  const fault = definitionSizeFault(params.requestedSchema);
  if (fault === undefined) return request;
  const _meta = { ...(isPlainObject(params._meta) && params._meta), [FORM_MARK]: fault };
  const requestedSchema = { type: 'object', properties: {} };
  return { ...request, params: { ...params, requestedSchema, _meta } };
}

function withHiddenLists(result: Record<string, unknown>): Record<string, unknown> {
  const hidden: Record<string, unknown> = { ...result };
  for (const key of OPTIONAL) if (hidden[key] === null) delete hidden[key];
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
