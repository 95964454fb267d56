import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { apiOf, shapedError } from './api-errors.ts';
import { ApiError } from './http/api-error.ts';

/** An error of Node's HTTP parser; `rawPacket` holds the bytes it was reading. */
export type ParserError = Error & { readonly code?: string; readonly rawPacket?: unknown };

const REFUSALS: Readonly<Record<string, readonly [status: number, message: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request did not arrive in time'],
  HPE_HEADER_OVERFLOW: [431, 'The head of the request is too large'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'The chunk extensions of the body are too large'],
};

/** Milliseconds for the other side to read the answer and close its half. */
const LINGER_MS = 2000;

/** Answers a request that never became one, and closes its connection. */
export function answerParserError(error: ParserError, socket: Socket): void {
  // The other side is gone.
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  // With a response under way, another one would become part of it.
  const { _httpMessage: response } = socket as Socket & { _httpMessage?: { readonly headersSent: boolean } };
  if (!socket.writable || response?.headersSent === true) {
    socket.destroy(error);
    return;
  }
  const [status, message] = REFUSALS[error.code ?? ''] ?? [400, 'The request is not valid HTTP'];
  const packet = Buffer.isBuffer(error.rawPacket) ? error.rawPacket.toString('latin1') : '';
  const path = /^\S+ (\S+)/.exec(packet)?.[1] ?? '';
  const refused = new ApiError(status, message, { code: 'invalid_http' });
  const body = JSON.stringify(shapedError(apiOf(path, {}), refused, null).body);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'X-Content-Type-Options: nosniff',
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  // Node no longer watches it, and half a connection would be left for as long as the other side keeps its own.
  const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => clearTimeout(timer));
}
