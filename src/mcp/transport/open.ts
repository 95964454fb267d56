import type { McpLimits } from '../config/limits.ts';
import type { ServerConfig } from '../config/types.ts';
import { type OAuthOptions, OAuthSession } from '../oauth/session.ts';
import { HttpTransport } from './http.ts';
import type { ServerTransport } from './server-transport.ts';
import { StdioTransport } from './stdio.ts';

/**
 * The transport of a server, not yet started. A server with an `Authorization` header of its own never gets a login.
 */
export function openTransport(
  config: ServerConfig,
  onLog: (line: string) => void,
  oauth: OAuthOptions | undefined,
  limits: McpLimits,
): ServerTransport {
  if (config.transport === 'stdio') return new StdioTransport(config, onLog, limits);
  const given = Object.keys(config.headers).some(name => name.toLowerCase() === 'authorization');
  const session = oauth === undefined || given ? undefined : new OAuthSession(config, oauth);
  return new HttpTransport(config, session, onLog);
}
