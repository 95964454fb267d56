import type { TurnEvent } from '../agent/events/turn-event.ts';
import type { AgentOptions } from '../agent/turn/agent-options.ts';
import { Conversation } from '../agent/turn/conversation.ts';
import type { ServerConfig } from '../mcp/config/types.ts';
import { McpHost as Host, type McpHostOptions } from '../mcp/host/mcp-host.ts';
import type { Approver } from '../mcp/policy/approval.ts';
import type { ServerState, ToolSource } from '../mcp/tool-host.ts';
import { createToolParser as createParser, type ToolParserOptions } from '../parse/create-tool-parser.ts';
import type { ToolParser } from '../parse/types/parse-event.ts';

/** Runs turns: prompt, replies and tool calls until the model answers without calling a tool. */
export interface Agent {
  /**
   * Runs one turn; the history grows as it goes. If the engine fails, the stream ends with an `error` event and the
   * history is as it was before; an abort, or leaving the stream early, ends the turn and keeps what was said so far.
   * @throws LlmHostError USAGE with the first event, while another turn runs: one begins when the one before is over
   */
  turn(input: string, signal?: AbortSignal): AsyncGenerator<TurnEvent>;
  /**
   * Ends the turn under way, if any, and keeps what was said so far; resolves when it is over. For one whose events nobody reads
   * to the end: until then no other can begin.
   */
  cancel(): Promise<void>;
  /** Forgets the conversation but for the system message. @throws LlmHostError USAGE while a turn runs */
  clear(): void;
}

export const Agent: new (options: AgentOptions) => Agent = Conversation;

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

/**
 * A parser for one reply of a model, given in any pieces.
 * @throws LlmHostError USAGE: an unknown format, or a broken `responseTemplate`
 */
export function createToolParser(options: ToolParserOptions = {}): ToolParser {
  return createParser(options);
}
