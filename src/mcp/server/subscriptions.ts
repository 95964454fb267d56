import type { Client, McpSubscription } from '@modelcontextprotocol/client';
import { messageOf } from '../../errors.ts';
import { AnyResultSchema } from './wire-schemas.ts';

const MAX_RESOURCES = 50;
const LIMIT_MS = 10_000;

export interface SubscriptionsOptions {
  readonly onLog: (line: string) => void;
  /** A resource that was subscribed to has changed. */
  readonly onUpdated: (uri: string) => void;
}

/** The resources whose changes a connected server tells, in either era. */
export class Subscriptions {
  readonly #client: Client;
  readonly #options: SubscriptionsOptions;
  /** Aborts with the connection. */
  readonly #closed: AbortSignal;
  readonly #uris = new Set<string>();
  #open: McpSubscription | undefined;
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
      const before = this.#open;
      this.#open = await this.#client.listen({ resourceSubscriptions: [...this.#uris] }, options);
      await before?.close();
    } catch (error) {
      this.#uris.delete(uri);
      if (!this.#closed.aborted) this.#options.onLog(`cannot subscribe to ${uri}: ${messageOf(error)}`);
    }
  }
}
