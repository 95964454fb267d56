import { setTimeout as sleep } from 'node:timers/promises';
import { LlmHostError, messageOf } from '../../errors.ts';
import type { ServerConfig } from '../config/types.ts';
import { Connection, type ConnectionOptions } from './connection.ts';
import { leftOutText } from './discovery.ts';
import type { EraMemory } from './era-memory.ts';
import { isCold } from './package-runner.ts';
import { foldersOf } from './peer-requests.ts';
import type { Extras } from './server-lists.ts';
import { isFailedProbe, isRefusedGreeting, quoteTail, withHint } from './start-fault.ts';
import { probingLimitMs, startLimitMs } from './start-limits.ts';
import type { StartSlots } from './start-slots.ts';
import type { ServerTool } from './wire-schemas.ts';

/** A server that has run so long has not failed in a row with an earlier time. */
const STEADY_MS = 30_000;
const NO_EXTRAS: Extras = { prompts: [], resources: [], templates: [] };

/** Server events that the user may want to know about. */
export type ServerEvent = 'ready' | 'failed' | 'crashed' | 'restarted' | 'declined' | 'left-out';

export interface ManagedServerOptions
  extends Omit<
    ConnectionOptions,
    'onEnd' | 'onTools' | 'onExtras' | 'onDeclined' | 'onLeftOut' | 'onUpdated'
  > {
  /** The state, tools, prompts or resources have changed. */
  readonly onChange: () => void;
  readonly onEvent: (event: ServerEvent, detail: string) => void;
  /** A running server has another list of tools. */
  readonly onNewTools: (before: readonly ServerTool[], now: readonly ServerTool[]) => void;
  /** A resource that was attached has changed, or without `uri` perhaps any of them. */
  readonly onResources: (connection: Connection, uri?: string) => void;
  readonly eras: EraMemory;
  readonly slots: StartSlots;
}

/** An entry of mcp.json over its whole life: started, restarted after crashes, disabled and enabled, closed. */
export class ManagedServer {
  readonly config: ServerConfig;
  readonly #options: ManagedServerOptions;
  readonly #folders: readonly string[];
  #stop = new AbortController();
  #connection: Connection | undefined;
  /** The current or latest start or restart; never rejects. */
  #started: Promise<void> = Promise.resolve();
  /** The controller that `#started` was begun with, so that nothing is started twice. */
  #startedBy: AbortController | undefined;
  /** The latest of restarting, disabling and closing; never rejects. */
  #changing: Promise<void> = Promise.resolve();
  /** A check of the server after a call timed out. */
  #check: Promise<void> | undefined;
  #state: ServerState['state'];
  #error: string | undefined;
  #installing = false;
  #tools: readonly ServerTool[] = [];
  #extras = NO_EXTRAS;
  readonly #watched = new Set<string>();
  #restarts = 0;
  #readySince = 0;

  constructor(config: ServerConfig, options: ManagedServerOptions, enabled = true) {
    this.config = config;
    this.#options = options;
    this.#folders = foldersOf(config);
    this.#state = enabled ? 'starting' : 'disabled';
  }

  /** Kept while a crashed server restarts, so that the model's tool list does not flicker. */
  get tools(): readonly ServerTool[] {
    return this.#tools;
  }

  get extras(): Extras {
    return this.#extras;
  }

  get state(): ServerState {
    const instructions = this.#connection?.instructions;
    return {
      name: this.config.name,
      state: this.#state,
      tools: this.#tools.length,
      ...(this.#installing && this.#state === 'starting' && { installing: true }),
      ...(this.#error === undefined ? {} : { error: this.#error }),
      ...(instructions === undefined ? {} : { instructions }),
      ...(this.#folders.length > 0 && { folders: this.#folders }),
    };
  }

  /** Resolves when the server is ready or has failed; never throws. A disabled server stays disabled. */
  start(): Promise<void> {
    if (this.#state !== 'starting' || this.#startedBy === this.#stop) return this.#started;
    this.#startedBy = this.#stop;
    this.#installing = isCold(this.config);
    this.#started = this.#inSlot(() => this.#startOnce()).then(
      () => this.#tell('ready'),
      error => this.#fail(withHint(error, this.config)),
    );
    return this.#started;
  }

  /** Stops and starts it again, in any state but closed. Resolves when it is ready or has failed. */
  async restart(): Promise<void> {
    if (this.#state !== 'closed') await this.#change('starting');
  }

  /** Stops it but keeps its entry. */
  async disable(): Promise<void> {
    if (this.#state !== 'closed') await this.#change('disabled');
  }

  /** Idempotent; leaves no process behind. */
  async close(): Promise<void> {
    await this.#change('closed');
  }

  /**
   * The live connection, after any restart in progress; a remote server that was lost is tried once more. Throws LlmHostError
   * TOOL_FAILED if there is none.
   */
  async connection(): Promise<Connection> {
    await this.#started;
    // It may only have been away for longer than the restarts took.
    if (this.#state === 'failed' && this.#readySince > 0 && this.config.transport !== 'stdio')
      this.#started = this.#reconnect();
    await this.#started;
    if (this.#state === 'ready' && this.#connection !== undefined) return this.#connection;
    const why = this.#error === undefined ? '' : `: ${this.#error}`;
    throw new LlmHostError('TOOL_FAILED', `server '${this.config.name}' is not running${why}`);
  }

  /** Lists that are no longer fresh by what the server said of them are asked for again. */
  refreshStale(): void {
    if (this.#state === 'ready') this.#connection?.lists.refreshStale();
  }

  /** Whoever attached this resource is told when it changes, also after a restart. */
  async watch(uri: string): Promise<void> {
    this.#watched.add(uri);
    await this.#connection?.watch(uri);
  }

  /** After a successful call, the next crash counts as the first. */
  noteSuccess(): void {
    this.#restarts = 0;
  }

  /** After a timeout: restarts the server unless it answers a ping. */
  noteTimeout(): void {
    this.#check ??= this.#pingOrRestart().finally(() => {
      this.#check = undefined;
    });
  }

  /** A server on this machine takes its share of the processor to start. */
  #inSlot(start: () => Promise<void>): Promise<void> {
    return this.config.transport === 'stdio' ? this.#options.slots.run(start, this.#stop.signal) : start();
  }

  /** If changes overlap, only the latest continues; when it ends, all have ended. */
  async #change(state: ServerState['state']): Promise<void> {
    const change: Promise<void> = this.#end(state).then(() => {
      if (change !== this.#changing || state !== 'starting') return;
      this.#restarts = 0;
      this.#stop = new AbortController();
      return this.start();
    });
    this.#changing = change;
    for (let seen: unknown; seen !== this.#changing; ) {
      seen = this.#changing;
      await seen;
    }
  }

  async #end(state: ServerState['state']): Promise<void> {
    this.#stop.abort();
    this.#state = state;
    if (state !== 'closed') {
      this.#tools = state === 'starting' ? this.#tools : [];
      this.#extras = NO_EXTRAS;
      this.#error = undefined;
    }
    this.#options.onChange();
    await Promise.all([this.#connection?.close(), this.#started]);
  }

  /**
   * With `protocol: auto`, a server not known to be of the older era, or no longer of it, is asked for the newer one first. One
   * that does not survive the question, or answers nothing of use to it, is started again and spoken to in the older one.
   */
  async #startOnce(): Promise<void> {
    const { protocol = 'auto' } = this.config;
    const isLocal = this.config.transport === 'stdio';
    const limitMs = this.#startLimitMs;
    if (protocol !== 'auto') return this.#startConnection(this.#connect(this.config), limitMs);
    const endsAt = performance.now() + limitMs;
    const leftMs = (): number => Math.max(1, endsAt - performance.now());
    if (this.#options.eras.isLegacy(this.config) && (await this.#startedAsLegacy(limitMs))) return;
    const probing = this.#connect(this.config);
    try {
      return await this.#startAndNote(probing, isLocal ? leftMs() : probingLimitMs(leftMs()));
    } catch (error) {
      if (this.#stop.signal.aborted || probing.era !== undefined) throw error;
      // A local server may also have died of the question, or be silent since; otherwise it has had all the time.
      if (isLocal ? probing.pid === undefined || probing.timedOut : !isFailedProbe(error)) throw error;
      this.#options.onLog(`server '${this.config.name}': started again as a legacy one: ${messageOf(error)}`);
    }
    await this.#startAndNote(this.#connect(legacy(this.config)), leftMs());
  }

  get #startLimitMs(): number {
    return startLimitMs(this.config, this.#installing);
  }

  /** False: a server that was of the older era refuses its greeting now, so that it may be of the newer one. */
  async #startedAsLegacy(limitMs: number): Promise<boolean> {
    const connection = this.#connect(legacy(this.config));
    try {
      await this.#startAndNote(connection, limitMs);
      return true;
    } catch (error) {
      if (this.#stop.signal.aborted || connection.era !== undefined || !isRefusedGreeting(error)) throw error;
      this.#options.onLog(`server '${this.config.name}' is no longer a legacy one: ${messageOf(error)}`);
      this.#options.eras.forget(this.config);
      return false;
    }
  }

  /** Starts a connection and remembers the era that was found. */
  async #startAndNote(connection: Connection, limitMs: number): Promise<void> {
    await this.#startConnection(connection, limitMs);
    const { era, identity } = connection;
    if (era !== undefined && !connection.isEraUnsure) this.#options.eras.note(this.config, era, identity);
  }

  #connect(config: ServerConfig): Connection {
    const { signal } = this.#stop;
    const connection: Connection = new Connection(config, {
      ...this.#options,
      onEnd: reason => this.#onCrash(connection, reason),
      onTools: tools => this.#onTools(connection, tools),
      onExtras: extras => {
        if (this.#connection !== connection || signal.aborted) return;
        this.#extras = extras;
        this.#options.onResources(connection);
        this.#options.onChange();
      },
      onUpdated: uri => this.#options.onResources(connection, uri),
      onLeftOut: tools => this.#options.onEvent('left-out', leftOutText(tools)),
      onDeclined: message => this.#options.onEvent('declined', message),
    });
    this.#connection = connection;
    return connection;
  }

  async #startConnection(connection: Connection, limitMs: number): Promise<void> {
    const { signal } = this.#stop;
    const tools = await connection.start(signal, limitMs, this.#startLimitMs);
    if (signal.aborted) return connection.close();
    // Kept from before a crash.
    if (this.#tools.length > 0) this.#options.onNewTools(this.#tools, tools);
    this.#tools = tools;
    this.#installing = false;
    this.#state = 'ready';
    this.#readySince = performance.now();
    this.#error = undefined;
    for (const uri of this.#watched) void connection.watch(uri);
    this.#options.onChange();
  }

  #onTools(connection: Connection, tools: readonly ServerTool[]): void {
    if (this.#connection !== connection || this.#state !== 'ready') return;
    const before = this.#tools;
    this.#tools = tools;
    this.#options.onNewTools(before, tools);
    this.#options.onChange();
  }

  #onCrash(connection: Connection, reason: string): void {
    if (this.#connection !== connection || this.#stop.signal.aborted) return;
    if (performance.now() - this.#readySince > STEADY_MS) this.#restarts = 0;
    this.#options.onLog(`server '${this.config.name}' ${reason}`);
    this.#error = `${reason}${quoteTail(connection.stderrTail)}`;
    this.#state = 'starting';
    this.#options.onChange();
    this.#options.onEvent('crashed', reason);
    this.#started = this.#restart();
  }

  async #restart(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const wait = this.#options.limits.restartMs[this.#restarts];
      if (wait === undefined) return this.#fail(this.#error ?? 'it keeps ending');
      this.#restarts++;
      try {
        await sleep(wait, undefined, { signal });
        await this.#startOnce();
        return this.#tell('restarted');
      } catch (error) {
        if (!signal.aborted) this.#error = withHint(error, this.config);
      }
    }
  }

  /** Never rejects. Whoever asked for it is told why it failed. */
  #reconnect(): Promise<void> {
    this.#state = 'starting';
    this.#options.onChange();
    return this.#startOnce().then(
      () => this.#tell('restarted'),
      error => this.#fail(withHint(error, this.config), { quietly: true }),
    );
  }

  async #pingOrRestart(): Promise<void> {
    const connection = this.#connection;
    if (this.#state !== 'ready' || connection === undefined || (await connection.answersPing())) return;
    if (this.#connection !== connection || this.#state !== 'ready') return;
    const closing = connection.close();
    this.#onCrash(connection, 'did not answer any more and was stopped');
    await closing;
  }

  #tell(event: 'ready' | 'restarted'): void {
    if (this.#state === 'ready') this.#options.onEvent(event, String(this.#tools.length));
  }

  #fail(error: string, { quietly = false } = {}): void {
    if (this.#state !== 'starting' || this.#stop.signal.aborted) return;
    this.#state = 'failed';
    this.#error = error;
    this.#options.onLog(error);
    this.#options.onChange();
    if (!quietly) this.#options.onEvent('failed', error);
  }
}

function legacy(config: ServerConfig): ServerConfig {
  return { ...config, protocol: 'legacy' };
}

export interface ServerState {
  readonly name: string;
  /** `starting` includes restarts after a crash; `disabled`: configured but turned off. */
  readonly state: 'starting' | 'ready' | 'failed' | 'disabled' | 'closed';
  readonly tools: number;
  /** While `starting`: its package is installed first (`npx`, `uvx`). */
  readonly installing?: boolean;
  /** Why it failed, with the tail of stderr. */
  readonly error?: string;
  readonly instructions?: string;
  /** Absolute paths of the folders that its arguments name, if any. */
  readonly folders?: readonly string[];
}
