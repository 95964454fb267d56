import { Client, type Progress, ProtocolError } from '@modelcontextprotocol/client';
import { LlmHostError, messageOf } from '../errors.ts';
import type { StdioServerConfig } from './config-types.ts';
import { Deadline } from './deadline.ts';
import { StdioTransport } from './stdio-transport.ts';
import {
  type CallResult,
  CallResultSchema,
  type ServerTool,
  ServerToolSchema,
  ToolPageSchema,
} from './wire-schemas.ts';

const START_TIMEOUT_MS = 30_000;
/** A server whose cursors never end must not keep the start busy for ever. */
const MAX_PAGES = 256;
/** The SDK's own timer is kept out of the way: the signal of a deadline does its work, and tells who aborted. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;

export interface ConnectionOptions {
  readonly clientInfo: { readonly name: string; readonly version: string };
  readonly onLog: (line: string) => void;
  /** The server is gone without having been closed; called once, only after a successful start. */
  readonly onEnd: (reason: string) => void;
}

export type ProgressListener = (progress: Progress) => void;

/** One running server: start, list, call, close. Not restartable; a new one is made for each start. */
export class Connection {
  readonly #config: StdioServerConfig;
  readonly #options: ConnectionOptions;
  readonly #transport: StdioTransport;
  readonly #client: Client;
  #closing = false;

  constructor(config: StdioServerConfig, options: ConnectionOptions) {
    this.#config = config;
    this.#options = options;
    this.#transport = new StdioTransport(config, options.onLog);
    this.#client = new Client(options.clientInfo, { capabilities: {} });
    this.#client.onerror = error => options.onLog(`connection: ${messageOf(error)}`);
  }

  /**
   * Starts the process, shakes hands and lists its tools, all within the entry's limit or 30 s.
   * Throws LlmHostError MCP_SERVER with the tail of stderr, after having ended the process.
   */
  async start(signal?: AbortSignal): Promise<readonly ServerTool[]> {
    const limitMs = this.#config.startTimeoutMs ?? this.#config.timeoutMs ?? START_TIMEOUT_MS;
    const deadline = new Deadline(limitMs, signal);
    try {
      await this.#client.connect(this.#transport, { signal: deadline.signal, timeout: NO_TIMEOUT_MS });
      const tools = await this.#listTools(deadline.signal);
      this.#client.onclose = () => {
        if (!this.#closing) this.#options.onEnd(this.ending ?? 'ended');
      };
      if (this.ending !== undefined) throw new Error('Connection closed');
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

  /** Why the process is gone; undefined while it runs. */
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
  async call(
    tool: string,
    args: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
    onProgress?: ProgressListener,
  ): Promise<CallResult> {
    const params = { name: tool, arguments: { ...args } };
    try {
      return await this.#client.request({ method: 'tools/call', params }, CallResultSchema, {
        timeout: NO_TIMEOUT_MS,
        signal,
        ...(onProgress ? { onprogress: onProgress } : {}),
      });
    } catch (error) {
      // A broken pipe is noticed before the exit that explains it.
      if (!(error instanceof ProtocolError) && !signal.aborted) await this.#transport.waitForEnd();
      throw error;
    }
  }

  /** Ends the process and all its descendants in the group. Idempotent, never throws. */
  async close(): Promise<void> {
    this.#closing = true;
    await this.#transport.close();
  }

  async #listTools(signal: AbortSignal): Promise<readonly ServerTool[]> {
    if (this.#client.getServerCapabilities()?.tools === undefined) return [];
    const tools = new Map<string, ServerTool>();
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES; page++) {
      const params = cursor === undefined ? {} : { cursor };
      const options = { signal, timeout: NO_TIMEOUT_MS };
      const answer = await this.#client.request({ method: 'tools/list', params }, ToolPageSchema, options);
      for (const item of answer.tools) this.#addTool(tools, item);
      if (answer.nextCursor === undefined || answer.nextCursor === cursor) return [...tools.values()];
      cursor = answer.nextCursor;
    }
    this.#options.onLog(`the list of tools has more than ${MAX_PAGES} pages; the rest is left out`);
    return [...tools.values()];
  }

  #addTool(tools: Map<string, ServerTool>, item: unknown): void {
    const parsed = ServerToolSchema.safeParse(item);
    if (!parsed.success) {
      this.#options.onLog(
        `a tool is left out, its definition is not valid: ${JSON.stringify(item)?.slice(0, 200)}`,
      );
    } else if (tools.has(parsed.data.name)) {
      this.#options.onLog(`the tool '${parsed.data.name}' is listed twice; the first is used`);
    } else {
      tools.set(parsed.data.name, parsed.data);
    }
  }

  #startFailure(error: unknown, timedOutAfterMs: number | undefined): LlmHostError {
    const { name } = this.#config;
    if (error instanceof LlmHostError) return error;
    const reason =
      this.ending !== undefined
        ? `${this.ending} during its start`
        : timedOutAfterMs !== undefined
          ? `did not answer within ${(timedOutAfterMs / 1000).toFixed(1)}s of its start`
          : `could not be started: ${messageOf(error)}`;
    return new LlmHostError('MCP_SERVER', `server '${name}' ${reason}${quoteTail(this.stderrTail)}`, {
      cause: error,
    });
  }
}

/** The tail of stderr as it follows a message; empty when there is none. */
export function quoteTail(tail: string): string {
  return tail === '' ? '' : `\nIts last output:\n${tail.replace(/^/gm, '  ')}`;
}
