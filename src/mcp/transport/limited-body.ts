import { type Readable, Transform, type TransformCallback } from 'node:stream';
import { MAX_MESSAGE_BYTES } from './message-reader.ts';

const MEGABYTE = 1024 * 1024;
const NEWLINE = 0x0a;
const RETURN = 0x0d;
const REFUSAL = `the answer is larger than the limit of ${MAX_MESSAGE_BYTES / MEGABYTE} MB and was refused`;

export interface LimitedBodyOptions {
  /** An event stream can go on forever; the limit is per event. */
  readonly stream: boolean;
  /** The request that waits for it. */
  readonly id: string | number | undefined;
}

/**
 * A response body with a limit per message: 10 MB for a whole body, or for one event of a stream. A larger one
 * becomes an error before it is all in memory; in a stream an error event, since the waiting request would not see an
 * error of the stream itself.
 */
export function limitedBody(body: Readable, { stream, id }: LimitedBodyOptions): Readable {
  let bytes = 0;
  /** The last byte ended a line, so another line break ends the event. */
  let lineEnded = false;
  let refused = false;
  const limited = new Transform({
    transform(chunk: Buffer, _encoding, done: TransformCallback) {
      if (refused) return done();
      if (!stream) bytes += chunk.length;
      else {
        for (const byte of chunk) {
          if (byte === RETURN) continue;
          bytes = byte === NEWLINE && lineEnded ? 0 : bytes + 1;
          lineEnded = byte === NEWLINE;
        }
      }
      if (bytes <= MAX_MESSAGE_BYTES) return done(null, chunk);
      if (!stream || id === undefined) return done(new Error(REFUSAL));
      refused = true;
      const error = JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32000, message: REFUSAL } });
      // What came before is half an event, not valid JSON, and its reader drops it.
      done(null, `\n\nevent: message\ndata: ${error}\n\n`);
      body.unpipe(limited);
      body.destroy();
      limited.end();
    },
  });
  body.on('error', error => limited.destroy(error));
  // Cut off: `close` without `end`.
  body.on('close', () => {
    if (!body.readableEnded && !refused) limited.destroy(new Error('the connection was lost'));
  });
  limited.on('close', () => body.destroy());
  return body.pipe(limited);
}
