import {
  type JSONRPCMessage,
  ProtocolError,
  parseJSONRPCMessage,
  type RequestId,
} from '@modelcontextprotocol/client';
import { isPlainObject } from '../../text/json/plain-object.ts';

/**
 * The messages in one line of a server: one, or several as a JSON-RPC batch (revision 2025-03-26 and before); empty if
 * the line is junk. A byte order mark and spaces around the JSON are skipped. A response that is not valid becomes an
 * error for the request that waits for it.
 */
export function parseMessages(line: string): readonly JSONRPCMessage[] {
  // Includes the byte order mark.
  const text = line.trim();
  if (!text.startsWith('{') && !text.startsWith('[')) return [];
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Junk: the caller counts and logs it.
    return [];
  }
  const list = Array.isArray(value) ? value : [value];
  return list.flatMap(item => toMessage(item) ?? []);
}

/** A response that tells the waiting request why there is none. */
export function refusal(id: RequestId, message: string, code = -32000): JSONRPCMessage {
  return { jsonrpc: '2.0', id, error: { code, message } };
}

function toMessage(value: unknown): JSONRPCMessage | undefined {
  if (!isPlainObject(value)) return undefined;
  const isResponse = !('method' in value) && ('result' in value || 'error' in value);
  try {
    return parseJSONRPCMessage(withoutFlood(isResponse ? withoutNulls(value) : value));
  } catch {
    const { jsonrpc, id } = value;
    const waiting = typeof id === 'number' || typeof id === 'string';
    // Anything else is junk, which the caller counts and logs.
    if (!isResponse || jsonrpc !== '2.0' || !waiting) return undefined;
    return refusal(id, "the answer's result is not an object, or its error is not valid JSON-RPC");
  }
}

/** Nobody has so many; checking each costs more time than other servers can wait. */
const MAX_META_KEYS = 1000;

/** The message without a `_meta` that is too large to be of use. */
function withoutFlood(message: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const part = ['params', 'result'].find(key => {
    const inner = message[key];
    return (
      isPlainObject(inner) && isPlainObject(inner._meta) && Object.keys(inner._meta).length > MAX_META_KEYS
    );
  });
  if (part === undefined) return message;
  const { _meta, ...rest } = message[part] as Readonly<Record<string, unknown>>;
  return { ...message, [part]: rest };
}

/** `result: null` says "done, nothing to tell"; some servers send `error: null` beside a result. */
function withoutNulls(response: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { result, error, ...rest } = response;
  if (error != null) return { ...rest, error };
  if (result === null) return { ...rest, result: {} };
  return result === undefined ? { ...rest, error } : { ...rest, result };
}

/** Outside the codes that JSON-RPC and MCP use. */
const LOST_ANSWER = -31_999;

/** Ends a request whose answer cannot come any more. */
export function lostAnswer(id: RequestId): JSONRPCMessage {
  return refusal(id, 'the connection was lost before the answer', LOST_ANSWER);
}

/** Ends a request that the server has taken like a notification, with status 202. */
export function noAnswer(id: RequestId): JSONRPCMessage {
  return refusal(id, 'the server accepted the request (HTTP status 202) without answering it', LOST_ANSWER);
}

/** Whether the server itself answered a request with this error. */
export function isServerAnswer(error: unknown): boolean {
  return error instanceof ProtocolError && error.code !== LOST_ANSWER;
}
