import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Client,
  type McpSubscription,
  ProtocolError,
  SdkHttpError,
  type SubscriptionFilter,
} from '@modelcontextprotocol/client';
import { messageOf } from '../../errors.ts';
import { AnyResultSchema } from './wire-schemas.ts';

const MAX_RESOURCES = 50;
const LIMIT_MS = 10_000;
/** Before a stream of changes that has ended is opened again; then each time twice as long. */
const REOPEN_MS = 1000;
const MAX_REOPEN_MS = 60_000;
/** A stream that was open so long has not ended in a row with an earlier one. */
const STEADY_MS = 30_000;

export interface SubscriptionsOptions {
  readonly onLog: (line: string) => void;
  /** A resource that was subscribed to has changed; without `uri` any of them may have. */
  readonly onUpdated: (uri?: string) => void;
}

/** The resources whose changes a connected server tells, in either era. */
export class Subscriptions {
  readonly #client: Client;
  readonly #options: SubscriptionsOptions;
  /** Aborts with the connection. */
  readonly #closed: AbortSignal;
  readonly #uris = new Set<string>();
  /** Ends the subscription of the newer era. */
  #stop: AbortController | undefined;
  /** One change of the subscription after another. */
  #changing: Promise<void> = Promise.resolve();

  constructor(client: Client, options: SubscriptionsOptions, closed: AbortSignal) {
    this.#client = client;
    this.#options = options;
    this.#closed = closed;
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
      // Whatever else a server tells of is not news to anybody.
      if (this.#uris.has(params.uri)) options.onUpdated(params.uri);
    });
  }

  /** Never rejects. Nothing happens if the server cannot, if it is subscribed to already, or beyond 50 resources. */
  add(uri: string): Promise<void> {
    const can = this.#client.getServerCapabilities()?.resources?.subscribe === true;
    if (!can || this.#uris.has(uri) || this.#uris.size >= MAX_RESOURCES) return this.#changing;
    this.#uris.add(uri);
    this.#changing = this.#changing.then(() => this.#subscribe(uri));
    return this.#changing;
  }

  async #subscribe(uri: string): Promise<void> {
    try {
      const options = { signal: this.#closed, timeout: LIMIT_MS };
      if (this.#client.getProtocolEra() !== 'modern') {
        await this.#client.request(
          { method: 'resources/subscribe', params: { uri } },
          AnyResultSchema,
          options,
        );
        return;
      }
      // The newer era has one list for all.
      const stop = new AbortController();
      const signal = AbortSignal.any([this.#closed, stop.signal]);
      const filter = { resourceSubscriptions: [...this.#uris] };
      const open = await this.#client.listen(filter, { ...options, signal });
      this.#stop?.abort();
      this.#stop = stop;
      const { onLog, onUpdated } = this.#options;
      void keepListening(this.#client, filter, { signal, open, onLog, onAgain: () => onUpdated() });
    } catch (error) {
      this.#uris.delete(uri);
      if (!this.#closed.aborted) this.#options.onLog(`cannot subscribe to ${uri}: ${messageOf(error)}`);
    }
  }
}

export interface ListeningOptions {
  readonly signal: AbortSignal;
  /** A stream that is open already. */
  readonly open?: McpSubscription;
  readonly onLog: (line: string) => void;
  /** The stream is open again; what has changed in between is not known. */
  readonly onAgain: () => void;
}

/**
 * Listens for changes in the newer era, which servers and what is between end after a while, until the signal aborts or the
 * server does not offer it. Never rejects.
 */
export async function keepListening(
  client: Client,
  filter: SubscriptionFilter,
  { signal, open, onLog, onAgain }: ListeningOptions,
): Promise<void> {
  let stream = open;
  let pauseMs = REOPEN_MS;
  let failures = 0;
  // A connection that has ended is never opened again.
  for (let again = false; !signal.aborted && client.transport !== undefined; again = true) {
    try {
      stream ??= await client.listen(filter, { signal, timeout: LIMIT_MS });
      failures = 0;
      if (again) onAgain();
      const began = performance.now();
      if ((await stream.closed) === 'local' || !isWatched(stream)) return;
      if (performance.now() - began > STEADY_MS) pauseMs = REOPEN_MS;
    } catch (error) {
      if (signal.aborted) return;
      if (failures++ === 0) onLog(`cannot watch it for changes: ${messageOf(error)}`);
      if (isRefusal(error)) return;
    }
    stream = undefined;
    await sleep(pauseMs, undefined, { signal, ref: false }).catch(() => undefined);
    pauseMs = Math.min(2 * pauseMs, MAX_REOPEN_MS);
  }
}

/** Whether the server tells of anything on it. */
function isWatched({ honoredFilter }: McpSubscription): boolean {
  return Object.values(honoredFilter).some(value => (Array.isArray(value) ? value.length > 0 : value));
}

/** Whether asking again would be answered in the same way. */
function isRefusal(error: unknown): boolean {
  if (error instanceof ProtocolError) return true;
  const status = error instanceof SdkHttpError ? (error.status ?? 0) : 0;
  return (status >= 400 && status < 500 && status !== 408 && status !== 429) || status === 501;
}
