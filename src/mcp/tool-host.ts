import type { ToolDefinition } from '../chat/message.ts';
import type { ServerConfig } from './config/types.ts';
import type { CompletionRequest } from './input-completion.ts';
import type { Approver, TurnApprover } from './policy/approval.ts';
import type { CallOptions as ServerCallOptions, ToolOutcome } from './server/call-types.ts';
import type { Elicit } from './server/elicitation.ts';
import type { ServerState } from './server/server-state.ts';

export type { Progress, ToolOutcome } from './server/call-types.ts';
export type { ServerState } from './server/server-state.ts';

export interface CallOptions extends ServerCallOptions {
  /** Who is asked about this call. Default: the host's approver. */
  readonly approver?: TurnApprover;
}

/** A tool offered to the model, and the server it belongs to. */
export interface HostTool {
  /** The name the model uses: the tool's own if unique, else `server__tool`. */
  readonly definition: ToolDefinition;
  readonly server: string;
  /** The server's own name for it. */
  readonly tool: string;
  /** The server declares it read-only. */
  readonly readOnly: boolean;
  /** What the server calls it for people. */
  readonly title?: string;
  /** It can be called, but the messages say how: it is not listed in a prompt. */
  readonly unlisted?: boolean;
  /** It is offered whatever the budget of definitions. */
  readonly always?: boolean;
}

/** A prompt template of a server; used as `/server:name key=value`. */
export interface HostPrompt {
  readonly server: string;
  readonly name: string;
  readonly title?: string;
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
  /** A template has `{...}` parts, which the user fills in. */
  readonly uri: string;
  readonly name?: string;
  readonly title?: string;
  readonly description?: string;
  readonly template: boolean;
}

export interface PrepareOptions extends CallOptions {
  /** The part of the input in which resources may be named: others may have written the rest. Default: all of it. */
  readonly naming?: string;
  /** What the model sees of the result of a task that has ended meanwhile. Default: all of it. */
  readonly cut?: (tool: string, text: string) => string;
}

/** An input with what it refers to filled in. */
export interface PreparedInput {
  readonly text: string;
  /** What was attached, for the user to see. */
  readonly notices: readonly string[];
  /** The input was not asked after all: what is told only once comes with the next. */
  readonly giveBack?: () => void;
}

/** Changes the servers of a running session, from the next prompt on. An unknown name is LlmHostError USAGE. */
export interface ServerControl {
  /** If the start fails, the returned state says so. */
  add(config: ServerConfig): Promise<ServerState>;
  remove(name: string): Promise<void>;
  enable(name: string): Promise<ServerState>;
  disable(name: string): Promise<void>;
  restart(name: string): Promise<ServerState>;
  prompts(): readonly HostPrompt[];
  resources(): readonly HostResource[];
  /** Values that an argument of a prompt or of a resource's template may have; empty if the server knows none. */
  complete(request: CompletionRequest, signal: AbortSignal): Promise<readonly string[]>;
}

/** What the user has allowed tools to do without a question. */
export interface HostApprovals {
  /** The file that keeps it beyond this run; undefined: none. */
  readonly file: string | undefined;
  /** The tools in that file. */
  always(): readonly { readonly server: string; readonly tool: string }[];
  /** Asks about this tool (its server's name for it) again; false: nothing was allowed. */
  takeBack(tool: string): boolean;
  /** What was allowed for the conversation is asked about again. */
  endConversation(): void;
}

/** How long to wait for servers that are starting, in milliseconds. */
export interface Patience {
  /** Without news of any. */
  readonly quietMs: number;
  /** Silence counts from now on, not from the last news. Default false. */
  readonly fromNow?: boolean;
  readonly limitMs: number;
}

/** Where the tools of an agent come from. */
export interface ToolSource {
  tools(): readonly HostTool[];
  servers(): readonly ServerState[];
  /**
   * Throws LlmHostError: TOOL_TIMEOUT (`Tool '<name>' timed out after 90.0s`), CANCELLED (the signal), TOOL_FAILED
   * (unknown name, the server died or answered with a protocol error). A tool's own error is an outcome, not a throw.
   */
  call(
    name: string,
    args: Readonly<Record<string, unknown>>,
    options: ServerCallOptions,
  ): Promise<ToolOutcome>;
  /** Closes all servers at once and leaves no process behind. Idempotent. */
  close(): Promise<void>;
  /** A turn begins: lists whose time is over are fetched again, for the next one. */
  refreshStale?(): void;
  /** What happened to the servers since the last call (late, crashed, changed), in full sentences. */
  takeNotices?(): readonly string[];
}

/** The tools of all running MCP servers. */
export interface ToolHost extends ToolSource {
  /** undefined if the servers cannot be changed. */
  readonly control?: ServerControl;
  /** Waits for servers that are starting, so that a prompt does not miss their tools by a moment. */
  settled?(patience: Patience, signal?: AbortSignal): Promise<void>;
  call(name: string, args: Readonly<Record<string, unknown>>, options: CallOptions): Promise<ToolOutcome>;
  /** The text of a resource that a result of this server links to. Throws LlmHostError as `call` does. */
  readResource?(server: string, uri: string, options: CallOptions): Promise<ToolOutcome>;
  /** How to ask the user for approval of a call; undefined: calls that need it are refused. */
  setApprover?(approver: Approver | undefined): void;
  readonly approvals?: HostApprovals;
  /** Calls `listener` when states, tools or notices change; call the result to unsubscribe. */
  onChange?(listener: () => void): () => void;
  /** How to ask the user for a server; undefined: its questions are declined with a notice. */
  setElicitation?(elicit: Elicit | undefined): void;
  /**
   * Expands `/server:prompt key=value` to that prompt, and appends the text of each `@server:uri` to the input.
   * Throws LlmHostError (USAGE, TOOL_FAILED, TOOL_TIMEOUT, CANCELLED) if one cannot be fetched.
   */
  prepareInput?(input: string, options: PrepareOptions): Promise<PreparedInput>;
}
