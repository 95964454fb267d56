import type { JSONRPCMessage, JSONRPCNotification, RequestId } from '@modelcontextprotocol/client';

/** The most that one server may send. Real servers stay far below; one that does not is stopped, and told why. */
export const FLOW_LIMITS = {
  /** Requests that wait for their answer, or whose answer the server does not read. */
  openRequests: 256,
  requestsPerSecond: 100,
  /** Progress of calls, most of which is merged, and all other notifications. */
  progressPerSecond: 20_000,
  notificationsPerSecond: 1000,
  /** The size of a burst, in seconds of the rates above. */
  burstSeconds: 10,
  /** Progress of one call in between is left out, but for the last. */
  progressIntervalMs: 100,
} as const;

export interface FlowEvents {
  readonly deliver: (message: JSONRPCMessage) => void;
  /** The server breaks a limit; nothing more is delivered. */
  readonly giveUp: (reason: string) => void;
  readonly onLog: (line: string) => void;
}

interface Progress {
  deliveredAt: number;
  pending: JSONRPCNotification | undefined;
  timer: NodeJS.Timeout | undefined;
}

/** All messages of one server on their way to the protocol: in bounded number, and none that nobody waits for. */
export class IncomingFlow {
  readonly #events: FlowEvents;
  /** This side's requests that have no answer yet, with their progress. */
  readonly #asked = new Map<RequestId, Progress>();
  /** The server's requests that have no answer yet. */
  readonly #open = new Set<RequestId>();
  readonly #requests = new Allowance(FLOW_LIMITS.requestsPerSecond);
  readonly #progress = new Allowance(FLOW_LIMITS.progressPerSecond);
  readonly #notifications = new Allowance(FLOW_LIMITS.notificationsPerSecond);
  #ended = false;

  constructor(events: FlowEvents) {
    this.#events = events;
  }

  /** A message of this side is about to leave. */
  sending(message: JSONRPCMessage): void {
    if ('method' in message) {
      if ('id' in message) this.#asked.set(message.id, newProgress());
      else if (message.method === 'notifications/cancelled') this.#forget(message.params?.requestId);
    }
  }

  /** The message has left, or never will. */
  sent(message: JSONRPCMessage): void {
    if (!('method' in message) && message.id !== undefined) this.#open.delete(message.id);
  }

  /** Whether this request of ours has no answer yet. */
  waitsFor(id: RequestId): boolean {
    return this.#asked.has(id);
  }

  take(message: JSONRPCMessage): void {
    if (this.#ended) return;
    if (!('method' in message)) this.#takeAnswer(message);
    else if ('id' in message) this.#takeRequest(message);
    else this.#takeNotification(message);
  }

  /** Delivers nothing any more. */
  end(): void {
    this.#ended = true;
    for (const id of [...this.#asked.keys()]) this.#forget(id);
  }

  #takeAnswer(message: JSONRPCMessage & { id?: RequestId | undefined }): void {
    const { id } = message;
    const progress = this.#find(id);
    if (progress === undefined) {
      this.#events.onLog(
        `an answer that answers no request is left out, its id is ${String(id).slice(0, 80)}`,
      );
      return;
    }
    const { pending } = progress;
    this.#forget(id);
    if (pending === undefined) {
      this.#events.deliver(message);
      return;
    }
    this.#events.deliver(pending);
    // The SDK takes notifications up a moment later, and answers at once.
    setImmediate(() => this.#events.deliver(message));
  }

  #takeRequest(message: Extract<JSONRPCMessage, { id: RequestId; method: string }>): void {
    const { openRequests, requestsPerSecond } = FLOW_LIMITS;
    if (!this.#requests.take()) {
      this.#giveUp(`it made more than ${requestsPerSecond} requests a second`);
      return;
    }
    if (this.#open.has(message.id)) {
      this.#events.onLog(`a request is left out, its id is taken: ${String(message.id).slice(0, 80)}`);
      return;
    }
    if (this.#open.size >= openRequests) {
      this.#giveUp(`it made more than ${openRequests} requests at once, or does not read their answers`);
      return;
    }
    this.#open.add(message.id);
    this.#events.deliver(message);
  }

  #takeNotification(message: JSONRPCNotification): void {
    const isProgress = message.method === 'notifications/progress';
    if (!(isProgress ? this.#progress : this.#notifications).take()) {
      const rate = isProgress ? FLOW_LIMITS.progressPerSecond : FLOW_LIMITS.notificationsPerSecond;
      this.#giveUp(`it sent more than ${rate} notifications a second`);
      return;
    }
    if (isProgress) {
      this.#takeProgress(message);
      return;
    }
    // A request that the server withdraws is never answered.
    if (message.method === 'notifications/cancelled')
      this.#open.delete(message.params?.requestId as RequestId);
    this.#events.deliver(message);
  }

  /** The first at once, then the latest at each interval, and the last before the answer. */
  #takeProgress(message: JSONRPCNotification): void {
    const progress = this.#find(message.params?.progressToken);
    // The progress of a call that is over.
    if (progress === undefined) return;
    progress.pending = message;
    if (progress.timer !== undefined) return;
    const wait = progress.deliveredAt + FLOW_LIMITS.progressIntervalMs - performance.now();
    if (wait <= 0) this.#deliverProgress(progress);
    else progress.timer = setTimeout(() => this.#deliverProgress(progress), wait).unref();
  }

  #deliverProgress(progress: Progress): void {
    const { pending } = progress;
    progress.timer = undefined;
    progress.pending = undefined;
    progress.deliveredAt = performance.now();
    if (pending !== undefined && !this.#ended) this.#events.deliver(pending);
  }

  /** Some servers give a number back as text. */
  #find(id: unknown): Progress | undefined {
    return this.#asked.get(id as RequestId) ?? this.#asked.get(Number(id));
  }

  #forget(id: unknown): void {
    const progress = this.#find(id);
    clearTimeout(progress?.timer);
    for (const key of [id as RequestId, Number(id)]) {
      if (this.#asked.get(key) === progress) this.#asked.delete(key);
    }
  }

  #giveUp(reason: string): void {
    this.end();
    this.#events.giveUp(reason);
  }
}

function newProgress(): Progress {
  return { deliveredAt: Number.NEGATIVE_INFINITY, pending: undefined, timer: undefined };
}

/** A rate with bursts: a bucket that a second refills by `perSecond`. */
class Allowance {
  readonly #perSecond: number;
  #left: number;
  #at = performance.now();

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
    this.#left = perSecond * FLOW_LIMITS.burstSeconds;
  }

  take(): boolean {
    const now = performance.now();
    const refilled = this.#left + ((now - this.#at) / 1000) * this.#perSecond;
    this.#at = now;
    this.#left = Math.min(refilled, this.#perSecond * FLOW_LIMITS.burstSeconds) - 1;
    return this.#left >= 0;
  }
}
