import { LlmHostError, messageOf } from '../../errors.ts';
import { ApiError } from '../http/api-error.ts';
import { QueueFull } from '../http/generation-queue.ts';
import type { LoadedModel } from '../http/serve-context.ts';
import type { Lease, OtherModel, ServedModels } from '../http/served-models.ts';
import { matchesModel } from '../http/served-name.ts';

export interface OtherModels {
  /** As of now: the cache changes. */
  list(): readonly OtherModel[];
  /** @throws LlmHostError; OUT_OF_MEMORY: it does not fit beside those that are loaded */
  open(id: string): Promise<LoadedModel & { close(): Promise<void> }>;
}

export interface PoolLimits {
  /** Models loaded at once, beside the first. At least 1. */
  readonly maxLoaded: number;
  /** Milliseconds without a request after which a model is closed. */
  readonly keepAliveMs: number;
  /** Milliseconds that a request waits for others to free memory. */
  readonly waitMs: number;
  /** Requests that wait for models. */
  readonly maxWaiting: number;
}

const POOL_LIMITS: PoolLimits = {
  ...{ maxLoaded: 2, keepAliveMs: 300_000, waitMs: 120_000, maxWaiting: 64 },
};

type Opened = Awaited<ReturnType<OtherModels['open']>>;

interface Entry {
  readonly id: string;
  readonly opening: Promise<Opened>;
  loaded: LoadedModel | undefined;
  users: number;
  lastUsed: number;
  /** `Date.now()` when it is to be closed; undefined while in use. */
  expires?: number | undefined;
  timer?: NodeJS.Timeout | undefined;
}

/** The models that requests name, loaded when they are asked for and closed when they are not, one step at a time. */
export class ModelPool implements ServedModels {
  readonly first: LoadedModel;
  readonly #others: OtherModels;
  readonly #limits: PoolLimits;
  readonly #entries = new Map<string, Entry>();
  /** Loads and closes, one after the other: memory is counted between them. */
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  #opening = false;
  #closed = false;
  #wake: () => void = () => undefined;

  constructor(first: LoadedModel, others: OtherModels, limits: Partial<PoolLimits> = {}) {
    this.first = first;
    this.#others = others;
    this.#limits = { ...POOL_LIMITS, ...limits };
  }

  /** Those that may be named beside the first. */
  list(): readonly OtherModel[] {
    return this.#others.list().filter(({ id }) => id !== this.first.model.id);
  }

  /** Those of them that are in memory. */
  loaded(): readonly { readonly loaded: LoadedModel; readonly expires: number | undefined }[] {
    return [...this.#entries.values()].flatMap(({ loaded, expires }) =>
      loaded ? [{ loaded, expires }] : [],
    );
  }

  /** The id that a client means; undefined: there is none. */
  idOf(name: string): string | undefined {
    if (matchesModel(this.first.model.id, name)) return this.first.model.id;
    const ids = this.list().map(({ id }) => id);
    return ids.find(id => id === name) ?? ids.find(id => matchesModel(id, name));
  }

  /** Loads a model if it is not. Throws QueueFull, ApiError 503 if there is no room, and what loading throws. */
  async use(id: string): Promise<Lease> {
    if (id === this.first.model.id) return { loaded: this.first, release: () => undefined };
    if (this.#closed) throw new ApiError(503, 'The server is stopping', { code: 'stopping' });
    const known = this.#entries.get(id);
    // Before anything is loaded: for a request that is refused nobody would let go of the model again.
    if (!known?.loaded && this.#waiting >= this.#limits.maxWaiting) throw new QueueFull(10);
    const entry = known ?? this.#begin(id);
    this.#hold(entry);
    this.#waiting += 1;
    try {
      const loaded = await entry.opening;
      return { loaded, release: once(keepAliveMs => this.#release(entry, keepAliveMs)) };
    } catch (error) {
      entry.users -= 1;
      throw error;
    } finally {
      this.#waiting -= 1;
    }
  }

  /** Closes all but the first, when what is being loaded has been. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#wake();
    await Promise.allSettled([...this.#entries.values()].map(({ opening }) => opening));
    const entries = [...this.#entries.values()].filter(({ loaded }) => loaded !== undefined);
    await Promise.allSettled(entries.map(entry => this.#remove(entry)));
    await this.#last;
  }

  #begin(id: string): Entry {
    const opening = this.#inTurn(() => this.#openWithRoom(id));
    const entry: Entry = { id, opening, loaded: undefined, users: 0, lastUsed: 0 };
    this.#entries.set(id, entry);
    opening.then(
      loaded => {
        entry.loaded = loaded;
      },
      () => this.#entries.delete(id),
    );
    return entry;
  }

  /** Makes room by closing what is not in use, the longest unused first, and waits for what is. */
  async #openWithRoom(id: string): Promise<Opened> {
    const deadline = performance.now() + this.#limits.waitMs;
    this.#opening = true;
    try {
      return await this.#openBefore(deadline, id);
    } finally {
      this.#opening = false;
      for (const entry of [...this.#entries.values()])
        if ((entry.expires ?? Number.POSITIVE_INFINITY) <= Date.now()) this.#unload(entry);
    }
  }

  async #openBefore(deadline: number, id: string): Promise<Opened> {
    while (true) {
      const inMemory = [...this.#entries.values()].filter(({ loaded }) => loaded !== undefined);
      const tooMany = inMemory.length >= this.#limits.maxLoaded;
      const attempt = tooMany ? undefined : await this.#tryToOpen(id);
      if (attempt && 'opened' in attempt) return attempt.opened;
      if (attempt && inMemory.length === 0) throw noRoom(id, attempt.lack, []);
      const [idle] = inMemory.filter(({ users }) => users === 0).sort((a, b) => a.lastUsed - b.lastUsed);
      if (idle) await this.#forget(idle);
      else if (!(await this.#released(deadline - performance.now())))
        throw noRoom(id, attempt?.lack ?? `${inMemory.length} others are loaded`, inMemory);
    }
  }

  async #tryToOpen(id: string): Promise<{ readonly opened: Opened } | { readonly lack: string }> {
    if (this.#closed) throw new ApiError(503, 'The server is stopping', { code: 'stopping' });
    try {
      return { opened: await this.#others.open(id) };
    } catch (error) {
      if (error instanceof LlmHostError && error.code === 'OUT_OF_MEMORY') return { lack: error.message };
      throw cannotLoad(id, error);
    }
  }

  #hold(entry: Entry): void {
    entry.users += 1;
    entry.expires = undefined;
    clearTimeout(entry.timer);
  }

  #release(entry: Entry, keepAliveMs = this.#limits.keepAliveMs): void {
    entry.users -= 1;
    entry.lastUsed = performance.now();
    this.#wake();
    if (entry.users > 0 || this.#entries.get(entry.id) !== entry) return;
    entry.expires = Date.now() + Math.max(0, keepAliveMs);
    if (keepAliveMs <= 0) {
      this.#unload(entry);
      return;
    }
    if (keepAliveMs <= MAX_TIMER) entry.timer = setTimeout(() => this.#unload(entry), keepAliveMs).unref();
  }

  /** In its turn. A request that comes meanwhile loads the model again, after that. */
  #unload(entry: Entry): void {
    if (this.#entries.get(entry.id) !== entry || !entry.loaded || entry.users > 0) return;
    // What is being loaded may need its room, and closes it then.
    if (this.#opening) {
      this.#wake();
      return;
    }
    this.#remove(entry);
  }

  #remove(entry: Entry): Promise<void> {
    this.#entries.delete(entry.id);
    clearTimeout(entry.timer);
    return this.#inTurn(() => close(entry));
  }

  /** Within a turn. */
  async #forget(entry: Entry): Promise<void> {
    this.#entries.delete(entry.id);
    clearTimeout(entry.timer);
    await close(entry);
  }

  #inTurn<T>(step: () => Promise<T>): Promise<T> {
    const done = this.#last.then(step);
    this.#last = done.catch(() => undefined);
    return done;
  }

  /** False after `ms`, or once the pool is closed. */
  async #released(ms: number): Promise<boolean> {
    if (ms <= 0 || this.#closed) return false;
    let timer: NodeJS.Timeout | undefined;
    const woken = await new Promise<boolean>(resolve => {
      this.#wake = () => resolve(true);
      timer = setTimeout(() => resolve(false), ms);
    });
    clearTimeout(timer);
    return woken && !this.#closed;
  }
}

/** Longer ones fire at once. */
const MAX_TIMER = 2 ** 31 - 1;

async function close({ opening }: Entry): Promise<void> {
  await (await opening).close();
}

function once<T>(act: (value: T) => void): (value: T) => void {
  let done = false;
  return value => {
    if (!done) act(value);
    done = true;
  };
}

/** The reason is for the log: it may name files of this machine. */
function cannotLoad(id: string, error: unknown): ApiError {
  return new ApiError(500, `The model '${id}' cannot be loaded; look for the id in x-request-id in the log`, {
    ...{ code: 'model_not_loaded', problem: messageOf(error) },
  });
}

function noRoom(id: string, why: string, busy: readonly Entry[]): ApiError {
  const others = busy.length > 0 ? `; in use: ${busy.map(one => one.id).join(', ')}` : '';
  return new ApiError(503, `There is no room for the model '${id}': ${why}${others}`, {
    ...{ code: 'no_room', retryAfterSeconds: 10 },
  });
}
