import type { FastifyReply, FastifyRequest } from 'fastify';
import type { TurnEvent } from '../../agent/events/turn-event.ts';
import type { Acquire } from '../../agent/requests/queued-model.ts';
import type { ToolCall } from '../../chat/message.ts';
import { ApiError, ofTurnError } from './api-error.ts';
import { onceClosed } from './once-closed.ts';
import { noteProblem } from './problems.ts';
import { ResponseStream } from './response-stream.ts';
import type { ServeContext } from './serve-context.ts';
import { type ReadTurn, readTurn, type TurnListener } from './turn-reader.ts';
import type { WireFormat } from './wire-format.ts';

export interface Exchange {
  readonly format: WireFormat;
  readonly stream: boolean;
  /** The text goes on where a prompt ends: its white space counts. Default false. */
  readonly verbatim?: boolean;
  /** Identifies the client for fairness; undefined: by its address. */
  readonly user: string | undefined;
  readonly run: (control: {
    readonly acquire: Acquire;
    readonly signal: AbortSignal;
  }) => AsyncGenerator<TurnEvent, readonly ToolCall[]>;
}

/** Reasons for ending a turn from outside. */
const GONE = 'the client is gone';
const TOO_LONG = 'the request took too long';
const STOPPING = 'the server is stopping';

/**
 * Runs the turn of a request and responds, streamed or whole. Ends the turn when the client leaves, when it takes too
 * long, and when the server stops. Throws ApiError while nothing has been sent.
 */
export async function exchange(
  context: ServeContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { format, stream, verbatim, user, run }: Exchange,
): Promise<unknown> {
  const place = context.queue.admit(user ?? request.ip);
  const stop = new AbortController();
  onceClosed(request, reply, () => stop.abort(GONE));
  const timer = setTimeout(() => stop.abort(TOO_LONG), context.limits.requestMs);
  const { signal } = stop;
  // Not AbortSignal.any: what Node notes for it in a signal that outlives the request stays there for good.
  const stopping = () => stop.abort(STOPPING);
  context.stopping.addEventListener('abort', stopping);
  if (context.stopping.aborted) stopping();
  const wantsEvents = request.headers['x-llm-host-events'] === '1';
  const started = performance.now();
  const waiting = () => {
    const ahead = place.ahead();
    return ahead === undefined ? 'waiting' : `waiting, ${ahead} ahead`;
  };
  const running = new Answering(context, reply, format, stream, wantsEvents, started, waiting);
  try {
    const turn = run({ acquire: until => place.acquire(until), signal });
    const read = await readTurn(turn, running, started, verbatim);
    if ('reply' in read) context.metrics.turn(read.reply.totals);
    const outcome = outcomeOf(read, signal);
    if (outcome instanceof ApiError) noteProblem(request, outcome);
    if (stream) return running.endStream(outcome);
    if (outcome instanceof ApiError) throw outcome;
    return format.whole(wantsEvents ? outcome : { ...outcome, events: [] });
  } finally {
    clearTimeout(timer);
    context.stopping.removeEventListener('abort', stopping);
    running.close();
    place.leave();
  }
}

function outcomeOf(read: ReadTurn, signal: AbortSignal) {
  if ('error' in read) return ofTurnError(read.error);
  if (!signal.aborted || read.reply.totals.finish !== 'cancelled') return read.reply;
  if (signal.reason === TOO_LONG) return new ApiError(504, 'The request took too long', { code: 'timeout' });
  return new ApiError(503, 'The server is stopping', { code: 'stopping', retryAfterSeconds: 10 });
}

/** The response to a request while its turn runs. */
class Answering implements TurnListener {
  readonly #context: ServeContext;
  readonly #reply: FastifyReply;
  readonly #format: WireFormat;
  readonly #stream: ResponseStream | undefined;
  readonly #wantsEvents: boolean;
  readonly #started: number;
  readonly #alive: NodeJS.Timeout | undefined;
  #begun = false;
  #first = true;

  constructor(
    context: ServeContext,
    reply: FastifyReply,
    format: WireFormat,
    stream: boolean,
    wantsEvents: boolean,
    started: number,
    waiting: () => string,
  ) {
    this.#context = context;
    this.#reply = reply;
    this.#format = format;
    this.#wantsEvents = wantsEvents;
    this.#started = started;
    if (!stream) return;
    this.#stream = new ResponseStream(reply.raw, format.contentType, context.limits);
    this.#alive = setInterval(() => this.#keepAlive(waiting()), context.limits.keepAliveMs);
  }

  text(...piece: Parameters<TurnListener['text']>): void {
    this.#token();
    if (this.#stream) this.#write(() => this.#format.text(...piece));
  }

  thinking(text: string): void {
    this.#token();
    if (this.#stream) this.#write(() => this.#format.thinking(text));
  }

  toolEvent(event: Parameters<TurnListener['toolEvent']>[0]): void {
    if (event.type === 'tool_result' || event.type === 'tool_error') this.#context.metrics.tool(event.type);
    if (this.#wantsEvents && this.#stream) this.#write(() => this.#format.toolEvent(event));
  }

  prefill(done: number, total: number): void {
    if (this.#stream) this.#keepAlive(`prefill ${done}/${total}`);
  }

  /** Throws the error while the status can still be set. */
  endStream(outcome: Exclude<ReadTurn, { error: unknown }>['reply'] | ApiError): FastifyReply {
    const stream = this.#stream as ResponseStream;
    if (outcome instanceof ApiError) {
      if (!stream.begun && !this.#reply.raw.destroyed) throw outcome;
      this.#write(() => this.#format.error(outcome));
    } else {
      this.#write(() => this.#format.end(outcome.calls, outcome.totals));
    }
    this.#reply.hijack();
    stream.end();
    return this.#reply;
  }

  close(): void {
    clearInterval(this.#alive);
  }

  #token(): void {
    if (!this.#first) return;
    this.#first = false;
    this.#context.metrics.firstToken((performance.now() - this.#started) / 1000);
  }

  #keepAlive(note: string): void {
    this.#stream?.write(this.#format.keepAlive(note));
  }

  /** Pieces may be numbered, so `begin` must be made first. */
  #write(piece: () => string): void {
    if (!this.#begun) {
      this.#begun = true;
      this.#stream?.write(this.#format.begin());
    }
    this.#stream?.write(piece());
  }
}
