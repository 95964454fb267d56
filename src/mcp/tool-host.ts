import type { ToolDefinition } from '../chat/message.ts';

/** A tool offered to the model, and where it lives. */
export interface HostTool {
  /** What the model calls it: the tool's own name while unique, else `server__tool`. */
  readonly definition: ToolDefinition;
  readonly server: string;
  /** The server's own name for it. */
  readonly tool: string;
  /** The server says that it changes nothing. */
  readonly readOnly: boolean;
}

export interface ToolOutcome {
  /** Text for the model; images and resources as described placeholders. */
  readonly text: string;
  /** The server reported a tool error; `text` says which. */
  readonly isError: boolean;
}

export interface ServerState {
  readonly name: string;
  readonly state: 'starting' | 'ready' | 'failed' | 'closed';
  readonly tools: number;
  /** Why it failed, with the tail of its stderr. */
  readonly error?: string;
  readonly instructions?: string;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Milliseconds. */
  readonly timeoutMs: number;
  readonly onProgress?: (progress: { done: number; total?: number; message?: string }) => void;
}

/** The tools of all running MCP servers. */
export interface ToolHost {
  tools(): readonly HostTool[];
  servers(): readonly ServerState[];
  /**
   * Throws LlmHostError: TOOL_TIMEOUT (`Tool '<name>' timed out after 90.0s`), CANCELLED (the signal), TOOL_FAILED
   * (unknown name, the server died or answered with a protocol error). A tool's own error is an outcome, not a throw.
   */
  call(name: string, args: Readonly<Record<string, unknown>>, options: CallOptions): Promise<ToolOutcome>;
  /** Closes all servers at once; no process of theirs remains. Idempotent. */
  close(): Promise<void>;
}
