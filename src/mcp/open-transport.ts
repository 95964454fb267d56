import { LlmHostError } from '../errors.ts';
import type { ServerConfig } from './config-types.ts';
import type { ServerTransport } from './server-transport.ts';
import { StdioTransport } from './stdio-transport.ts';

/** The way to a server, not yet opened. Throws LlmHostError MCP_SERVER where there is none. */
export function openTransport(config: ServerConfig, onLog: (line: string) => void): ServerTransport {
  if (config.transport === 'stdio') return new StdioTransport(config, onLog);
  throw new LlmHostError('MCP_SERVER', `server '${config.name}': HTTP servers are not supported yet`);
}
