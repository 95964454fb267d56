import { LlmHostError } from '../../errors.ts';
import { nearest } from '../../text/nearest.ts';
import { offeredTools, type Target } from '../calls/offered-tools.ts';
import { ResourceReads } from '../calls/resource-reads.ts';
import { resultText } from '../calls/result-text.ts';
import { SavedMedia } from '../calls/saved-media.ts';
import { Tasks } from '../calls/tasks.ts';
import { ToolCalls } from '../calls/tool-calls.ts';
import { MCP_LIMITS, type McpLimits } from '../config/limits.ts';
import type { ServerConfig } from '../config/types.ts';
import type { OAuthOptions } from '../oauth/session.ts';
import type { AllowedTools } from '../policy/allowed-tools.ts';
import type { Approver } from '../policy/approval.ts';
import type { Redactor } from '../policy/audit-redact.ts';
import { CallGate } from '../policy/gate.ts';
import type { ToolPolicy } from '../policy/policy.ts';
import { completeArgument } from '../resources/completions.ts';
import { prepareInput } from '../resources/prepare-input.ts';
import { hostPrompts, hostResources } from '../resources/prompts-and-resources.ts';
import type { Connection } from '../server/connection.ts';
import type { Elicit } from '../server/elicitation.ts';
import { EraMemory } from '../server/era-memory.ts';
import { ManagedServer, type ServerEvent } from '../server/managed-server.ts';
import { StartSlots } from '../server/start-slots.ts';
import type { ServerTool } from '../server/wire-schemas.ts';
import type {
  CompletionRequest,
  HostApprovals,
  HostCallOptions,
  HostPrompt,
  HostResource,
  HostTool,
  Patience,
  PreparedInput,
  PrepareOptions,
  ServerControl,
  ServerState,
  ToolHost,
  ToolOutcome,
} from '../tool-host.ts';
import type { ToolTrust } from '../trust/tools.ts';
import { eventSentence, Notices, ResourceNews } from './notices.ts';

const MAX_RESULT_CHARS = 60_000;

export interface McpHostOptions {
  readonly configs: readonly ServerConfig[];
  /** Lines of a server's stderr, its log messages, and the host's own about it. */
  readonly onLog?: (server: string, line: string) => void;
  /** Longer results are cut with a note. Default 60,000 characters. */
  readonly maxResultChars?: number;
  /** JSONL file that records every call. Default: none. */
  readonly auditFile?: string;
  /** Which tools are offered, and which calls the user must approve. Default: all, and none. */
  readonly policy?: ToolPolicy;
  readonly clientInfo?: { readonly name: string; readonly version: string };
  /** The servers' root, unless their arguments name other folders. Default: the current folder. */
  readonly workingDirectory?: string;
}

/** With what the program keeps between its runs. */
export interface McpHostParts extends McpHostOptions {
  /** Disabled entries; they can be enabled later. */
  readonly disabled?: readonly ServerConfig[];
  /** Entries that could not be read; they are listed as failed servers. */
  readonly failures?: readonly { readonly name: string; readonly error: string }[];
  /** Keeps secrets out of that record. */
  readonly redactor?: Redactor;
  /** Keeps what the user allows for good. Default: until the program exits. */
  readonly allowedTools?: AllowedTools;
  /** Flags tools whose definition has changed since they were approved. Default: no check. */
  readonly toolTrust?: ToolTrust;
  /** Stores the logins of HTTP servers, and guides the user through one. */
  readonly oauth?: OAuthOptions;
  /** Remembers which servers are of the older era. Default: until the program exits. */
  readonly eras?: EraMemory;
  /** How many local servers start at once. Default: as many as there are cores. */
  readonly slots?: StartSlots;
  /** Waits for servers. Default: the program's. */
  readonly limits?: Partial<McpLimits>;
}

/** All servers of an mcp.json, and the tools they offer. */
export class McpHost implements ToolHost, ServerControl {
  readonly #options: McpHostParts;
  readonly #servers: ManagedServer[] = [];
  /** Entries that could not be read, or have no consent. */
  #failed: readonly ServerState[];
  readonly #maxResultChars: number;
  readonly #calls: ToolCalls;
  readonly #tasks: Tasks;
  readonly #media: SavedMedia;
  readonly #reads = new ResourceReads();
  readonly #notices = new Notices();
  readonly #news = new ResourceNews(this.#notices);
  readonly #gate: CallGate;
  readonly #reviewed = new WeakMap<ManagedServer, readonly ServerTool[]>();
  readonly #listeners = new Set<() => void>();
  readonly #eras: EraMemory;
  readonly #slots: StartSlots;
  readonly #limits: McpLimits;
  #elicit: Elicit | undefined;
  #targets: Map<string, Target> | undefined;
  #lastSettled = 0;
  #closed: Promise<void> | undefined;

  constructor(options: McpHostParts) {
    this.#options = options;
    this.#eras = options.eras ?? new EraMemory();
    this.#slots = options.slots ?? new StartSlots();
    this.#limits = { ...MCP_LIMITS, ...options.limits };
    this.#gate = new CallGate(options.policy, options.allowedTools);
    for (const config of options.configs) this.#servers.push(this.#manage(config, true));
    for (const config of options.disabled ?? []) this.#servers.push(this.#manage(config, false));
    this.#failed = (options.failures ?? []).map(({ name, error }) => ({
      name,
      state: 'failed',
      tools: 0,
      error,
    }));
    this.#maxResultChars = options.maxResultChars ?? MAX_RESULT_CHARS;
    const { auditFile, redactor, onLog } = options;
    this.#media = new SavedMedia(line => options.onLog?.('media', line));
    this.#tasks = new Tasks({
      textOf: result => resultText(this.#media.save(result), this.#maxResultChars),
      onNews: (key, message) => {
        this.#notices.add(key, message);
        this.#changed();
      },
    });
    this.#calls = new ToolCalls({
      gate: this.#gate,
      maxResultChars: this.#maxResultChars,
      auditFile,
      redactor,
      onLog,
      tasks: this.#tasks,
      media: this.#media,
      reads: this.#reads,
    });
  }

  /**
   * Starts all servers side by side, at most so many at once as there are cores; resolves when each is ready or has failed. A
   * failing server is not an error.
   */
  async start(): Promise<void> {
    if (this.#closed !== undefined) return;
    this.#lastSettled = performance.now();
    await Promise.all(this.#servers.map(server => server.start()));
  }

  /** Resolves when no server is starting any more, or patience is at its end; late servers join with a notice. */
  settled({ quietMs, limitMs, fromNow = false }: Patience, signal?: AbortSignal): Promise<void> {
    return new Promise(resolve => {
      const begun = performance.now();
      const since = (): number => (fromNow ? Math.max(begun, this.#lastSettled) : this.#lastSettled);
      let timer: NodeJS.Timeout | undefined;
      const look = (): void => {
        clearTimeout(timer);
        const leftMs = Math.min(begun + limitMs, since() + quietMs) - performance.now();
        const starting = this.#servers.some(({ state }) => state.state === 'starting');
        if (starting && leftMs > 0 && signal?.aborted !== true) {
          timer = setTimeout(look, leftMs);
          return;
        }
        stop();
        signal?.removeEventListener('abort', look);
        // Then the notices of a server that has just come up are there too.
        setImmediate(resolve);
      };
      const stop = this.onChange(look);
      signal?.addEventListener('abort', look);
      look();
    });
  }

  /** Drops notices about servers that are up. */
  dropReadyNotices(): void {
    this.#notices.dropReady();
  }

  get control(): ServerControl {
    return this;
  }

  tools(): readonly HostTool[] {
    return [...this.#targetsByName().values()].map(target => target.tool);
  }

  servers(): readonly ServerState[] {
    return [...this.#servers.map(server => server.state), ...this.#failed];
  }

  prompts(): readonly HostPrompt[] {
    return hostPrompts(this.#servers);
  }

  resources(): readonly HostResource[] {
    return hostResources(this.#servers);
  }

  async complete(request: CompletionRequest, signal: AbortSignal): Promise<readonly string[]> {
    const server = this.#servers.find(({ config }) => config.name === request.server);
    return server === undefined ? [] : await completeArgument(server, request, signal);
  }

  async call(
    name: string,
    args: Readonly<Record<string, unknown>>,
    options: HostCallOptions,
  ): Promise<ToolOutcome> {
    const target = this.#targetsByName().get(name);
    if (target === undefined) throw this.#unknownTool(name);
    return await this.#calls.call(target, args, options);
  }

  async readResource(server: string, uri: string, options: HostCallOptions): Promise<ToolOutcome> {
    return await this.#calls.readLink(this.#named(server), uri, options);
  }

  refreshStale(): void {
    for (const server of this.#servers) server.refreshStale();
  }

  /** Also tells the model what became of tasks that outlived their turn. */
  async prepareInput(input: string, options: PrepareOptions): Promise<PreparedInput> {
    this.refreshStale();
    const parts = { maxChars: this.#maxResultChars, reads: this.#reads };
    const prepared = await prepareInput(input, this.#servers, parts, options);
    const { cut = (_tool: string, text: string) => text } = options;
    const finished = this.#tasks.takeFinished();
    const told = finished.map(
      ({ tool, how, text }) => `[The task of the tool '${tool}' ${how}]\n${cut(tool, text)}`,
    );
    const news = this.#news.take();
    const text = [...told, ...news, prepared.text].join('\n\n');
    const giveBack = (): void => {
      this.#tasks.giveBack(finished);
      this.#news.giveBack(news);
    };
    return { ...prepared, text, ...((finished.length > 0 || news.length > 0) && { giveBack }) };
  }

  takeNotices(): readonly string[] {
    return this.#notices.take();
  }

  /** Calls `listener` when states, tools, prompts, resources or notices change; call the result to unsubscribe. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** How to ask the user for a server; undefined: its questions are declined with a notice. */
  setElicitation(elicit: Elicit | undefined): void {
    this.#elicit = elicit;
  }

  /** How to ask the user for approval; undefined: calls that need it are refused. */
  setApprover(approver: Approver | undefined): void {
    this.#gate.approver = approver;
  }

  /** The user's approvals, and how to withdraw them. */
  get approvals(): HostApprovals {
    const { allowedTools } = this.#options;
    const { approvals } = this.#gate;
    return {
      file: allowedTools?.path,
      always: () => allowedTools?.list() ?? [],
      takeBack: tool => approvals.takeBack(tool),
      endConversation: () => approvals.endConversation(),
    };
  }

  /**
   * Starts another server, also in the place of an entry that could not be used; if that fails, its state says so. Throws
   * LlmHostError USAGE if the name is taken.
   */
  async add(config: ServerConfig): Promise<ServerState> {
    if (this.#closed !== undefined) throw new LlmHostError('USAGE', 'the servers are closed');
    if (this.#servers.some(server => server.config.name === config.name)) {
      throw new LlmHostError('USAGE', `server '${config.name}' already exists`);
    }
    this.#dropFailed(config.name);
    const server = this.#manage(config, true);
    this.#servers.push(server);
    await server.start();
    return server.state;
  }

  /** Stops a server and forgets its entry. Throws LlmHostError USAGE for an unknown name, as do the next three. */
  async remove(name: string): Promise<void> {
    if (this.#dropFailed(name)) {
      this.#changed();
      return;
    }
    const server = this.#named(name);
    this.#servers.splice(this.#servers.indexOf(server), 1);
    this.#changed();
    await server.close();
  }

  /** Starts a disabled or failed server. */
  async enable(name: string): Promise<ServerState> {
    const server = this.#named(name);
    if (server.state.state !== 'ready' && server.state.state !== 'starting') await server.restart();
    return server.state;
  }

  async disable(name: string): Promise<void> {
    await this.#named(name).disable();
  }

  async restart(name: string): Promise<ServerState> {
    const server = this.#named(name);
    await server.restart();
    return server.state;
  }

  close(): Promise<void> {
    this.#closed ??= this.#tasks
      .close()
      .then(() => Promise.all(this.#servers.map(server => server.close())))
      .then(() => this.#media.close());
    return this.#closed;
  }

  #manage(config: ServerConfig, enabled: boolean): ManagedServer {
    const { onLog, clientInfo, workingDirectory, oauth } = this.#options;
    return new ManagedServer(
      config,
      {
        clientInfo: clientInfo ?? { name: 'llm-host', version: '0' },
        workingDirectory: workingDirectory ?? process.cwd(),
        onLog: line => onLog?.(config.name, line),
        elicit: () => this.#elicit,
        oauth,
        eras: this.#eras,
        slots: this.#slots,
        limits: this.#limits,
        onResources: (connection, uri) => this.#onResources(config.name, connection, uri),
        onChange: () => this.#changed(),
        onNewTools: (before, now) => this.#notices.addTools(config.name, before, now),
        onEvent: (event, detail) => this.#onEvent(config.name, event, detail),
      },
      enabled,
    );
  }

  #onEvent(server: string, event: ServerEvent, detail: string): void {
    if (event === 'ready' || event === 'failed') this.#lastSettled = performance.now();
    if (event === 'ready') this.#notices.addReady(server, Number(detail));
    else if (event === 'left-out')
      this.#notices.addOnce(`${server}\0${event}`, eventSentence(server, event, detail));
    else this.#notices.add(`${server}\0${event}`, eventSentence(server, event, detail));
    this.#changed();
  }

  #onResources(server: string, connection: Connection, uri: string | undefined): void {
    this.#reads.forget(connection, uri);
    if (uri === undefined) return;
    this.#news.add(server, uri);
    this.#changed();
  }

  #changed(): void {
    this.#targets = undefined;
    for (const server of this.#servers) this.#review(server);
    for (const listener of this.#listeners) listener();
  }

  #review(server: ManagedServer): void {
    const { tools, config } = server;
    if (tools.length === 0 || this.#reviewed.get(server) === tools) return;
    this.#reviewed.set(server, tools);
    for (const [index, sentence] of (this.#options.toolTrust?.review(config, tools) ?? []).entries()) {
      this.#notices.add(`${config.name}\0definition ${index}`, sentence);
    }
  }

  #targetsByName(): Map<string, Target> {
    this.#targets ??= offeredTools(this.#servers, this.#gate);
    return this.#targets;
  }

  /** False: there is no such entry that could not be used. */
  #dropFailed(name: string): boolean {
    const before = this.#failed;
    this.#failed = before.filter(entry => entry.name !== name);
    return this.#failed.length < before.length;
  }

  #named(name: string): ManagedServer {
    const server = this.#servers.find(({ config }) => config.name === name);
    if (server !== undefined) return server;
    const failed = this.#failed.find(entry => entry.name === name);
    if (failed !== undefined) {
      throw new LlmHostError('USAGE', `the entry of server '${name}' cannot be used`, { hint: failed.error });
    }
    const names = this.servers().map(entry => entry.name);
    const near = nearest(name, names);
    throw new LlmHostError('USAGE', `there is no server '${name}'`, {
      hint: near ? `Did you mean '${near}'?` : `Servers: ${names.join(', ') || 'none'}`,
    });
  }

  #unknownTool(name: string): LlmHostError {
    const names = [...this.#targetsByName().keys()];
    const near = nearest(name, names);
    const advice =
      near === undefined ? `Available: ${names.join(', ') || 'none'}` : `Did you mean '${near}'?`;
    return new LlmHostError('TOOL_FAILED', `There is no tool '${name}'`, { hint: advice });
  }
}
