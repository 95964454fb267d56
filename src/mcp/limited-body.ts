import { type Readable, Transform, type TransformCallback } from 'node:stream';
import { MAX_MESSAGE_BYTES } from './message-reader.ts';

const MEGABYTE = 1024 * 1024;
const NEWLINE = 0x0a;
const RETURN = 0x0d;

/**
 * The body of an answer with an end to what one message may take: 10 MB for a whole body, or for one event of a
 * stream, which may go on for ever. What is larger ends in an error, before it is all in memory.
 */
export function limitedBody(body: Readable, stream: boolean): Readable {
  let bytes = 0;
  /** The last byte was the end of a line, so that another one ends the event. */
  let lineEnded = false;
  const limited = new Transform({
    transform(chunk: Buffer, _encoding, done: TransformCallback) {
      if (!stream) bytes += chunk.length;
      else {
        for (const byte of chunk) {
          if (byte === RETURN) continue;
          bytes = byte === NEWLINE && lineEnded ? 0 : bytes + 1;
          lineEnded = byte === NEWLINE;
        }
      }
      if (bytes <= MAX_MESSAGE_BYTES) return done(null, chunk);
      done(
        new Error(
          `the answer is larger than the limit of ${MAX_MESSAGE_BYTES / MEGABYTE} MB and was refused`,
        ),
      );
    },
  });
  body.on('error', error => limited.destroy(error));
  // Cut off in the middle: `close` without `end`.
  body.on('close', () => {
    if (!body.readableEnded) limited.destroy(new Error('the connection was lost'));
  });
  limited.on('close', () => body.destroy());
  return body.pipe(limited);
}
