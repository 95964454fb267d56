import { LlmHostError, messageOf } from '../../errors.ts';
import { unlessAborted } from '../../text/unless-aborted.ts';
import { ApiError, stopping } from '../http/api-error.ts';
import { QueueFull } from '../http/generation-queue.ts';
import type { Lease, LoadedModel, OtherModel, ServedModels } from '../http/served-models.ts';
import { ModelNames } from './model-names.ts';

/** The options with which a pool opens its models. */
export interface OtherModels {
  /** As of now: the cache changes. */
  list(): readonly OtherModel[];
  /** Downloads what is missing of its files. `signal`: nobody waits for it any longer. Default: they are all here. */
  fetch?(id: string, signal: AbortSignal): Promise<void>;
  /**
   * `onFits`: there is room, and it is being loaded.
   * @throws LlmHostError; OUT_OF_MEMORY: it does not fit alongside those that are loaded
   */
  open(id: string, onFits: () => void): Promise<LoadedModel & { close(): Promise<void> }>;
}

/** How long models and requests wait for each other, in milliseconds. */
interface TurnLimits {
  /** A model has waited for room that long: requests for loaded ones then wait behind it. */
  readonly patienceMs: number;
  /** The longest that such a request waits behind it. */
  readonly mostHeldMs: number;
}

interface PoolLimits extends TurnLimits {
  /** Models loaded at once, besides the first. At least 1. */
  readonly maxLoaded: number;
  /** Milliseconds without a request after which a model is closed. */
  readonly keepAliveMs: number;
  /** Milliseconds that a model waits for others to free memory. */
  readonly waitMs: number;
  /** Requests that wait for models. */
  readonly maxWaiting: number;
}

const POOL_LIMITS: PoolLimits = {
  maxLoaded: 2,
  keepAliveMs: 300_000,
  waitMs: 120_000,
  maxWaiting: 64,
  patienceMs: 3000,
  mostHeldMs: 30_000,
};

export interface PoolOptions extends Partial<PoolLimits> {
  /** Where the first model is on the Hub; undefined: it is no model of the Hub. */
  readonly firstHub?: OtherModel['hub'];
  /** Repositories whose files are in use for as long as the server runs. */
  readonly usedRepos?: readonly string[];
  /** A model could not be closed; its memory may not be free. */
  readonly onCloseFailed?: (id: string, error: unknown) => void;
}

type Opened = Awaited<ReturnType<OtherModels['open']>>;

interface Entry {
  readonly id: string;
  /** Files that must not be deleted meanwhile. */
  readonly files: string;
  /** `performance.now()` when it was asked for, or its files had come. */
  since: number;
  /** Ends its download; undefined: there is none. */
  fetching?: AbortController | undefined;
  opening: Promise<Opened>;
  loaded: LoadedModel | undefined;
  /** Requests that use it or wait until it is loaded. */
  users: number;
  lastUsed: number;
  /** As the last request said that said something of it. */
  keepAliveMs?: number | undefined;
  /** `Date.now()` when it is to be closed; undefined while in use. */
  expires?: number | undefined;
  timer?: NodeJS.Timeout | undefined;
}

/** The models that requests name, loaded when they are asked for and closed when they are not, one step at a time. */
export class ModelPool implements ServedModels {
  readonly first: LoadedModel;
  readonly #others: OtherModels;
  readonly #names: ModelNames;
  /** Files that are never deleted. */
  readonly #alwaysUsed: ReadonlySet<string>;
  readonly #limits: PoolLimits;
  readonly #onCloseFailed: (id: string, error: unknown) => void;
  readonly #entries = new Map<string, Entry>();
  readonly #turn: RoomTurn;
  /** Files being deleted from the disk. */
  readonly #leaving = new Set<string>();
  /** Loads and closes, one after the other: memory is counted between them. None of them throws. */
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  #opening = false;
  #closed = false;
  #wake: () => void = () => undefined;

  constructor(first: LoadedModel, others: OtherModels, options: PoolOptions = {}) {
    const { firstHub, usedRepos = [], onCloseFailed, ...limits } = options;
    this.first = first;
    this.#others = others;
    this.#names = new ModelNames({ id: first.model.id, hub: firstHub }, () => others.list());
    this.#alwaysUsed = new Set([this.#names.filesOf(first.model.id), ...usedRepos]);
    this.#limits = { ...POOL_LIMITS, ...limits };
    this.#onCloseFailed = onCloseFailed ?? (() => undefined);
    this.#turn = new RoomTurn(this.#limits);
  }

  /** The models that may be named besides the first. */
  list(): readonly OtherModel[] {
    return this.#names.list();
  }

  /** The other models that are in memory. */
  loaded(): readonly { readonly loaded: LoadedModel; readonly expires: number | undefined }[] {
    return [...this.#entries.values()].flatMap(({ loaded, expires }) =>
      loaded ? [{ loaded, expires }] : [],
    );
  }

  /** The id that a client means; undefined: there is none. */
  idOf(name: string): string | undefined {
    return this.#names.idOf(name);
  }

  async use(id: string, signal?: AbortSignal): Promise<Lease> {
    if (id === this.first.model.id) return { loaded: this.first, release: () => undefined };
    const came = performance.now();
    const known = this.#present(id);
    if (known?.loaded && !this.#turn.holds(came)) return this.#lease(known, known.loaded);
    // Before anything is loaded: for a request that is refused nobody would let go of the model again.
    if (this.#waiting >= this.#limits.maxWaiting) throw new QueueFull(10);
    this.#waiting += 1;
    try {
      if (known?.loaded) await this.#turn.passed(came, signal);
      if (signal?.aborted) throw nobodyWaits(id);
      // It may have been closed meanwhile.
      return await this.#opened(this.#present(id) ?? this.#begin(id, came), signal);
    } finally {
      this.#waiting -= 1;
    }
  }

  unload(id: string): void {
    const entry = this.#entries.get(id);
    if (!entry) return;
    entry.keepAliveMs = 0;
    if (entry.users === 0 && entry.loaded) this.#rest(entry);
  }

  async removing(id: string, remove: () => Promise<void>): Promise<void> {
    const files = this.#names.filesOf(id);
    if (this.#leaving.has(files)) throw beingRemoved(id);
    const used = [...this.#alwaysUsed, ...[...this.#entries.values()].map(one => one.files)];
    if (used.includes(files)) throw stillLoaded(id);
    this.#leaving.add(files);
    try {
      await remove();
    } finally {
      this.#leaving.delete(files);
    }
  }

  /** Closes all but the first, when what is being loaded has been. Ends downloads. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#turn.end();
    this.#wake();
    for (const { fetching } of this.#entries.values()) fetching?.abort();
    await Promise.allSettled([...this.#entries.values()].map(({ opening }) => opening));
    const entries = [...this.#entries.values()].filter(({ loaded }) => loaded !== undefined);
    await Promise.all(entries.map(entry => this.#remove(entry)));
    await this.#last;
  }

  #present(id: string): Entry | undefined {
    if (this.#closed) throw stopping();
    if (this.#leaving.has(this.#names.filesOf(id))) throw beingRemoved(id);
    return this.#entries.get(id);
  }

  /** A lease of it once it is loaded. */
  async #opened(entry: Entry, signal: AbortSignal | undefined): Promise<Lease> {
    if (entry.loaded) return this.#lease(entry, entry.loaded);
    entry.users += 1;
    try {
      const loaded = await unlessAborted(entry.opening, signal);
      if (loaded) return this.#leased(entry, loaded);
    } catch (error) {
      entry.users -= 1;
      throw error;
    }
    this.#release(entry);
    throw nobodyWaits(entry.id);
  }

  #lease(entry: Entry, loaded: LoadedModel): Lease {
    entry.users += 1;
    entry.expires = undefined;
    clearTimeout(entry.timer);
    return this.#leased(entry, loaded);
  }

  #leased(entry: Entry, loaded: LoadedModel): Lease {
    return { loaded, release: once(keepAliveMs => this.#release(entry, keepAliveMs)) };
  }

  #begin(id: string, since: number): Entry {
    const files = this.#names.filesOf(id);
    const entry: Entry = { id, files, since, opening: NOT_BEGUN, loaded: undefined, users: 0, lastUsed: 0 };
    this.#entries.set(id, entry);
    entry.opening = this.#open(entry);
    entry.opening.catch(() => this.#drop(entry));
    return entry;
  }

  async #open(entry: Entry): Promise<Opened> {
    // Before its turn: a download takes no memory, and would hold up all others for as long as it takes.
    await this.#fetch(entry);
    return await this.#inTurn(() => this.#openWithRoom(entry));
  }

  async #fetch(entry: Entry): Promise<void> {
    entry.fetching = new AbortController();
    const { signal } = entry.fetching;
    try {
      await unlessAborted(Promise.resolve(this.#others.fetch?.(entry.id, signal)), signal);
    } catch (error) {
      this.#checkWanted(entry);
      throw cannotLoad(entry.id, error);
    }
    this.#checkWanted(entry);
    entry.fetching = undefined;
    entry.since = performance.now();
  }

  /** Makes room by closing what is not in use, the longest unused first, and waits for what is. */
  async #openWithRoom(entry: Entry): Promise<Opened> {
    const deadline = performance.now() + this.#limits.waitMs;
    this.#opening = true;
    try {
      const opened = await this.#openBefore(deadline, entry);
      // Within the turn: the next one counts what is in memory.
      entry.loaded = opened;
      // All who waited for it have left.
      if (entry.users === 0) this.#rest(entry);
      return opened;
    } finally {
      this.#opening = false;
      this.#turn.end();
      for (const one of [...this.#entries.values()])
        if ((one.expires ?? Number.POSITIVE_INFINITY) <= Date.now()) this.#unload(one);
    }
  }

  async #openBefore(deadline: number, entry: Entry): Promise<Opened> {
    const { id, since } = entry;
    while (true) {
      this.#checkWanted(entry);
      const inMemory = [...this.#entries.values()].filter(({ loaded }) => loaded !== undefined);
      const tooMany = inMemory.length >= this.#limits.maxLoaded;
      const attempt = tooMany ? undefined : await this.#tryToOpen(id);
      if (attempt && 'opened' in attempt) return attempt.opened;
      if (attempt && inMemory.length === 0) throw noRoom(id, attempt.lack, []);
      this.#turn.begin(since);
      const [idle] = inMemory.filter(({ users }) => users === 0).sort((a, b) => a.lastUsed - b.lastUsed);
      if (idle) await this.#forget(idle);
      else if (!(await this.#released(deadline - performance.now()))) {
        this.#checkWanted(entry);
        const why = attempt?.lack ?? `${inMemory.length} others are loaded`;
        throw noRoom(
          id,
          why,
          inMemory.map(one => one.id),
        );
      }
    }
  }

  /** Throws if the server is stopping, or all who waited for it have left. */
  #checkWanted(entry: Entry): void {
    if (this.#closed) throw stopping();
    if (entry.users > 0) return;
    // At once: who asks for it now begins anew.
    this.#drop(entry);
    throw nobodyWaits(entry.id);
  }

  async #tryToOpen(id: string): Promise<{ readonly opened: Opened } | { readonly lack: string }> {
    try {
      return { opened: await this.#others.open(id, () => this.#turn.end()) };
    } catch (error) {
      if (error instanceof LlmHostError && error.code === 'OUT_OF_MEMORY') return { lack: error.message };
      throw cannotLoad(id, error);
    }
  }

  #release(entry: Entry, keepAliveMs?: number): void {
    entry.users -= 1;
    entry.keepAliveMs = keepAliveMs ?? entry.keepAliveMs;
    entry.lastUsed = performance.now();
    this.#wake();
    if (entry.users > 0) return;
    if (entry.loaded) this.#rest(entry);
    else if (entry.fetching) this.#giveUp(entry);
  }

  /** At once: who asks for it now begins anew, and finds what has come. */
  #giveUp(entry: Entry): void {
    this.#drop(entry);
    entry.fetching?.abort();
  }

  /** It is not in use any longer. */
  #rest(entry: Entry): void {
    if (this.#entries.get(entry.id) !== entry) return;
    const { keepAliveMs = this.#limits.keepAliveMs } = entry;
    entry.expires = Date.now() + Math.max(0, keepAliveMs);
    if (keepAliveMs <= 0) this.#unload(entry);
    else if (keepAliveMs <= MAX_TIMER)
      entry.timer = setTimeout(() => this.#unload(entry), keepAliveMs).unref();
  }

  /** In its turn. A request that comes meanwhile loads the model again, after that. */
  #unload(entry: Entry): void {
    if (this.#entries.get(entry.id) !== entry || !entry.loaded || entry.users > 0) return;
    // A model being loaded may need its room, and closes it then.
    if (this.#opening) {
      this.#wake();
      return;
    }
    this.#remove(entry);
  }

  #remove(entry: Entry): Promise<void> {
    this.#drop(entry);
    return this.#inTurn(() => this.#shut(entry));
  }

  /** Within a turn. */
  async #forget(entry: Entry): Promise<void> {
    this.#drop(entry);
    await this.#shut(entry);
  }

  #drop(entry: Entry): void {
    clearTimeout(entry.timer);
    if (this.#entries.get(entry.id) === entry) this.#entries.delete(entry.id);
  }

  /** Whether it could be closed or not, it is gone for requests. */
  async #shut({ id, opening }: Entry): Promise<void> {
    try {
      await (await opening).close();
    } catch (error) {
      this.#onCloseFailed(id, error);
    }
  }

  #inTurn<T>(step: () => Promise<T>): Promise<T> {
    const done = this.#last.then(step);
    // Whoever waits for the step gets the error.
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

const NOT_BEGUN = new Promise<Opened>(() => undefined);

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
    code: 'model_not_loaded',
    problem: messageOf(error),
  });
}

/** `busy`: the ids of those that are in use. */
function noRoom(id: string, why: string, busy: readonly string[]): ApiError {
  const others = busy.length > 0 ? `; in use: ${busy.join(', ')}` : '';
  return new ApiError(503, `There is no room for the model '${id}': ${why}${others}`, {
    code: 'no_room',
    retryAfterSeconds: 10,
  });
}

function beingRemoved(id: string): ApiError {
  return new ApiError(409, `The model '${id}' is being deleted`, { code: 'model_being_deleted' });
}

function stillLoaded(id: string): ApiError {
  return new ApiError(409, `model '${id}' is loaded; it can be deleted when it is not`, {
    code: 'model_loaded',
  });
}

/** Nobody is there to read it. */
function nobodyWaits(id: string): ApiError {
  return new ApiError(499, `Nobody waits for the model '${id}' any longer`);
}

/**
 * The turn of a model for which there is no room yet. Steady requests for loaded models would keep all of them in use, so
 * after some time those that came later wait behind it.
 */
class RoomTurn {
  readonly #limits: TurnLimits;
  /** `performance.now()` when the model was asked for. */
  #since: number | undefined;
  readonly #held = new Set<() => void>();

  constructor(limits: TurnLimits) {
    this.#limits = limits;
  }

  /** There is no room for a model that was asked for then. */
  begin(since: number): void {
    this.#since ??= since;
  }

  /** There is, or it is not waited for any longer. */
  end(): void {
    this.#since = undefined;
    for (const go of this.#held) go();
  }

  /** Whether a request for a loaded model, which came then, has to wait. */
  holds(came: number): boolean {
    return this.#holdMs(came) > 0;
  }

  /** Waits until it need not any longer, or `signal` aborts. */
  async passed(came: number, signal?: AbortSignal): Promise<void> {
    for (let ms = this.#holdMs(came); ms > 0 && !signal?.aborted; ms = this.#holdMs(came))
      await this.#endedWithin(ms, signal);
  }

  #holdMs(came: number): number {
    if (this.#since === undefined || came <= this.#since) return 0;
    const now = performance.now();
    if (now - this.#since < this.#limits.patienceMs) return 0;
    return Math.max(0, came + this.#limits.mostHeldMs - now);
  }

  #endedWithin(ms: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise(resolve => {
      const go = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', go);
        this.#held.delete(go);
        resolve();
      };
      const timer = setTimeout(go, Math.ceil(ms));
      signal?.addEventListener('abort', go);
      this.#held.add(go);
    });
  }
}
