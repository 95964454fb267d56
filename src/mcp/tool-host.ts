import type { ToolDefinition } from '../chat/message.ts';
import type { ServerConfig } from './config/types.ts';
import type { Approver, TurnApprover } from './policy/approval.ts';
import type { Elicit } from './server/elicitation.ts';
import type { ServerState } from './server/managed-server.ts';

export type { ServerState } from './server/managed-server.ts';

export interface ToolOutcome {
  /** Text for the model, with placeholders for images and resources. */
  readonly text: string;
  /** Where `text` is cut: more of it, in which a model can read on. */
  readonly whole?: string;
  /** The server reported a tool error, described in `text`. */
  readonly isError: boolean;
  /** Paths of its images and sounds that were saved. */
  readonly saved?: readonly string[];
  /** Resources that it links to. */
  readonly links?: readonly { readonly server: string; readonly uri: string }[];
}

export interface Progress {
  readonly done: number;
  readonly total?: number;
  readonly message?: string;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Milliseconds. Progress restarts it, up to ten times this in all. */
  readonly timeoutMs: number;
  readonly onProgress?: (progress: Progress) => void;
  /** The server starts or stops waiting for the user, who fills in a form. */
  readonly onWaiting?: (waiting: boolean) => void;
  /**
   * Called once the call may run or is refused: how long that took, since the user may have been asked, and other arguments
   * that the user has put in the place of the given ones.
   */
  readonly onPermit?: (permit: {
    readonly waitedMs: number;
    readonly changed: Readonly<Record<string, unknown>> | undefined;
  }) => void;
  /**
   * The server works on the call as a task, for longer than `timeoutMs`: told once, and the call waits up to `limitMs` in all.
   * Without it such a task goes on in the background.
   */
  readonly onLongTask?: (limitMs: number) => void;
}

export interface HostCallOptions extends CallOptions {
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
  /** The server's name of it for people. */
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

/** An argument whose values a server is asked to complete. */
export interface CompletionRequest {
  readonly server: string;
  readonly ref:
    | { readonly type: 'ref/prompt'; readonly name: string }
    | { readonly type: 'ref/resource'; readonly uri: string };
  readonly argument: { readonly name: string; readonly value: string };
  /** The values that stand there already. */
  readonly context: Readonly<Record<string, string>>;
}

export interface PrepareOptions extends HostCallOptions {
  /** The part of the input in which resources may be named: others may have written the rest. Default: all of it. */
  readonly naming?: string;
  /** Shortens the result of a task that has ended meanwhile to the part that the model sees. Default: all of it. */
  readonly cut?: (tool: string, text: string) => string;
}

/** An input with what it refers to filled in. */
export interface PreparedInput {
  readonly text: string;
  /** Describes the attachments to the user. */
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

/** The tools that the user allows to run without a question. */
export interface HostApprovals {
  /** The file that keeps it beyond this run; undefined: none. */
  readonly file: string | undefined;
  /** The tools in that file. */
  always(): readonly { readonly server: string; readonly tool: string }[];
  /** Asks about this tool (its server's name for it) again; false: nothing was allowed. */
  takeBack(tool: string): boolean;
  /** Asks again about calls that were allowed for the conversation. */
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
  call(name: string, args: Readonly<Record<string, unknown>>, options: CallOptions): Promise<ToolOutcome>;
  /** Closes all servers at once and leaves no process behind. Idempotent. */
  close(): Promise<void>;
  /** A turn begins: lists whose time is over are fetched again, for the next one. */
  refreshStale?(): void;
  /** Changes of the servers since the last call (late, crashed, changed), in full sentences. */
  takeNotices?(): readonly string[];
}

/** The tools of all running MCP servers. */
export interface ToolHost extends ToolSource {
  /** undefined if the servers cannot be changed. */
  readonly control?: ServerControl;
  /** Waits for servers that are starting, so that a prompt does not miss their tools by a moment. */
  settled?(patience: Patience, signal?: AbortSignal): Promise<void>;
  call(name: string, args: Readonly<Record<string, unknown>>, options: HostCallOptions): Promise<ToolOutcome>;
  /** The text of a resource that a result of this server links to. Throws LlmHostError as `call` does. */
  readResource?(server: string, uri: string, options: HostCallOptions): Promise<ToolOutcome>;
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
