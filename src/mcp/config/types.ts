import type { LocalAccess } from './address-guard.ts';

/** `ask`: confirmed by the user before each call. `never`: not offered to the model at all. */
export type Approval = 'auto' | 'ask' | 'never';

/** The first rule whose pattern matches a tool's own name decides. */
export interface ApprovalRule {
  readonly pattern: string;
  readonly approval: Approval;
}

/** What every server has, whatever its transport. */
export interface ServerSettings {
  readonly name: string;
  /** Milliseconds for each call; the host's own limit where absent. */
  readonly timeoutMs?: number;
  /** Milliseconds for the start; `timeoutMs` where absent. */
  readonly startTimeoutMs?: number;
  /** Patterns (`*`, `?`) of the server's own tool names: only these are offered. */
  readonly allow?: readonly string[];
  /** Patterns of tools that are not offered, whatever `allow` says. */
  readonly deny?: readonly string[];
  readonly approval?: readonly ApprovalRule[];
  /** Protocol era; `legacy` where absent. */
  readonly protocol?: 'legacy' | 'auto' | '2026-07-28';
}

/** A server that is a program of this machine. */
export interface StdioServerConfig extends ServerSettings {
  readonly transport: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  /** Added to the short environment of every server; null removes a variable from it. */
  readonly env: Readonly<Record<string, string | null>>;
  /** Absolute. */
  readonly cwd: string;
}

/** A server behind an address. `http` is Streamable HTTP with a fallback to SSE; `sse` is SSE alone. */
export interface HttpServerConfig extends ServerSettings {
  readonly transport: 'http' | 'sse';
  /** http or https, without credentials: those are in the `Authorization` header. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether it may be reached on a loopback or private address. */
  readonly localAccess: LocalAccess;
  readonly oauth?: OAuthSettings;
}

export interface OAuthSettings {
  readonly clientId?: string;
  readonly clientSecret?: string;
  readonly scope?: string;
  /** Port of the loopback redirect; any free one where absent. */
  readonly callbackPort?: number;
  /** Take metadata of an authorisation server that names another issuer than the address it was found at. */
  readonly anyIssuer?: boolean;
}

/** One server, ready to be started. */
export type ServerConfig = StdioServerConfig | HttpServerConfig;
