import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * Calls `closed` once: when the response is sent, or the connection is gone. Of the connection Node tells only the response
 * that is being sent, not those of requests that came after it on the same connection.
 */
export function onceClosed({ raw: { socket } }: FastifyRequest, { raw }: FastifyReply, closed: () => void) {
  let open = true;
  const once = () => {
    // The one may tell it while the other is telling it.
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
