import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, stopping as stopped } from './api-error.ts';
import type { ServeContext } from './serve-context.ts';

/** Reasons for ending a request from outside. */
const GONE = 'the client is gone';
const TOO_LONG = 'the request took too long';
const STOPPING = 'the server is stopping';

export interface RequestSignal {
  /** Aborts when the client leaves, when the request takes too long, and when the server stops. */
  readonly signal: AbortSignal;
  /** The error to answer with once it has aborted. */
  error(): ApiError;
  close(): void;
}

export function requestSignal(
  { limits, stopping }: Pick<ServeContext, 'limits' | 'stopping'>,
  request: FastifyRequest,
  reply: FastifyReply,
): RequestSignal {
  const stop = new AbortController();
  onceClosed(request, reply, () => stop.abort(GONE));
  const timer = setTimeout(() => stop.abort(TOO_LONG), limits.requestMs);
  const { signal } = stop;
  // Not AbortSignal.any: what Node notes for it in a signal that outlives the request stays there for good.
  const onStopping = () => stop.abort(STOPPING);
  stopping.addEventListener('abort', onStopping);
  if (stopping.aborted) onStopping();
  // A client that left earlier emits no further event.
  if (request.raw.socket.destroyed) stop.abort(GONE);
  return {
    signal,
    error: () =>
      signal.reason === TOO_LONG
        ? new ApiError(504, 'The request took too long', { code: 'timeout' })
        : stopped(),
    close: () => {
      clearTimeout(timer);
      stopping.removeEventListener('abort', onStopping);
    },
  };
}

/**
 * Calls `closed` once: when the response is sent, or the connection is gone. Node reports a lost connection only to the response
 * that is being sent, not to those of later requests on the same connection.
 */
export function onceClosed({ raw: { socket } }: FastifyRequest, { raw }: FastifyReply, closed: () => void) {
  let open = true;
  const once = () => {
    // Both events can fire; only the first counts.
    if (!open) return;
    open = false;
    raw.off('close', once);
    socket.off('close', once);
    closed();
  };
  raw.on('close', once);
  // Each request that waits on this connection listens.
  socket.setMaxListeners(0);
  socket.on('close', once);
}
