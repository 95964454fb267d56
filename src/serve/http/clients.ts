import type { FastifyRequest } from 'fastify';
import type { ApiKey } from './access/access.ts';
import { RateLimit } from './access/rate-limit.ts';
import { ApiError } from './api-error.ts';

/** Who sends a request. */
export interface Client {
  /** The name of its key; '' where keys have no names, or there are none. */
  readonly name: string;
  readonly limit?: RateLimit;
}

const ANYONE: Client = { name: '' };
const senders = new WeakMap<FastifyRequest, Client>();

export function clientOf(request: FastifyRequest): Client {
  return senders.get(request) ?? ANYONE;
}

/** Which requests take turns in the queue: those of different keys, or where keys have no names, of different users. */
export function laneOf({ name }: Client, user: string | undefined, address: string): string {
  return name === '' ? (user ?? address) : `key ${name}`;
}

/** The clients with keys of their own. */
export class Clients {
  readonly #clients: ReadonlyMap<string, Client>;

  constructor(keys: readonly ApiKey[] = []) {
    this.#clients = new Map(keys.map(key => [key.name, { name: key.name, limit: new RateLimit(key) }]));
  }

  /** Notes whose request this is, and counts what is posted. Throws ApiError 429. */
  admit(request: FastifyRequest, key: ApiKey | undefined): void {
    const client = key && this.#clients.get(key.name);
    if (!client) return;
    senders.set(request, client);
    const over = request.method === 'POST' ? client.limit?.request() : undefined;
    if (!over) return;
    const { of, limit, retryAfterSeconds } = over;
    const told = `The key '${client.name}' has ${limit} ${of} a minute; try again in ${retryAfterSeconds} s`;
    throw new ApiError(429, told, { code: 'rate_limit_exceeded', retryAfterSeconds });
  }
}
