import { setTimeout as sleep } from 'node:timers/promises';
import { LlmHostError, messageOf } from '../errors.ts';
import type { StdioServerConfig } from './config-types.ts';
import { Connection, type ConnectionOptions, quoteTail } from './connection.ts';
import type { ServerState } from './tool-host.ts';
import type { ServerTool } from './wire-schemas.ts';

/** Waits before the restarts of a server that crashed; after the last it stays failed. */
const BACKOFF_MS = [500, 1000, 2000];

export interface ManagedServerOptions extends Omit<ConnectionOptions, 'onEnd'> {
  /** Its state or its tools have changed. */
  readonly onChange: () => void;
}

/** One entry of mcp.json over its whole life: started, restarted after crashes, closed. */
export class ManagedServer {
  readonly config: StdioServerConfig;
  readonly #options: ManagedServerOptions;
  readonly #stop = new AbortController();
  #connection: Connection | undefined;
  /** The start or restart in progress, or the last one; never rejects. */
  #started: Promise<void> = Promise.resolve();
  #state: ServerState['state'] = 'starting';
  #error: string | undefined;
  #tools: readonly ServerTool[] = [];
  #restarts = 0;

  constructor(config: StdioServerConfig, options: ManagedServerOptions) {
    this.config = config;
    this.#options = options;
  }

  /** Kept while a crashed server is restarted, so that the model's list does not flicker. */
  get tools(): readonly ServerTool[] {
    return this.#tools;
  }

  get state(): ServerState {
    const instructions = this.#connection?.instructions;
    return {
      name: this.config.name,
      state: this.#state,
      tools: this.#tools.length,
      ...(this.#error === undefined ? {} : { error: this.#error }),
      ...(instructions === undefined ? {} : { instructions }),
    };
  }

  /** Resolves when the server is ready or has failed; never throws. */
  start(): Promise<void> {
    this.#started = this.#startOnce().then(undefined, error => this.#fail(messageOf(error)));
    return this.#started;
  }

  /** The live connection, after a restart in progress. Throws LlmHostError TOOL_FAILED when there is none. */
  async connection(): Promise<Connection> {
    await this.#started;
    if (this.#state === 'ready' && this.#connection !== undefined) return this.#connection;
    const why = this.#error === undefined ? '' : `: ${this.#error}`;
    throw new LlmHostError('TOOL_FAILED', `server '${this.config.name}' is not running${why}`);
  }

  /** A call has succeeded: the next crash is a new one, not the same crash again. */
  noteSuccess(): void {
    this.#restarts = 0;
  }

  /** Idempotent; no process of the server remains. */
  async close(): Promise<void> {
    this.#stop.abort();
    this.#state = 'closed';
    await Promise.all([this.#connection?.close(), this.#started]);
  }

  async #startOnce(): Promise<void> {
    const connection = new Connection(this.config, {
      ...this.#options,
      onEnd: reason => this.#onCrash(reason),
    });
    this.#connection = connection;
    const tools = await connection.start(this.#stop.signal);
    if (this.#stop.signal.aborted) return connection.close();
    this.#tools = tools;
    this.#state = 'ready';
    this.#error = undefined;
    this.#options.onChange();
  }

  #onCrash(reason: string): void {
    this.#options.onLog(`server '${this.config.name}' ${reason}`);
    this.#error = `${reason}${quoteTail(this.#connection?.stderrTail ?? '')}`;
    this.#state = 'starting';
    this.#options.onChange();
    this.#started = this.#restart();
  }

  async #restart(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const wait = BACKOFF_MS[this.#restarts];
      if (wait === undefined) return this.#fail(this.#error ?? 'it keeps ending');
      this.#restarts++;
      try {
        await sleep(wait, undefined, { signal: this.#stop.signal });
        return await this.#startOnce();
      } catch (error) {
        this.#error = messageOf(error);
      }
    }
  }

  #fail(error: string): void {
    if (this.#state === 'closed') return;
    this.#state = 'failed';
    this.#error = error;
    this.#options.onLog(error);
    this.#options.onChange();
  }
}
