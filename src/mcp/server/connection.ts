import {
  Client,
  type Progress,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  type StandardSchemaV1,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client';
import { LlmHostError, messageOf } from '../../errors.ts';
import type { ServerConfig } from '../config/types.ts';
import type { OAuthOptions } from '../oauth/session.ts';
import { openTransport } from '../transport/open.ts';
import type { ServerTransport } from '../transport/server-transport.ts';
import { Coalesced } from './coalesced.ts';
import { Deadline } from './deadline.ts';
import { type ListKind, listAll, PROMPTS, RESOURCES, TEMPLATES, TOOLS } from './discovery.ts';
import type { Elicit } from './elicitation.ts';
import { answerPeerRequests, CLIENT_CAPABILITIES, rootsOf } from './peer-requests.ts';
import {
  type CallResult,
  CallResultSchema,
  PageSchema,
  type PromptResult,
  PromptResultSchema,
  ReadResultSchema,
  type ResourceTemplate,
  type ServerPrompt,
  type ServerResource,
  type ServerTool,
} from './wire-schemas.ts';

const START_TIMEOUT_MS = 30_000;
/** Changes that come close together are fetched once. */
const CHANGE_PAUSE_MS = 150;
const PING_TIMEOUT_MS = 5000;
/** A server of the old era may not answer the question for the new one at all. */
const PROBE_TIMEOUT_MS = 3000;
/** The SDK's own timer is kept out of the way: the signal of a deadline does its work, and tells who aborted. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;

/** What a server offers besides tools. */
export interface Extras {
  readonly prompts: readonly ServerPrompt[];
  readonly resources: readonly ServerResource[];
  readonly templates: readonly ResourceTemplate[];
}

export interface ConnectionOptions {
  readonly clientInfo: { readonly name: string; readonly version: string };
  readonly onLog: (line: string) => void;
  /** The server is gone without having been closed; called once, only after a successful start. */
  readonly onEnd: (reason: string) => void;
  /** The server's list has changed and was fetched again. */
  readonly onTools: (tools: readonly ServerTool[]) => void;
  readonly onExtras: (extras: Extras) => void;
  readonly elicit: () => Elicit | undefined;
  readonly onDeclined: (message: string) => void;
  /** Absolute; the folder that a server is told to work in unless its arguments name others. */
  readonly workingDirectory: string;
  /** Logins of HTTP servers; without it a server that asks for one fails to start. */
  readonly oauth?: OAuthOptions | undefined;
}

export interface CallHooks {
  readonly signal: AbortSignal;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** A question of the server to the user begins or ends, during which no time limit should run. */
  readonly onWaiting?: ((waiting: boolean) => void) | undefined;
}

/** One running server: start, list, call, close. Not restartable; a new one is made for each start. */
export class Connection {
  readonly #config: ServerConfig;
  readonly #options: ConnectionOptions;
  readonly #transport: ServerTransport;
  readonly #client: Client;
  readonly #waiting = new Set<(waiting: boolean) => void>();
  readonly #closed = new AbortController();
  readonly #toolsChanged: Coalesced;
  readonly #extrasChanged: Coalesced;

  constructor(config: ServerConfig, options: ConnectionOptions) {
    this.#config = config;
    this.#options = options;
    this.#transport = openTransport(config, options.onLog, options.oauth);
    this.#client = new Client(options.clientInfo, {
      capabilities: CLIENT_CAPABILITIES,
      versionNegotiation: { mode: negotiation(config), probe: { timeoutMs: PROBE_TIMEOUT_MS } },
    });
    this.#client.onerror = error => options.onLog(`connection: ${messageOf(error)}`);
    this.#toolsChanged = new Coalesced(() => this.#refetchTools(), CHANGE_PAUSE_MS);
    this.#extrasChanged = new Coalesced(() => this.#refetchExtras(), CHANGE_PAUSE_MS);
    answerPeerRequests(this.#client, {
      server: config.name,
      onLog: options.onLog,
      elicit: options.elicit,
      onDeclined: options.onDeclined,
      onWaiting: waiting => {
        for (const tell of this.#waiting) tell(waiting);
      },
      roots: rootsOf(config, options.workingDirectory),
    });
  }

  /**
   * Starts the process, shakes hands and lists its tools, all within the entry's timeout or 30 s. Prompts and
   * resources follow later, by `onExtras`.
   * Throws LlmHostError MCP_SERVER with the tail of stderr, after having ended the process.
   */
  async start(signal?: AbortSignal): Promise<readonly ServerTool[]> {
    const limitMs = this.#config.startTimeoutMs ?? this.#config.timeoutMs ?? START_TIMEOUT_MS;
    const deadline = new Deadline(limitMs, { signal });
    try {
      await this.#client.connect(this.#transport, { signal: deadline.signal, timeout: NO_TIMEOUT_MS });
      this.#watchChanges();
      const tools = await this.#tools(deadline.signal);
      this.#client.onclose = () => {
        if (!this.#closed.signal.aborted) this.#options.onEnd(this.ending ?? 'ended');
      };
      if (this.ending !== undefined) throw new Error('Connection closed');
      this.#extrasChanged.request();
      return tools;
    } catch (error) {
      if (!deadline.signal.aborted) await this.#transport.waitForEnd();
      const failure = this.#startFailure(error, deadline.expired ? limitMs : undefined);
      await this.close();
      throw failure;
    } finally {
      deadline.dispose();
    }
  }

  /** What the server says about its use, for the system message. */
  get instructions(): string | undefined {
    return this.#client.getInstructions();
  }

  /** Why the server is gone; undefined while it runs. */
  get ending(): string | undefined {
    return this.#transport.ending;
  }

  get stderrTail(): string {
    return this.#transport.stderrTail;
  }

  get pid(): number | undefined {
    return this.#transport.pid;
  }

  /** Rejects with the SDK's errors; when the signal is aborted, the server is told to cancel. */
  call(tool: string, args: Readonly<Record<string, unknown>>, hooks: CallHooks): Promise<CallResult> {
    return this.#ask('tools/call', { name: tool, arguments: { ...args } }, CallResultSchema, hooks);
  }

  /** The blocks of a resource, as in a result of a call. */
  async readResource(uri: string, hooks: CallHooks): Promise<CallResult> {
    const { contents } = await this.#ask('resources/read', { uri }, ReadResultSchema, hooks);
    return { content: contents.map(resource => ({ type: 'resource', resource })) };
  }

  getPrompt(name: string, args: Readonly<Record<string, string>>, hooks: CallHooks): Promise<PromptResult> {
    return this.#ask('prompts/get', { name, arguments: { ...args } }, PromptResultSchema, hooks);
  }

  /** Whether the server still answers; an error is an answer too. Waits 5 s at most. */
  async answersPing(): Promise<boolean> {
    if (this.#client.getProtocolEra() === 'modern') return true;
    const deadline = new Deadline(PING_TIMEOUT_MS, { signal: this.#closed.signal });
    try {
      await deadline.race(this.#client.ping({ signal: deadline.signal, timeout: NO_TIMEOUT_MS }));
      return true;
    } catch (error) {
      return error instanceof ProtocolError;
    } finally {
      deadline.dispose();
    }
  }

  /** Ends the connection, and the process with all its descendants in the group. Idempotent, never throws. */
  async close(): Promise<void> {
    this.#closed.abort();
    this.#toolsChanged.dispose();
    this.#extrasChanged.dispose();
    await this.#transport.close();
  }

  async #ask<S extends StandardSchemaV1>(
    method: string,
    params: Readonly<Record<string, unknown>>,
    schema: S,
    { signal, onProgress, onWaiting }: CallHooks,
  ): Promise<StandardSchemaV1.InferOutput<S>> {
    if (onWaiting !== undefined) this.#waiting.add(onWaiting);
    try {
      return await this.#client.request({ method, params }, schema, {
        timeout: NO_TIMEOUT_MS,
        signal,
        ...(onProgress ? { onprogress: onProgress } : {}),
      });
    } catch (error) {
      // A broken pipe is noticed before the exit that explains it.
      if (!(error instanceof ProtocolError) && !signal.aborted) await this.#transport.waitForEnd();
      throw error;
    } finally {
      if (onWaiting !== undefined) this.#waiting.delete(onWaiting);
    }
  }

  /** Servers that do not declare `listChanged` send the notifications all the same. */
  #watchChanges(): void {
    const client = this.#client;
    client.setNotificationHandler('notifications/tools/list_changed', () => this.#toolsChanged.request());
    const extras = (): void => this.#extrasChanged.request();
    client.setNotificationHandler('notifications/prompts/list_changed', extras);
    client.setNotificationHandler('notifications/resources/list_changed', extras);
    if (client.getProtocolEra() !== 'modern') return;
    // The new era sends them only to who asks.
    const filter = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };
    client
      .listen(filter, { signal: this.#closed.signal })
      .catch(error => this.#options.onLog(`no news of changed lists: ${messageOf(error)}`));
  }

  async #tools(signal: AbortSignal): Promise<readonly ServerTool[]> {
    if (this.#client.getServerCapabilities()?.tools === undefined) return [];
    const tools = await this.#list(TOOLS, signal);
    // Such a tool can only be run as a task, which this host does not offer.
    return tools.filter(tool => tool.execution?.taskSupport !== 'required');
  }

  #list<T>(kind: ListKind<T>, signal: AbortSignal): Promise<readonly T[]> {
    const options = { signal, timeout: NO_TIMEOUT_MS };
    return listAll(
      (method, params) => this.#client.request({ method, params }, PageSchema, options),
      kind,
      this.#options.onLog,
    );
  }

  async #refetchTools(): Promise<void> {
    const tools = await this.#refetched('tools', signal => this.#tools(signal));
    if (tools !== undefined) this.#options.onTools(tools);
  }

  async #refetchExtras(): Promise<void> {
    const has = this.#client.getServerCapabilities();
    const extras = await this.#refetched('prompts and resources', async signal => {
      const [prompts, resources, templates] = await Promise.all([
        has?.prompts ? this.#list(PROMPTS, signal) : [],
        has?.resources ? this.#list(RESOURCES, signal) : [],
        // Many servers with resources do not know of templates.
        has?.resources ? this.#list(TEMPLATES, signal).catch(() => []) : [],
      ]);
      return { prompts, resources, templates };
    });
    if (extras !== undefined) this.#options.onExtras(extras);
  }

  /** The list, or undefined, with a line in the log, when it cannot be had: the old one stays. */
  async #refetched<T>(what: string, fetch: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
    const deadline = new Deadline(START_TIMEOUT_MS, { signal: this.#closed.signal });
    try {
      return await fetch(deadline.signal);
    } catch (error) {
      if (!this.#closed.signal.aborted && this.ending === undefined) {
        this.#options.onLog(`its ${what} cannot be listed: ${messageOf(error)}`);
      }
      return undefined;
    } finally {
      deadline.dispose();
    }
  }

  #startFailure(error: unknown, timedOutAfterMs: number | undefined): LlmHostError {
    const { name } = this.#config;
    if (error instanceof LlmHostError) return error;
    // The SDK has closed the transport by then, which is not the reason.
    const noEra = error instanceof SdkError && error.code === SdkErrorCode.EraNegotiationFailed;
    const reason =
      this.ending !== undefined && !noEra
        ? `${this.ending} during its start`
        : timedOutAfterMs !== undefined
          ? `did not answer within ${(timedOutAfterMs / 1000).toFixed(1)}s of its start`
          : `could not be started: ${messageOf(error)}`;
    return new LlmHostError('MCP_SERVER', `server '${name}' ${reason}${quoteTail(this.stderrTail)}`, {
      cause: error,
    });
  }
}

function negotiation({ protocol }: ServerConfig): VersionNegotiationMode {
  return protocol === undefined || protocol === 'legacy' || protocol === 'auto'
    ? (protocol ?? 'legacy')
    : { pin: protocol };
}

/** The tail of stderr as it follows a message; empty when there is none. */
export function quoteTail(tail: string): string {
  return tail === '' ? '' : `\nIts last output:\n${tail.replace(/^/gm, '  ')}`;
}
