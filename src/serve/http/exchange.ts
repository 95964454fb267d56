import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CallApprover } from '../../agent/calls/run-tools.ts';
import type { TurnEvent } from '../../agent/events/turn-event.ts';
import type { TurnControl } from '../../agent/requests/request-turn.ts';
import type { ToolCall } from '../../chat/message.ts';
import { ApiError, noteProblem, ofTurnError } from './api-error.ts';
import { type ApprovalMode, approvalMode } from './approvals.ts';
import { type Client, clientOf, laneOf } from './clients.ts';
import { type RequestSignal, requestSignal } from './request-signal.ts';
import { ResponseStream } from './response-stream.ts';
import type { ServeContext } from './serve-context.ts';
import { type ReadTurn, readTurn, type TurnListener } from './turn-reader.ts';
import {
  type FirstPrompt,
  type Replies,
  sumOfTotals,
  type Totals,
  type WholeReply,
  type WireFormat,
} from './wire-format.ts';

export interface Exchange {
  readonly format: WireFormat;
  readonly stream: boolean;
  /** The text continues where a prompt ends: its white space counts. Default false. */
  readonly verbatim?: boolean;
  /** Identifies the client for fairness; undefined: by its address. */
  readonly user: string | undefined;
  /** Replies, made one after the other. Default 1. */
  readonly choices?: number;
  /** `choice`: which of them, from 0 on. */
  readonly run: (control: TurnControl, choice: number) => AsyncGenerator<TurnEvent, readonly ToolCall[]>;
}

/**
 * Runs the turn of a request and responds, streamed or whole. Ends the turn when the client leaves, when it takes too
 * long, and when the server stops. Throws ApiError while nothing has been sent.
 */
export async function exchange(
  context: ServeContext,
  request: FastifyRequest,
  reply: FastifyReply,
  exchanged: Exchange,
): Promise<unknown> {
  const { format, stream, user, run } = exchanged;
  const client = clientOf(request);
  const asks = approvalMode(request.headers, stream);
  const place = context.queue.admit(laneOf(client, user, request.ip));
  const until = requestSignal(context, request, reply);
  const { signal } = until;
  const wantsEvents = request.headers['x-llm-host-events'] === '1' || asks !== undefined;
  const started = performance.now();
  const waiting = () => {
    const ahead = place.ahead();
    return ahead === undefined ? 'waiting' : `waiting, ${ahead} ahead`;
  };
  const running = new Answering(context, reply, format, stream, wantsEvents, started, waiting);
  try {
    const control = {
      acquire: (until?: AbortSignal) => place.acquire(until),
      signal,
      approver: asks && approverOf(context, client, asks, running),
    };
    const read = await running.readAll(
      choice => run(control, choice),
      exchanged,
      totals => {
        client.limit?.spent(totals.promptTokens + totals.generatedTokens);
      },
    );
    const outcome = outcomeOf(read, until);
    if (outcome instanceof ApiError) noteProblem(request, outcome);
    if (stream) return running.endStream(outcome);
    if (outcome instanceof ApiError) throw outcome;
    const [first, ...others] = wantsEvents ? outcome : outcome.map(one => ({ ...one, events: [] }));
    return format.whole([first as WholeReply, ...others]);
  } finally {
    until.close();
    running.close();
    place.leave();
  }
}

/** Asks in the stream. */
function approverOf(
  { approvals }: ServeContext,
  client: Client,
  mode: ApprovalMode,
  running: Answering,
): CallApprover {
  return {
    everyCall: mode === 'all',
    ask: (asked, callId) => approvals.ask(asked, callId, client, event => running.toolEvent(event)),
  };
}

type Turn = ReturnType<Exchange['run']>;
type Read = { readonly replies: Replies } | Extract<ReadTurn, { error: unknown }>;

function outcomeOf(read: Read, { signal, error }: RequestSignal): Replies | ApiError {
  if ('error' in read) return ofTurnError(read.error);
  if (!signal.aborted || read.replies.at(-1)?.totals.finish !== 'cancelled') return read.replies;
  return error();
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
  #prompt: FirstPrompt | undefined;
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

  /** One turn after the other; ends with the first that fails or is cancelled. */
  async readAll(
    run: (choice: number) => Turn,
    { choices = 1, verbatim }: Exchange,
    spent: (totals: Totals) => void,
  ): Promise<Read> {
    const replies: WholeReply[] = [];
    while (true) {
      const read = await readTurn(run(replies.length), this, this.#started, verbatim);
      spent('error' in read ? read.totals : read.reply.totals);
      if ('error' in read) return read;
      const { reply } = read;
      this.#context.metrics.turn(reply.totals);
      replies.push(reply);
      const [first, ...others] = replies;
      if (replies.length === choices || reply.totals.finish === 'cancelled')
        return { replies: [first as WholeReply, ...others] };
      if (this.#stream) this.#write(() => this.#format.next?.(reply.calls, reply.totals) ?? '');
    }
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

  prefill({ done, total, cached }: Parameters<TurnListener['prefill']>[0]): void {
    this.#prompt ??= { tokens: total, cached };
    if (this.#stream) this.#keepAlive(`prefill ${done}/${total}`);
  }

  /** Throws the error while the status can still be set. */
  endStream(outcome: Replies | ApiError): FastifyReply {
    const stream = this.#stream as ResponseStream;
    if (outcome instanceof ApiError) {
      if (!stream.begun && !this.#reply.raw.destroyed) throw outcome;
      this.#write(() => this.#format.error(outcome));
    } else {
      const { calls, totals } = outcome.at(-1) as WholeReply;
      this.#write(() => this.#format.end(calls, totals, sumOfTotals(outcome)));
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
      this.#stream?.write(this.#format.begin(this.#prompt));
    }
    this.#stream?.write(piece());
  }
}
