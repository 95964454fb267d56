import type { LocalAccess } from './address-guard.ts';

/** `ask`: the user confirms each call. `never`: not offered to the model at all. */
export type Approval = 'auto' | 'ask' | 'never';

/** The first rule whose pattern matches the tool's own name applies. */
export interface ApprovalRule {
  readonly pattern: string;
  readonly approval: Approval;
}

/** Settings of every server, whatever its transport. */
export interface ServerSettings {
  readonly name: string;
  /** Milliseconds per call. Default: the host's limit. */
  readonly timeoutMs?: number;
  /** Milliseconds for the start. Default: `timeoutMs`. */
  readonly startTimeoutMs?: number;
  /** If given, only tools whose own names match these patterns (`*`, `?`) are offered. */
  readonly allow?: readonly string[];
  /** Tools that match these patterns are not offered, whatever `allow` says. */
  readonly deny?: readonly string[];
  readonly approval?: readonly ApprovalRule[];
  /** Protocol era. Default `auto`: the newer one if the server knows it. */
  readonly protocol?: 'legacy' | 'auto' | '2026-07-28';
}

/** A server that runs as a program on this machine. */
export interface StdioServerConfig extends ServerSettings {
  readonly transport: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  /** Added to the short environment every server gets; null removes a variable. */
  readonly env: Readonly<Record<string, string | null>>;
  /** Absolute path. */
  readonly cwd: string;
}

/** A server at a URL. `http` is Streamable HTTP with fallback to SSE; `sse` is SSE only. */
export interface HttpServerConfig extends ServerSettings {
  readonly transport: 'http' | 'sse';
  /** http or https, without credentials: those are in the `Authorization` header. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether it may be on a loopback or private address. */
  readonly localAccess: LocalAccess;
  /** Its entry, for messages: `mcp.json:5:7`. */
  readonly where?: string;
  readonly oauth?: OAuthSettings;
}

export interface OAuthSettings {
  readonly clientId?: string;
  readonly clientSecret?: string;
  readonly scope?: string;
  /** Port of the loopback redirect. Default: any free one. */
  readonly callbackPort?: number;
  /** Accept authorization server metadata whose issuer is not the URL it was found at. */
  readonly anyIssuer?: boolean;
}

/** One server, ready to be started. */
export type ServerConfig = StdioServerConfig | HttpServerConfig;
