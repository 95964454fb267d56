import { type JSONRPCMessage, ProtocolError, type RequestId } from '@modelcontextprotocol/client';
import { refusal } from './parse-messages.ts';

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
