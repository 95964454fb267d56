import type { ToolDefinition } from '../chat/message.ts';
import type { ServerConfig } from './config/types.ts';
import type { CallOptions, ToolOutcome } from './server/call-types.ts';
import type { Elicit } from './server/elicitation.ts';
import type { ServerState } from './server/server-state.ts';

export type { CallOptions, Progress, ToolOutcome } from './server/call-types.ts';
export type { ServerState } from './server/server-state.ts';

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

/** A prompt template of a server; used as `/server:name key=value`. */
export interface HostPrompt {
  readonly server: string;
  readonly name: string;
  readonly description?: string;
  readonly arguments: readonly {
    readonly name: string;
    readonly description?: string;
    readonly required: boolean;
  }[];
}

/** A resource of a server; attached to a prompt by `@server:uri`. */
export interface HostResource {
  readonly server: string;
  /** With `{...}` in it for a template, whose parts the user fills in. */
  readonly uri: string;
  readonly name?: string;
  readonly description?: string;
  readonly template: boolean;
}

/** A prompt as it is sent to the model. */
export interface PreparedInput {
  readonly text: string;
  /** What was attached, for the user. */
  readonly notices: readonly string[];
}

/** Servers changed in a running session; the tools of the next prompt follow. A wrong name is LlmHostError USAGE. */
export interface ServerControl {
  /** A failure to start is the state that is returned. */
  add(config: ServerConfig): Promise<ServerState>;
  remove(name: string): Promise<void>;
  enable(name: string): Promise<ServerState>;
  disable(name: string): Promise<void>;
  restart(name: string): Promise<ServerState>;
  prompts(): readonly HostPrompt[];
  resources(): readonly HostResource[];
}

/** The tools of all running MCP servers. */
export interface ToolHost {
  /** Undefined where servers cannot be changed. */
  readonly control?: ServerControl;
  tools(): readonly HostTool[];
  servers(): readonly ServerState[];
  /**
   * Throws LlmHostError: TOOL_TIMEOUT (`Tool '<name>' timed out after 90.0s`), CANCELLED (the signal), TOOL_FAILED
   * (unknown name, the server died or answered with a protocol error). A tool's own error is an outcome, not a throw.
   */
  call(name: string, args: Readonly<Record<string, unknown>>, options: CallOptions): Promise<ToolOutcome>;
  /** Closes all servers at once; no process of theirs remains. Idempotent. */
  close(): Promise<void>;
  /** Sets who asks the user what a server wants to know; undefined: it is declined, with a notice. */
  setElicitation?(elicit: Elicit | undefined): void;
  /** What has happened to the servers since the last time (late, crashed, changed), in whole sentences. */
  takeNotices?(): readonly string[];
  /**
   * Replaces `/server:prompt key=value` by that prompt, and adds the text of each `@server:uri` to the input.
   * Throws LlmHostError (USAGE, TOOL_FAILED, TOOL_TIMEOUT, CANCELLED) when one of them cannot be had.
   */
  prepareInput?(input: string, options: CallOptions): Promise<PreparedInput>;
}
