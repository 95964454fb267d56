import { createHash, timingSafeEqual } from 'node:crypto';
import type { RateLimits } from './rate-limit.ts';

export interface AccessRules {
  /** Address to listen on. */
  readonly host: string;
  /** Required in every request but /health, unless it has one of `keys`. */
  readonly apiKey?: string | undefined;
  /** With names, and limits of their own. Default: none. */
  readonly keys?: readonly ApiKey[];
  /** Further host names under which this server may be addressed. */
  readonly allowedHosts: readonly string[];
  /** Origins of pages that may use the API; `*`: all. Default: only our own. */
  readonly corsOrigins: readonly string[];
}

export interface ApiKey extends RateLimits {
  /** For logs and metrics. */
  readonly name: string;
  readonly key: string;
}

/** The parts of a request's head that matter here. */
export interface RequestHead {
  readonly host: string | undefined;
  readonly origin: string | undefined;
  readonly secFetchSite: string | undefined;
  readonly authorization: string | undefined;
  readonly apiKeyHeader: string | undefined;
}

export interface Refusal {
  readonly status: 401 | 403;
  readonly message: string;
}

const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]'];

export function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|::1|\[::1\])$/i.test(host);
}

/**
 * Whether to answer a request at all. `Host` must be one of our names: a page that rebinds its own name to this
 * address (DNS rebinding) gives itself away by it. Pages of other origins must be allowed.
 */
export function checkAccess(head: RequestHead, rules: AccessRules, open: boolean): Refusal | undefined {
  if (!knownHost(head.host, rules)) {
    return { status: 403, message: 'The Host header does not name this server; see --allow-host' };
  }
  if (!allowedOrigin(head, rules)) {
    return { status: 403, message: 'Pages of this origin may not use this server; see --cors-origin' };
  }
  const { apiKey, keys = [] } = rules;
  if (open || (apiKey === undefined && keys.length === 0)) return undefined;
  const given = givenKey(head);
  if (given === undefined) {
    return { status: 401, message: 'An API key is required: Authorization: Bearer <key>' };
  }
  const known = (apiKey !== undefined && sameKey(given, apiKey)) || namedKey(head, rules) !== undefined;
  return known ? undefined : { status: 401, message: 'Incorrect API key provided' };
}

/** The key with a name that a request has; undefined: it has none. */
export function namedKey(head: KeyHead, { keys = [] }: AccessRules): ApiKey | undefined {
  const given = givenKey(head);
  // All are compared, so that the time does not tell which one it is.
  const [found] = given === undefined ? [] : keys.filter(({ key }) => sameKey(given, key));
  return found;
}

type KeyHead = Pick<RequestHead, 'authorization' | 'apiKeyHeader'>;

function givenKey({ authorization, apiKeyHeader }: KeyHead): string | undefined {
  return /^Bearer\s+(.+)$/i.exec(authorization ?? '')?.[1] ?? apiKeyHeader;
}

/** The origin for the response's CORS headers; undefined: none. */
export function corsOrigin(origin: string | undefined, { corsOrigins }: AccessRules): string | undefined {
  if (origin === undefined) return undefined;
  return corsOrigins.includes(origin) || corsOrigins.includes('*') ? origin : undefined;
}

function knownHost(header: string | undefined, { host, allowedHosts }: AccessRules): boolean {
  const name = hostName(header);
  if (name === undefined) return false;
  // Beyond loopback a key is required, which a rebound page does not have.
  if (!isLoopback(host) && allowedHosts.length === 0) return true;
  return [...LOOPBACK_NAMES, host, `[${host}]`, ...allowedHosts].some(known => known.toLowerCase() === name);
}

/** Lower case, without the port; undefined if it is not a host. */
function hostName(header: string | undefined): string | undefined {
  const match = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/i.exec(header ?? '');
  return match?.[1]?.toLowerCase();
}

function allowedOrigin({ host, origin, secFetchSite }: RequestHead, rules: AccessRules): boolean {
  if (corsOrigin(origin, rules) !== undefined) return true;
  if (origin !== undefined) return origin === `http://${host}`;
  // Browsers omit `Origin` in simple requests for images, scripts and the like.
  return secFetchSite === undefined || secFetchSite === 'same-origin' || secFetchSite === 'none';
}

/** Compares in constant time, whatever the lengths. */
function sameKey(given: string, key: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(key));
}
