import { setTimeout as sleep } from 'node:timers/promises';
import type { FetchLike, StoredOAuthTokens } from '@modelcontextprotocol/client';
import { messageOf } from '../../errors.ts';

/** A renewal that was begun just before this one's answer was stored gets the same answer. */
const KEPT_MS = 5000;
/** How long another program that has just renewed the login may take to store it. */
const STORING_MS = 1000;
const LOOK_MS = 50;

interface Answer {
  readonly text: string;
  readonly status: number;
  readonly headers: Headers;
}

/**
 * The renewals of one login. Many authorization servers take a refresh token once, but the SDK begins a renewal for each
 * request that an expired login has refused, and other programs use the same login: those with the same token share one
 * answer, and a token that is refused since another program was first is answered by what that program has stored.
 */
export class Renewals {
  readonly #stored: () => StoredOAuthTokens | undefined;
  readonly #failure: (reason: string) => Error | undefined;
  readonly #answers = new Map<string, Promise<Answer>>();

  /**
   * @param stored the tokens that are stored by now, of the same authorization server
   * @param failure what a renewal that got no answer, or status 500 and above, fails with; undefined: a login is asked for
   */
  constructor(
    stored: () => StoredOAuthTokens | undefined,
    failure: (reason: string) => Error | undefined = () => undefined,
  ) {
    this.#stored = stored;
    this.#failure = failure;
  }

  /** The same `fetch`, which sees renewals go through. */
  through(fetch: FetchLike): FetchLike {
    return async (url, init) => {
      const token = renewedToken(init?.body);
      if (token === undefined) return await fetch(url, init);
      let answer = this.#answers.get(token);
      if (answer === undefined) {
        answer = this.#asked(token, fetch(url, init));
        this.#answers.set(token, answer);
      }
      const { text, ...rest } = await answer;
      return new Response(text, rest);
    };
  }

  async #asked(token: string, asked: Promise<Response>): Promise<Answer> {
    let kept = false;
    try {
      const response = await asked.catch(error => {
        throw this.#failure(messageOf(error)) ?? error;
      });
      const { status, headers } = response;
      const failure = status >= 500 ? this.#failure(`HTTP status ${status}`) : undefined;
      if (failure !== undefined) throw failure;
      const text = await response.text();
      kept = response.ok;
      const others = status === 400 || status === 401 ? await this.#renewedByOthers(token) : undefined;
      return others === undefined
        ? { text, status, headers }
        : { text: JSON.stringify(others), status: 200, headers: JSON_TYPE };
    } finally {
      if (kept) setTimeout(() => this.#answers.delete(token), KEPT_MS).unref();
      else this.#answers.delete(token);
    }
  }

  async #renewedByOthers(token: string): Promise<StoredOAuthTokens | undefined> {
    const until = performance.now() + STORING_MS;
    for (let stored = this.#stored(); stored !== undefined; stored = this.#stored()) {
      if (stored.refresh_token !== token) return stored;
      if (performance.now() > until) return undefined;
      await sleep(LOOK_MS);
    }
    return undefined;
  }
}

const JSON_TYPE = new Headers({ 'content-type': 'application/json' });

function renewedToken(body: unknown): string | undefined {
  if (!(body instanceof URLSearchParams) || body.get('grant_type') !== 'refresh_token') return undefined;
  return body.get('refresh_token') ?? undefined;
}
