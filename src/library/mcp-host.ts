import type { ServerConfig } from '../mcp/config/types.ts';
import { McpHost as Host, type McpHostOptions } from '../mcp/host/mcp-host.ts';
import type { Approver } from '../mcp/policy/approval.ts';
import type { ServerState, ToolSource } from '../mcp/tool-host.ts';

/** All servers of an mcp.json, and the tools they offer. */
export interface McpHost extends ToolSource {
  /** Starts all servers side by side; resolves when each is ready or has failed. A failing server is not an error. */
  start(): Promise<void>;
  /** Calls `listener` when states or tools change; call the result to unsubscribe. */
  onChange(listener: () => void): () => void;
  /** How to ask the user for approval; undefined: calls that need it are refused. */
  setApprover(approver: Approver | undefined): void;
  /** Starts another server; if that fails, its state says so. Throws LlmHostError USAGE if the name is taken. */
  add(config: ServerConfig): Promise<ServerState>;
  /** Stops a server and forgets its entry. Throws LlmHostError USAGE for an unknown name, as do the next three. */
  remove(name: string): Promise<void>;
  /** Starts a disabled or failed server. */
  enable(name: string): Promise<ServerState>;
  disable(name: string): Promise<void>;
  restart(name: string): Promise<ServerState>;
}

export const McpHost: new (options: McpHostOptions) => McpHost = Host;
