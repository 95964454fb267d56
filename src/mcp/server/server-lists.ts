import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@modelcontextprotocol/client';
import { messageOf } from '../../errors.ts';
import { Deadline, NO_TIMEOUT_MS } from './deadline.ts';
import {
  type LeftOut,
  type ListKind,
  listAll,
  PROMPTS,
  RESOURCES,
  TEMPLATES,
  TOOLS,
  toolLabel,
} from './discovery.ts';
import { cleanError } from './incoming-text.ts';
import { keepListening } from './subscriptions.ts';
import {
  PageSchema,
  type ResourceTemplate,
  type ServerPrompt,
  type ServerResource,
  type ServerTool,
} from './wire-schemas.ts';

/** Milliseconds for fetching a list again. */
const REFETCH_TIMEOUT_MS = 30_000;
/** Changes this close together are fetched once. */
const CHANGE_PAUSE_MS = 150;

/** However short or long a server calls a list fresh. */
const MIN_FRESH_MS = 5000;
const MAX_FRESH_MS = 24 * 3_600_000;

/** The prompts, resources and templates a server lists. */
export interface Extras {
  readonly prompts: readonly ServerPrompt[];
  readonly resources: readonly ServerResource[];
  readonly templates: readonly ResourceTemplate[];
}

export interface ServerListsOptions {
  readonly onLog: (line: string) => void;
  /** The tools were fetched again after a change. */
  readonly onTools: (tools: readonly ServerTool[]) => void;
  readonly onExtras: (extras: Extras) => void;
  /** Tools that cannot be offered, each time they are listed. */
  readonly onLeftOut: (tools: readonly LeftOut[]) => void;
  /** Why a tool cannot be called on this connection. */
  readonly toolFault: (tool: ServerTool) => string | undefined;
  /** The server is gone, which explains any failure. */
  readonly hasEnded: () => boolean;
}

/** Fetches what a connected server lists, and fetches it again when the server says it has changed. */
export class ServerLists {
  readonly #client: Client;
  readonly #options: ServerListsOptions;
  /** Aborts with the connection. */
  readonly #closed: AbortSignal;
  readonly #toolsChanged = new Coalesced(() => this.#refetchTools(), CHANGE_PAUSE_MS);
  /** By the method of the list. */
  readonly #freshUntil = new Map<string, number>();
  readonly #extrasChanged = new Coalesced(() => this.#refetchExtras(), CHANGE_PAUSE_MS);

  constructor(client: Client, options: ServerListsOptions, closed: AbortSignal) {
    this.#client = client;
    this.#options = options;
    this.#closed = closed;
  }

  /** Also for servers that send the notifications without declaring `listChanged`. */
  watch(): void {
    const client = this.#client;
    client.setNotificationHandler('notifications/tools/list_changed', () => this.#toolsChanged.request());
    const extras = (): void => this.#extrasChanged.request();
    client.setNotificationHandler('notifications/prompts/list_changed', extras);
    client.setNotificationHandler('notifications/resources/list_changed', extras);
  }

  /** The modern era sends changes only to clients that ask. */
  listen(): void {
    const client = this.#client;
    if (client.getProtocolEra() !== 'modern') return;
    const filter = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };
    const onAgain = (): void => {
      this.#toolsChanged.request();
      this.#extrasChanged.request();
    };
    void keepListening(client, filter, { signal: this.#closed, onLog: this.#options.onLog, onAgain });
  }

  /** Without those that only run as a task, if the server does not say that it runs tasks. */
  async tools(signal: AbortSignal): Promise<readonly ServerTool[]> {
    if (this.#client.getServerCapabilities()?.tools === undefined) return [];
    const leftOut: LeftOut[] = [];
    const listed = await this.#list(TOOLS, signal, item => leftOut.push(item));
    const tools = listed.filter(tool => {
      const fault = this.#options.toolFault(tool);
      if (fault !== undefined) leftOut.push({ label: toolLabel(tool), fault });
      return fault === undefined;
    });
    if (leftOut.length > 0) this.#options.onLeftOut(leftOut);
    if (this.runsTasks || this.#client.getProtocolEra() === 'modern') return tools;
    return tools.filter(tool => tool.execution?.taskSupport !== 'required');
  }

  /** Whether the server, of the older era, says that it runs calls as tasks. */
  get runsTasks(): boolean {
    return this.#client.getServerCapabilities()?.tasks?.requests?.tools?.call !== undefined;
  }

  /** Prompts, resources and templates follow by `onExtras`. */
  requestExtras(): void {
    this.#extrasChanged.request();
  }

  /** Fetches the lists again whose time (`ttlMs`) is over; without one they are good until the server tells otherwise. */
  refreshStale(): void {
    const now = performance.now();
    if (now > (this.#freshUntil.get(TOOLS.method) ?? Number.POSITIVE_INFINITY)) this.#toolsChanged.request();
    const others = [PROMPTS, RESOURCES, TEMPLATES].map(({ method }) => this.#freshUntil.get(method));
    if (others.some(until => now > (until ?? Number.POSITIVE_INFINITY))) this.#extrasChanged.request();
  }

  dispose(): void {
    this.#toolsChanged.dispose();
    this.#extrasChanged.dispose();
  }

  async #list<T>(
    kind: ListKind<T>,
    signal: AbortSignal,
    onLeftOut: (item: LeftOut) => void = () => {},
  ): Promise<readonly T[]> {
    const { onLog } = this.#options;
    const options = { signal, timeout: NO_TIMEOUT_MS };
    const news = {
      onLog,
      onLeftOut: (item: LeftOut) => {
        onLog(`the ${kind.word} ${item.label} is left out: ${item.fault}`);
        onLeftOut(item);
      },
    };
    try {
      return await listAll(
        async (method, params) => {
          const page = await this.#client.request({ method, params }, PageSchema, options);
          this.#noteFreshness(method, page.ttlMs, params.cursor === undefined);
          return page;
        },
        kind,
        news,
      );
    } catch (error) {
      throw cleanError(error);
    }
  }

  /** The shortest time of several pages counts. */
  #noteFreshness(method: string, ttlMs: number | undefined, first: boolean): void {
    const until =
      ttlMs !== undefined && ttlMs > 0
        ? performance.now() + Math.min(Math.max(ttlMs, MIN_FRESH_MS), MAX_FRESH_MS)
        : undefined;
    const before = first ? undefined : this.#freshUntil.get(method);
    const next = Math.min(before ?? Number.POSITIVE_INFINITY, until ?? Number.POSITIVE_INFINITY);
    if (Number.isFinite(next)) this.#freshUntil.set(method, next);
    else this.#freshUntil.delete(method);
  }

  async #refetchTools(): Promise<void> {
    const tools = await this.#refetched('tools', signal => this.tools(signal));
    if (tools !== undefined) this.#options.onTools(tools);
  }

  async #refetchExtras(): Promise<void> {
    const has = this.#client.getServerCapabilities();
    const extras = await this.#refetched('prompts and resources', async signal => {
      const [prompts, resources, templates] = await Promise.all([
        has?.prompts ? this.#list(PROMPTS, signal) : [],
        has?.resources ? this.#list(RESOURCES, signal) : [],
        // Many servers with resources do not implement templates.
        has?.resources ? this.#list(TEMPLATES, signal).catch(() => []) : [],
      ]);
      return { prompts, resources, templates };
    });
    if (extras !== undefined) this.#options.onExtras(extras);
  }

  /** undefined, with a line in the log, if the list cannot be fetched: the old one stays. */
  async #refetched<T>(what: string, fetch: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
    const deadline = new Deadline(REFETCH_TIMEOUT_MS, { signal: this.#closed });
    try {
      return await fetch(deadline.signal);
    } catch (error) {
      if (!this.#closed.aborted && !this.#options.hasEnded()) {
        this.#options.onLog(`its ${what} cannot be listed: ${messageOf(error)}`);
      }
      return undefined;
    } finally {
      deadline.dispose();
    }
  }
}

/** Runs `work` on request; requests close together run it once. */
class Coalesced {
  readonly #work: () => Promise<void>;
  readonly #pauseMs: number;
  #wanted = false;
  #running: Promise<void> | undefined;
  #disposed = false;

  /** `work` never rejects. It starts `pauseMs` after the first request, and never runs twice at once. */
  constructor(work: () => Promise<void>, pauseMs: number) {
    this.#work = work;
    this.#pauseMs = pauseMs;
  }

  request(): void {
    this.#wanted = true;
    this.#running ??= this.#run();
  }

  /** Starts nothing more. */
  dispose(): void {
    this.#disposed = true;
  }

  async #run(): Promise<void> {
    while (this.#wanted && !this.#disposed) {
      await sleep(this.#pauseMs, undefined, { ref: false });
      this.#wanted = false;
      if (!this.#disposed) await this.#work();
    }
    this.#running = undefined;
  }
}
