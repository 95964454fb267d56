import type { FastifyInstance } from 'fastify';
import { ApiError, badRequest } from '../http/api-error.ts';
import { clientOf } from '../http/clients.ts';

const RESPONSE_LIMITS: LruLimits = {
  maxCount: 1000,
  maxChars: 64_000_000,
  maxAgeMs: 24 * 3_600_000,
};

type Item = Readonly<Record<string, unknown>>;

interface KeptResponse {
  /** The client whose it is, and who alone may read it. */
  readonly owner: string;
  /** As it was sent. */
  readonly response: object;
  /** The whole conversation, the output at its end. */
  readonly items: readonly Item[];
  readonly chars: number;
}

/** Responses that clients may ask for again, and go on from. */
export class KeptResponses {
  readonly #kept: LruBySize<KeptResponse>;

  constructor(limits: LruLimits = RESPONSE_LIMITS, now?: () => number) {
    this.#kept = new LruBySize(limits, now);
  }

  /** `input` follows the conversation of `previous`. */
  add(
    owner: string,
    response: { readonly id: string; readonly output: readonly object[] },
    input: readonly Item[],
    previous: KeptResponse | undefined,
  ): void {
    const added = [...input, ...(response.output as readonly Item[])];
    // Counts the text shared with the previous response too: that one may be dropped first.
    const chars = (previous?.chars ?? 0) + JSON.stringify([added, response]).length;
    const items = [...(previous?.items ?? []), ...added];
    this.#kept.add(response.id, { owner, response, items, chars }, chars);
  }

  /** Another client's is as unknown as one that never was. */
  get(owner: string, id: string): KeptResponse | undefined {
    const found = this.#kept.get(id);
    return found?.owner === owner ? found : undefined;
  }

  delete(owner: string, id: string): boolean {
    return this.get(owner, id) !== undefined && this.#kept.delete(id);
  }

  /** The one to go on from. Throws ApiError 400. */
  previous(owner: string, id: string | null | undefined): KeptResponse | undefined {
    if (id == null) return undefined;
    const found = this.get(owner, id);
    if (found) return found;
    throw new ApiError(400, `Previous response with id '${id}' not found; it may be too old`, {
      code: 'previous_response_not_found',
      param: 'previous_response_id',
    });
  }
}

interface OneResponse {
  readonly Params: { readonly id: string };
  readonly Querystring: { readonly stream?: string };
}

/** /v1/responses/<id>. */
export function keptResponseRoutes(app: FastifyInstance, kept: KeptResponses): void {
  const missing = (id: string) =>
    new ApiError(404, `Response with id '${id}' not found; it may be too old, or was not stored`, {
      code: 'not_found',
    });
  app.get<OneResponse>('/v1/responses/:id', request => {
    const { id } = request.params;
    const found = kept.get(clientOf(request).name, id);
    if (!found) throw missing(id);
    if (request.query.stream === 'true')
      throw badRequest('stream: a kept response is returned whole', 'stream');
    return found.response;
  });
  app.delete<OneResponse>('/v1/responses/:id', request => {
    const { id } = request.params;
    if (!kept.delete(clientOf(request).name, id)) throw missing(id);
    return { id, object: 'response', deleted: true };
  });
}

interface LruLimits {
  readonly maxCount: number;
  /** Characters, summed up over all that is kept. */
  readonly maxChars: number;
  readonly maxAgeMs: number;
}

interface Entry<T> {
  readonly value: T;
  readonly chars: number;
  /** Milliseconds, by `now`. */
  readonly at: number;
}

/** Values in memory by the id of each, within limits: the oldest goes first, and what is too large is not kept. */
export class LruBySize<T> {
  readonly #limits: LruLimits;
  readonly #now: () => number;
  /** In the order they came. */
  readonly #entries = new Map<string, Entry<T>>();
  #chars = 0;

  constructor(limits: LruLimits, now = () => performance.now()) {
    this.#limits = limits;
    this.#now = now;
  }

  get size(): number {
    this.#forgetOld();
    return this.#entries.size;
  }

  add(id: string, value: T, chars: number): void {
    const { maxCount, maxChars } = this.#limits;
    this.delete(id);
    this.#forgetOld();
    if (chars > maxChars) return;
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size < maxCount && this.#chars + chars <= maxChars) break;
      this.delete(oldest);
    }
    this.#entries.set(id, { value, chars, at: this.#now() });
    this.#chars += chars;
  }

  get(id: string): T | undefined {
    this.#forgetOld();
    return this.#entries.get(id)?.value;
  }

  /** Whether it was there. */
  delete(id: string): boolean {
    this.#chars -= this.#entries.get(id)?.chars ?? 0;
    return this.#entries.delete(id);
  }

  #forgetOld(): void {
    const oldest = this.#now() - this.#limits.maxAgeMs;
    for (const [id, { at }] of this.#entries) {
      if (at >= oldest) return;
      this.delete(id);
    }
  }
}
