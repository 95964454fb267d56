import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { Readable, Transform, type TransformCallback } from 'node:stream';
import { setImmediate as nextRound, setTimeout as sleep } from 'node:timers/promises';
import type { FetchLike } from '@modelcontextprotocol/client';
import { checkRedirect, guardedLookup, type LocalAccess } from '../config/address-guard.ts';
import { MAX_MESSAGE_BYTES, TOO_MANY_VALUES, ValueCount } from './message-reader.ts';
import { pauseAfter, SLICE_MESSAGES } from './paced-reader.ts';

const ACCEPTED = 202;
/** Statuses without a body. */
const BODILESS = new Set([101, 204, 205, 304]);

export interface GuardedFetchOptions {
  /** The server's own address; addresses it redirects to are trusted less. */
  readonly serverUrl: string;
  readonly access: LocalAccess;
  /** The headers of its entry, which may be secrets: for its own origin only. The SDK sends them to authorization servers too. */
  readonly ownHeaders?: Readonly<Record<string, string>>;
  /** A JSON-RPC request was accepted by a status that brings no answer. */
  readonly onAccepted?: (id: string | number) => void;
  /** Replaces the system resolver in tests. */
  readonly lookup?: LookupFunction;
}

/**
 * A `fetch` over Node's http that never reaches a forbidden address: the URL is checked first, and each resolved
 * address when the socket connects, so DNS rebinding gains nothing. No redirects (the SDK follows those within the
 * origin, through here), cookies or compression. Each request has its own connection: the server could close a
 * kept-alive one just as it is reused, and a call must not be sent twice to find out.
 */
export class GuardedFetch {
  readonly #options: GuardedFetchOptions;
  readonly #agents = {
    http: new HttpAgent({ keepAlive: false }),
    https: new HttpsAgent({ keepAlive: false }),
  };

  constructor(options: GuardedFetchOptions) {
    this.#options = options;
  }

  /** Rejects with LlmHostError CONFIG for a refused address, else with Node's errors. */
  readonly fetch: FetchLike = async (url, init) => {
    const { serverUrl, access, ownHeaders = {}, onAccepted } = this.#options;
    const target = checkRedirect(serverUrl, url, access);
    const sameHost = target.host === new URL(serverUrl).host;
    const request = new Request(target, { ...init, redirect: 'manual' });
    const body = init?.body == null ? undefined : Buffer.from(await request.arrayBuffer());
    if (!isSameOrigin(new URL(serverUrl), target)) {
      for (const [name, value] of Object.entries(ownHeaders))
        if (request.headers.get(name) === value.trim()) request.headers.delete(name);
    }
    const headers = Object.fromEntries(request.headers);
    const secure = target.protocol === 'https:';
    const message = await new Promise<IncomingMessage>((resolve, reject) => {
      const outgoing = (secure ? httpsRequest : httpRequest)(target, {
        method: request.method,
        headers: {
          ...headers,
          'accept-encoding': 'identity',
          ...(body && { 'content-length': body.length }),
        },
        agent: secure ? this.#agents.https : this.#agents.http,
        lookup: guardedLookup(access === 'named' && !sameHost ? 'never' : access, this.#options.lookup),
        signal: init?.signal ?? undefined,
      });
      outgoing.on('response', resolve);
      outgoing.on('error', reject);
      outgoing.end(body);
    });
    const id = requestId(body);
    if (id !== undefined && message.statusCode === ACCEPTED) onAccepted?.(id);
    return responseOf(message, id);
  };

  /** Closes what is still open. */
  close(): void {
    this.#agents.http.destroy();
    this.#agents.https.destroy();
  }
}

/** Also for the https form of a server whose entry says http, which may send there. */
function isSameOrigin(server: URL, target: URL): boolean {
  if (server.origin === target.origin) return true;
  const isHttps = target.protocol === 'https:' && server.port === '' && target.port === '';
  return isHttps && server.hostname === target.hostname;
}

function responseOf(message: IncomingMessage, id: string | number | undefined): Response {
  const status = message.statusCode ?? 500;
  const headers = new Headers();
  for (let index = 0; index + 1 < message.rawHeaders.length; index += 2) {
    const [name, value] = message.rawHeaders.slice(index, index + 2) as [string, string];
    try {
      headers.append(name, value);
    } catch {
      // No browser accepts such a header, and nothing here reads it.
    }
  }
  if (BODILESS.has(status)) {
    message.resume();
    return new Response(null, { status, headers });
  }
  const stream = /^text\/event-stream\b/i.test(headers.get('content-type') ?? '');
  // A reader that leaves destroys the message; errors of the message reach the reader.
  const body = Readable.toWeb(limitedBody(message, { stream, id })) as ReadableStream<Uint8Array>;
  return new Response(body, { status, statusText: printable(message.statusMessage ?? ''), headers });
}

/** The id of the JSON-RPC request in a body; undefined if it is not one. */
function requestId(body: Buffer | undefined): string | number | undefined {
  if (body?.[0] !== '{'.charCodeAt(0)) return undefined;
  const { id, method } = JSON.parse(body.toString('utf8')) as { id?: unknown; method?: unknown };
  if (method === undefined) return undefined;
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}

/** Response rejects status texts with characters that a hostile server may send. */
function printable(text: string): string {
  return text.replace(/[^\t\x20-\x7e]/g, '?');
}

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
      // The bytes before it are half an event, not valid JSON, and its reader drops them.
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
