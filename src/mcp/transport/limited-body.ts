import { type Readable, Transform, type TransformCallback } from 'node:stream';
import { setImmediate as nextRound, setTimeout as sleep } from 'node:timers/promises';
import { MAX_MESSAGE_BYTES, TOO_MANY_VALUES } from './message-reader.ts';
import { pauseAfter, SLICE_MESSAGES } from './paced-reader.ts';
import { ValueCount } from './value-count.ts';

const MEGABYTE = 1024 * 1024;
const NEWLINE = 0x0a;
const RETURN = 0x0d;
const TOO_LARGE = `the answer is larger than the limit of ${MAX_MESSAGE_BYTES / MEGABYTE} MB and was refused`;

/** An event has at least two lines. */
const SLICE_LINES = 2 * SLICE_MESSAGES;

export interface LimitedBodyOptions {
  /** An event stream can go on forever; the limit is per event. */
  readonly stream: boolean;
  /** The request that waits for it. */
  readonly id: string | number | undefined;
}

/**
 * A response body with limits per message, a whole body or one event of a stream: 10 MB, 400,000 values. A larger one
 * becomes an error before it is all in memory; in a stream an error event, since the waiting request would not see an
 * error of the stream itself.
 */
export function limitedBody(body: Readable, { stream, id }: LimitedBodyOptions): Readable {
  let bytes = 0;
  const values = new ValueCount();
  /** The last byte ended a line, so another line break ends the event. */
  let lineEnded = false;
  let refused = false;
  /** Why the message that the chunk ends in is refused. */
  const faultOf = (chunk: Buffer): string | undefined => {
    let start = 0;
    for (let at = 0; stream && at < chunk.length; at++) {
      const byte = chunk[at];
      if (byte === RETURN) continue;
      if (byte === NEWLINE && lineEnded) {
        bytes = 0;
        values.reset();
        start = at + 1;
      }
      lineEnded = byte === NEWLINE;
    }
    bytes += chunk.length - start;
    const dense = values.push(chunk.subarray(start));
    if (bytes > MAX_MESSAGE_BYTES) return TOO_LARGE;
    return dense ? TOO_MANY_VALUES : undefined;
  };
  const limited = new Transform({
    transform(chunk: Buffer, _encoding, done: TransformCallback) {
      if (refused) return done();
      const fault = faultOf(chunk);
      if (fault === undefined) {
        if (stream) void handOn(limited, chunk).then(() => done(), done);
        else done(null, chunk);
        return;
      }
      if (!stream || id === undefined) return done(new Error(fault));
      refused = true;
      const error = JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32000, message: fault } });
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

/** Events in slices, as PacedReader does it: each is read to its end in a round of the event loop. */
async function handOn(limited: Transform, chunk: Buffer): Promise<void> {
  for (const piece of slices(chunk)) {
    if (limited.destroyed) return;
    const began = performance.now();
    limited.push(piece);
    await nextRound();
    const pause = piece.length === chunk.length ? pauseAfter(performance.now() - began) : 0;
    if (pause > 0) await sleep(pause);
  }
}

function* slices(chunk: Buffer): Generator<Buffer> {
  let lines = 0;
  let start = 0;
  for (let at = 0; at < chunk.length; at++) {
    if ((chunk[at] !== NEWLINE && chunk[at] !== RETURN) || ++lines % SLICE_LINES !== 0) continue;
    yield chunk.subarray(start, at + 1);
    start = at + 1;
  }
  if (start < chunk.length) yield chunk.subarray(start);
}
