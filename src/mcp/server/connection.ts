import {
  Client,
  type Progress,
  UrlElicitationRequiredError,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client';
import type { output, ZodType } from 'zod';
import { LlmHostError, messageOf } from '../../errors.ts';
import type { McpLimits } from '../config/limits.ts';
import type { ServerConfig } from '../config/types.ts';
import { type OAuthOptions, OAuthSession } from '../oauth/session.ts';
import { AttachedTransport } from '../transport/attached-transport.ts';
import { HttpTransport } from '../transport/http.ts';
import { isServerAnswer } from '../transport/json-rpc.ts';
import type { ServerTransport } from '../transport/server-transport.ts';
import { StdioTransport } from '../transport/stdio.ts';
import { withShownLists } from '../transport/wire-extensions.ts';
import { argumentHeaders, headerFault } from './argument-headers.ts';
import { Deadline, NO_TIMEOUT_MS } from './deadline.ts';
import type { Elicit, ElicitationAnswer } from './elicitation.ts';
import { cleanError, cleanLine, cleanProgress, cleanText, TEXT_LIMITS } from './incoming-text.ts';
import { answerPeerRequests, CLIENT_CAPABILITIES, type Questions, rootsOf } from './peer-requests.ts';
import { ServerLists, type ServerListsOptions } from './server-lists.ts';
import { ServerLog } from './server-log.ts';
import { startFailure } from './start-fault.ts';
import { probingLimitMs, questionLimitMs } from './start-limits.ts';
import { Subscriptions } from './subscriptions.ts';
import { startedTask, type TaskState } from './task-state.ts';
import {
  AnyResultSchema,
  type CallResult,
  CallResultSchema,
  type PromptResult,
  PromptResultSchema,
  ReadResultSchema,
  readResult,
  type ServerTool,
} from './wire-schemas.ts';

/** How long a server is asked to keep a task. */
const TASK_TTL_MS = 24 * 3_600_000;
/** Between the answers to the question and to the older greeting, of a server that was slow to start. */
const LATE_GRACE_MS = 1000;

export interface ConnectionOptions extends Omit<ServerListsOptions, 'hasEnded' | 'toolFault'> {
  /** A resource that `watch` was called for has changed; without `uri` any of them may have. */
  readonly onUpdated: (uri?: string) => void;
  readonly clientInfo: { readonly name: string; readonly version: string };
  /** The server ended by itself; called at most once, and only after a successful start. */
  readonly onEnd: (reason: string) => void;
  readonly elicit: () => Elicit | undefined;
  readonly onDeclined: (message: string) => void;
  /** Absolute path; the server's root, unless its arguments name other folders. */
  readonly workingDirectory: string;
  /** Logins of HTTP servers. Without it, a server that requires one fails to start. */
  readonly oauth?: OAuthOptions | undefined;
  readonly limits: McpLimits;
}

export interface CallHooks {
  readonly signal: AbortSignal;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** The server starts or stops waiting for the user, which should not count against the time limit. */
  readonly onWaiting?: ((waiting: boolean) => void) | undefined;
  /** Run a tool as a task that need not be one; in the newer era the server decides. */
  readonly asTask?: boolean;
}

/** One running server: start, call, close. Not restartable: each start makes a new one. */
export class Connection {
  readonly #config: ServerConfig;
  readonly #options: ConnectionOptions;
  readonly #log: ServerLog;
  readonly #transport: ServerTransport;
  readonly #client: Client;
  readonly #calls = new OpenCalls();
  readonly #closed = new AbortController();
  readonly lists: ServerLists;
  readonly #questions: Questions;
  readonly #subscriptions: Subscriptions;
  #answeredLate = false;
  #timedOut = false;

  constructor(config: ServerConfig, options: ConnectionOptions) {
    this.#config = config;
    this.#options = options;
    this.#log = new ServerLog(options.onLog);
    this.#transport = openTransport(config, this.#log.add, options.oauth, options.limits);
    this.#client = new Client(options.clientInfo, {
      capabilities: CLIENT_CAPABILITIES,
      versionNegotiation: {
        mode: negotiation(config),
        probe: { timeoutMs: questionLimitMs(config) },
      },
    });
    this.#client.onerror = error => this.#log.add(`connection: ${messageOf(error)}`);
    const hasEnded = (): boolean => this.ending !== undefined;
    this.lists = new ServerLists(
      this.#client,
      {
        ...options,
        onLog: this.#log.add,
        hasEnded,
        toolFault: tool => (this.#mirrorsArguments ? headerFault(tool.inputSchema) : undefined),
      },
      this.#closed.signal,
    );
    const { onUpdated } = options;
    this.#subscriptions = new Subscriptions(
      this.#client,
      { onLog: this.#log.add, onUpdated },
      this.#closed.signal,
    );
    this.#questions = answerPeerRequests(this.#client, {
      server: config.name,
      onLog: this.#log.add,
      elicit: options.elicit,
      onDeclined: options.onDeclined,
      onWaiting: waiting => this.#calls.setAsking(waiting),
      callSignal: () => this.#calls.signal,
      roots: rootsOf(config, options.workingDirectory),
    });
  }

  /**
   * Starts the process, initializes the protocol and lists the tools, all within `limitMs`. Prompts and resources follow
   * through `onExtras`.
   * On failure ends the process and throws LlmHostError MCP_SERVER with the tail of stderr, and `wholeMs` if the time is over.
   * @param wholeMs for this and what was tried before
   */
  async start(signal: AbortSignal, limitMs: number, wholeMs: number): Promise<readonly ServerTool[]> {
    const deadline = new Deadline(limitMs, { signal });
    try {
      await this.#connect(deadline.signal, probingLimitMs(limitMs));
      this.lists.watch();
      const tools = await this.lists.tools(deadline.signal);
      this.lists.listen();
      this.#client.onclose = () => {
        if (!this.#closed.signal.aborted) this.#options.onEnd(this.ending ?? 'ended');
      };
      if (this.ending !== undefined) throw new Error('Connection closed');
      this.lists.requestExtras();
      return tools;
    } catch (error) {
      if (!deadline.signal.aborted) await this.#transport.waitForEnd();
      this.#timedOut = deadline.expired;
      const failure = this.#startFailure(error, deadline.expired ? wholeMs : undefined);
      await this.close();
      throw failure;
    } finally {
      deadline.dispose();
    }
  }

  /** It was spoken to in the older era only because it was slow: the next start may find the newer one. */
  get isEraUnsure(): boolean {
    return this.#answeredLate && this.era === 'legacy';
  }

  /** The start took all of its time. */
  get timedOut(): boolean {
    return this.#timedOut;
  }

  /** The era of the agreed protocol version; undefined before agreement. */
  get era(): 'legacy' | 'modern' | undefined {
    return this.#client.getProtocolEra();
  }

  /** Name and version, as the server gives them. */
  get identity(): string {
    const { name = '', version = '' } = this.#client.getServerVersion() ?? {};
    return cleanLine(`${name} ${version}`, TEXT_LIMITS.progress);
  }

  /** How to use the server, in its own words; goes into the system message. */
  get instructions(): string | undefined {
    const text = this.#client.getInstructions();
    return typeof text === 'string' ? cleanText(text, TEXT_LIMITS.instructions) : undefined;
  }

  /** Whether it completes arguments. */
  get completes(): boolean {
    return this.#client.getServerCapabilities()?.completions !== undefined;
  }

  /** Why the server is gone; undefined while it runs. */
  get ending(): string | undefined {
    return this.#transport.ending;
  }

  get stderrTail(): string {
    return cleanText(this.#transport.stderrTail, TEXT_LIMITS.stderrTail);
  }

  get pid(): number | undefined {
    return this.#transport.pid;
  }

  /**
   * Rejects with the SDK's errors. Aborting the signal sends the server a cancellation. A call that the server refuses
   * until the user has been at an address is made again then.
   */
  async call(
    tool: ServerTool,
    args: Readonly<Record<string, unknown>>,
    hooks: CallHooks,
  ): Promise<CallResult | { readonly task: TaskState }> {
    const headers = this.#mirrorsArguments ? argumentHeaders(tool.inputSchema, args) : {};
    const support = tool.execution?.taskSupport;
    const asTask =
      this.era !== 'modern' &&
      (support === 'required' || (hooks.asTask === true && support === 'optional' && this.lists.runsTasks));
    const params = { name: tool.name, arguments: { ...args }, ...(asTask && { task: { ttl: TASK_TTL_MS } }) };
    const run = () => this.ask('tools/call', params, CallResultSchema, hooks, headers);
    const result = await run().catch(async error => {
      if (!(error instanceof UrlElicitationRequiredError)) throw error;
      await this.#calls.during(hooks, () => this.#questions.visit(error.elicitations, hooks.signal));
      return await run();
    });
    const task = startedTask(result, asTask);
    return task === undefined ? result : { task };
  }

  /** Puts a question of the server to the user; see Questions. */
  answerQuestion(params: unknown, hooks: CallHooks): Promise<ElicitationAnswer> {
    return this.#calls.during(hooks, () => this.#questions.answer(params, hooks.signal));
  }

  /** The blocks of a resource, in the shape of a call's result. */
  async readResource(uri: string, hooks: CallHooks): Promise<CallResult> {
    const { contents, ttlMs } = await this.ask('resources/read', { uri }, ReadResultSchema, hooks);
    return { content: contents.map(resource => ({ type: 'resource', resource })), ttlMs };
  }

  /** Asks the server to tell when a resource changes, if it can; never rejects. */
  watch(uri: string): Promise<void> {
    return this.#subscriptions.add(uri);
  }

  getPrompt(name: string, args: Readonly<Record<string, string>>, hooks: CallHooks): Promise<PromptResult> {
    return this.ask('prompts/get', { name, arguments: { ...args } }, PromptResultSchema, hooks);
  }

  /** Whether the server still answers, be it with an error. */
  async answersPing(): Promise<boolean> {
    const deadline = new Deadline(this.#options.limits.pingMs, { signal: this.#closed.signal });
    const options = { signal: deadline.signal, timeout: NO_TIMEOUT_MS };
    // The newer era has no ping, but a question that each of its servers answers.
    const method = this.era === 'modern' ? 'server/discover' : 'ping';
    try {
      await deadline.race(this.#client.request({ method, params: {} }, AnyResultSchema, options));
      return true;
    } catch (error) {
      return isServerAnswer(error);
    } finally {
      deadline.dispose();
    }
  }

  /** Closes the connection and ends the process group. Idempotent, never throws. */
  async close(): Promise<void> {
    this.#closed.abort();
    this.lists.dispose();
    await this.#transport.close();
    this.#log.flush();
  }

  /** Over HTTP, servers of the newer era may want arguments as headers too. */
  get #mirrorsArguments(): boolean {
    return this.era === 'modern' && this.#config.transport !== 'stdio';
  }

  /** A server that is up and has answered no question after `silenceMs` is given up; one that is slow has until `signal` aborts. */
  async #connect(signal: AbortSignal, silenceMs: number): Promise<void> {
    const options = { signal, timeout: NO_TIMEOUT_MS };
    if (this.#config.transport !== 'stdio' || negotiation(this.#config) !== 'auto')
      return this.#client.connect(this.#transport, options);
    const stop = new AbortController();
    const unanswered = new Error('it answers a ping and nothing else');
    const silence = setTimeout(() => attached.isUp && stop.abort(unanswered), silenceMs);
    let grace: NodeJS.Timeout | undefined;
    // Some servers of both eras take the greeting of the older one after it all the same.
    const attached = new AttachedTransport(this.#transport, () => {
      this.#answeredLate = true;
      grace = setTimeout(() => stop.abort(), LATE_GRACE_MS);
    });
    try {
      await this.#client.connect(attached, { ...options, signal: AbortSignal.any([signal, stop.signal]) });
    } catch (error) {
      // A greeting may be refused before the question is answered.
      const discover = await attached.lateAnswer(isServerAnswer(error) ? LATE_GRACE_MS : 0);
      if (discover === undefined || signal.aborted || this.ending !== undefined) throw error;
      await this.#client.connect(attached, { ...options, prior: { kind: 'modern', discover } });
    } finally {
      clearTimeout(silence);
      clearTimeout(grace);
    }
  }

  /** A request of a method that is allowed in the era. Rejects with the SDK's errors. */
  async ask<S extends ZodType>(
    method: string,
    params: Readonly<Record<string, unknown>>,
    schema: S,
    hooks: CallHooks,
    headers: Record<string, string> = {},
  ): Promise<output<S>> {
    const { signal, onProgress } = hooks;
    return this.#calls.during(hooks, async () => {
      try {
        const answer = await this.#client.request({ method, params }, AnyResultSchema, {
          timeout: NO_TIMEOUT_MS,
          signal,
          headers,
          ...(onProgress ? { onprogress: progress => onProgress(cleanProgress(progress)) } : {}),
        });
        return readResult(method, schema, withShownLists(answer));
      } catch (error) {
        // A broken pipe shows up before the exit that explains it.
        if (!isServerAnswer(error) && !signal.aborted) await this.#transport.waitForEnd();
        throw cleanError(error);
      }
    });
  }

  #startFailure(error: unknown, timedOutAfterMs: number | undefined): LlmHostError {
    if (error instanceof LlmHostError) return error;
    const { ending, stderrTail } = this;
    return startFailure(error, {
      server: this.#config.name,
      ending,
      timedOutAfterMs,
      stderrTail,
      strayLine: this.#transport.strayLine,
    });
  }
}

function negotiation({ protocol = 'auto', transport }: ServerConfig): VersionNegotiationMode {
  if (transport === 'sse') return 'legacy';
  return protocol === 'legacy' || protocol === 'auto' ? protocol : { pin: protocol };
}

/** The calls that wait for a server. What it asks meanwhile may belong to any of them: the older era does not say. */
class OpenCalls {
  readonly #tell = new Set<(waiting: boolean) => void>();
  #cancelled = new AbortController();
  #asking = false;

  /** Aborts when the last of them is cancelled; undefined: there are none. */
  get signal(): AbortSignal | undefined {
    return this.#tell.size > 0 ? this.#cancelled.signal : undefined;
  }

  /** The user is asked something, or no longer. */
  setAsking(asking: boolean): void {
    this.#asking = asking;
    for (const tell of this.#tell) tell(asking);
  }

  /** Runs a part of a call, which is told of its waiting for the user, also where that has begun before. */
  async during<T>({ signal, onWaiting }: CallHooks, work: () => Promise<T>): Promise<T> {
    if (onWaiting !== undefined) {
      this.#tell.add(onWaiting);
      if (this.#asking) onWaiting(true);
    }
    try {
      return await work();
    } finally {
      if (onWaiting !== undefined) {
        this.#tell.delete(onWaiting);
        if (this.#asking) onWaiting(false);
      }
      // Questions that a server asks during its calls are useless once the last of them is cancelled.
      if (signal.aborted && this.#tell.size === 0) this.#renew();
    }
  }

  #renew(): void {
    this.#cancelled.abort();
    this.#cancelled = new AbortController();
  }
}

/**
 * The transport of a server, not yet started. A server with an `Authorization` header of its own never gets a login.
 */
function openTransport(
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
