import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AuthProvider,
  type FetchLike,
  type OAuthClientInformationContext,
  type OAuthClientMetadata,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  OAuthError,
  OAuthErrorCode,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import { LlmHostError, messageOf } from '../../errors.ts';
import type { HttpServerConfig } from '../config/types.ts';
import type { OAuthStore } from './store.ts';

/** Guides the user through a login. */
export interface Authorizer {
  /** The redirect URI. */
  readonly redirectUrl: string;
  /** Shows the address to the user; resolves with the parameters of the callback. */
  readonly authorize: (url: URL, signal: AbortSignal) => Promise<URLSearchParams>;
}

export interface OAuthOptions {
  readonly store: OAuthStore;
  /** undefined: nobody can log in now; stored logins are still used and refreshed. */
  readonly authorizer?: Authorizer;
  readonly clientName?: string;
}

/** For refreshing a token, which redirects nobody. */
const NO_REDIRECT = 'http://127.0.0.1/callback';
const LOGIN_LIMIT_MS = 10 * 60_000;
/** It is shown, and opened by hand. */
const MAX_ADDRESS_CHARS = 8192;
/** Node sends no longer headers than 16 KB. */
const MAX_STORED_CHARS = 65_536;

/** One server's authorization, as the SDK's flow (discovery, registration, PKCE, resource, refresh) needs it. */
export class OAuthSession {
  readonly provider: OAuthClientProvider | AuthProvider;
  readonly #config: HttpServerConfig;
  readonly #options: OAuthOptions;
  readonly #renewals = new Renewals(
    () => this.#tokens(this.#issuer),
    reason => this.#unrenewed(reason),
  );
  #issuer: OAuthClientInformationContext | undefined;
  #answer: Promise<URLSearchParams> | undefined;
  #state = '';
  #discovery: OAuthDiscoveryState | undefined;

  constructor(config: HttpServerConfig, options: OAuthOptions) {
    this.#config = config;
    this.#options = options;
    const idle = options.authorizer === undefined && options.store.load(config.url).tokens === undefined;
    this.provider = idle ? this.#refusal() : this.#makeProvider();
  }

  /** Wraps `fetch` for requests to the server and to its authorization server. */
  through(fetch: FetchLike): FetchLike {
    return this.#renewals.through(fetch);
  }

  /** Completes the authorization that the SDK started. Throws LlmHostError MCP_SERVER. */
  async answer(): Promise<URLSearchParams> {
    const pending = this.#answer;
    this.#answer = undefined;
    if (pending === undefined) throw this.#needsLogin();
    const answer = await pending;
    if (answer.get('state') !== this.#state) {
      throw new LlmHostError(
        'MCP_SERVER',
        `server '${this.#config.name}': the login came back for another request`,
      );
    }
    return answer;
  }

  /** The server has taken a request: if it refuses a later one, it may have moved to another authorization server. */
  noteAccepted(): void {
    this.#discovery = undefined;
  }

  #needsLogin(): LlmHostError {
    const { name } = this.#config;
    return new LlmHostError('MCP_SERVER', `server '${name}' asks for a login`, {
      hint: `Run \`llm-host tools --login ${name}\`.`,
    });
  }

  /** Where nobody can log in, nothing is to be done but to try again; the SDK would ask for a login, but for an error like this. */
  #unrenewed(reason: string): Error | undefined {
    if (this.#options.authorizer !== undefined) return undefined;
    return new OAuthError(
      OAuthErrorCode.TemporarilyUnavailable,
      `the login cannot be renewed now: its authorization server cannot be used (${reason})`,
    );
  }

  /** With neither a login nor a user, starts nothing: no discovery, no registration. */
  #refusal(): AuthProvider {
    return {
      token: () => Promise.resolve(undefined),
      onUnauthorized: () => Promise.reject(this.#needsLogin()),
    };
  }

  #makeProvider(): OAuthClientProvider {
    const { store, authorizer } = this.#options;
    const { url, oauth } = this.#config;
    let verifier = '';
    const metadataUrl = oauth?.clientId?.startsWith('https://') ? oauth.clientId : undefined;
    return {
      redirectUrl: authorizer?.redirectUrl ?? NO_REDIRECT,
      clientMetadata: this.#metadata(),
      // A client id that is a URL names a client metadata document, which makes registration unnecessary.
      ...(metadataUrl === undefined ? {} : { clientMetadataUrl: metadataUrl }),
      state: () => {
        this.#state = randomBytes(24).toString('base64url');
        return this.#state;
      },
      clientInformation: context => this.#client(context, metadataUrl !== undefined),
      saveClientInformation: client => store.save({ ...store.load(url), client: this.#checked(client) }),
      tokens: context => {
        this.#issuer = context ?? this.#issuer;
        return this.#tokens(context);
      },
      saveTokens: tokens => store.save({ ...store.load(url), tokens: this.#checked(tokens) }),
      redirectToAuthorization: address => {
        if (authorizer === undefined) throw this.#needsLogin();
        if (!/^https?:$/.test(address.protocol)) {
          throw new LlmHostError(
            'MCP_SERVER',
            `server '${this.#config.name}' wants a login at ${address.protocol}`,
          );
        }
        if (address.href.length > MAX_ADDRESS_CHARS) {
          throw this.#tooLong('a login at an address', address.href.length, MAX_ADDRESS_CHARS);
        }
        this.#answer = authorizer.authorize(address, AbortSignal.timeout(LOGIN_LIMIT_MS));
        // It may fail before anyone awaits it; whoever does gets the error.
        this.#answer.catch(() => undefined);
      },
      saveCodeVerifier: value => {
        verifier = value;
      },
      codeVerifier: () => verifier,
      saveDiscoveryState: state => {
        this.#discovery = state;
      },
      discoveryState: () => this.#discovery,
      invalidateCredentials: scope => {
        const { client, tokens } = store.load(url);
        if (scope === 'verifier') verifier = '';
        if (scope === 'discovery' || scope === 'all') this.#discovery = undefined;
        if (scope === 'all') store.forget(url);
        if (scope === 'tokens') store.save({ serverUrl: url, ...(client && { client }) });
        if (scope === 'client') store.save({ serverUrl: url, ...(tokens && { tokens }) });
      },
    };
  }

  #tokens(context: OAuthClientInformationContext | undefined): StoredOAuthTokens | undefined {
    return sameIssuer(this.#options.store.load(this.#config.url).tokens, context);
  }

  /** Checks credentials that will be stored, and sent with each request. */
  #checked<T extends object>(credentials: T): T {
    const chars = JSON.stringify(credentials).length;
    if (chars > MAX_STORED_CHARS) throw this.#tooLong('tokens or a client', chars, MAX_STORED_CHARS);
    return credentials;
  }

  #tooLong(what: string, chars: number, most: number): LlmHostError {
    return new LlmHostError(
      'MCP_SERVER',
      `server '${this.#config.name}' wants ${what} of ${chars} characters; at most ${most} are accepted`,
    );
  }

  #metadata(): OAuthClientMetadata {
    const { oauth } = this.#config;
    return {
      client_name: this.#options.clientName ?? 'llm-host',
      redirect_uris: [this.#options.authorizer?.redirectUrl ?? NO_REDIRECT],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      ...(oauth?.scope === undefined ? {} : { scope: oauth.scope }),
    };
  }

  #client(
    context: OAuthClientInformationContext | undefined,
    byMetadata: boolean,
  ): StoredOAuthClientInformation | undefined {
    const { oauth, url } = this.#config;
    if (oauth?.clientId !== undefined && !byMetadata) {
      return {
        client_id: oauth.clientId,
        ...(oauth.clientSecret === undefined ? {} : { client_secret: oauth.clientSecret }),
      };
    }
    const client = sameIssuer(this.#options.store.load(url).client, context);
    const uris = client !== undefined && 'redirect_uris' in client ? client.redirect_uris : undefined;
    const redirect = this.#options.authorizer?.redirectUrl;
    // Registered with another loopback port, which strict servers reject: register again.
    if (redirect !== undefined && Array.isArray(uris) && !uris.includes(redirect)) return undefined;
    return client;
  }
}

/** Credentials issued by one authorization server are never shown to another. */
function sameIssuer<T extends StoredOAuthTokens | StoredOAuthClientInformation>(
  stored: T | undefined,
  context: OAuthClientInformationContext | undefined,
): T | undefined {
  if (stored === undefined || context === undefined) return stored;
  const issuer = 'issuer' in stored ? stored.issuer : undefined;
  return issuer === undefined || issuer === context.issuer ? stored : undefined;
}

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
class Renewals {
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

  /** Wraps `fetch` so that renewals are noticed. */
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
