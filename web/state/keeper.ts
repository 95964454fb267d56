import { merged } from '../conversation/merge.ts';
import type { AssistantMessage, Conversation, Message } from '../conversation/types.ts';
import { Database } from '../storage/database.ts';
import { dropLeft, leaveBehind, takeLeft } from '../storage/left-behind.ts';
import { type TabNews, Tabs } from '../storage/tabs.ts';
import { abandoned } from '../turn/reply-reducer.ts';
import { type ChatState, withLoaded } from './chat-state.ts';
import type { Store } from './store.ts';
import { LAST_WRITER, WRITER } from './writer.ts';

/** A conversation that grows is kept so often. */
const SAVE_MS = 500;
/** A reply that nobody has added to for so long has lost its tab: longer than `serve` is ever silent, which is 10 s. */
const SILENT_MS = 25_000;
/** How often to look whether it is. */
const LOOK_MS = 5000;

/** Keeps conversations in the browser, in step with its other tabs. */
export class Keeper {
  readonly #store: Store<ChatState>;
  readonly #onDeleted: (id: string) => void;
  readonly #tabs: Tabs;
  readonly #timers = new Map<string, ReturnType<typeof setTimeout>>();
  /** Never kept so far. */
  readonly #fresh = new Set<string>();
  /** With replies of other tabs. */
  readonly #watched = new Set<string>();
  /** The latest write; never rejects. */
  #written: Promise<void> = Promise.resolve();
  #database: Database | undefined;

  constructor(store: Store<ChatState>, onDeleted: (id: string) => void) {
    this.#store = store;
    this.#onDeleted = onDeleted;
    this.#tabs = new Tabs(news => void this.#heard(news));
  }

  /** Without storage the page works, and says so. */
  async open(): Promise<void> {
    try {
      const database = await Database.open();
      this.#database = database;
      await takeLeft(one => database.write(one, true)).catch(error => this.#failed(error));
      // Saves messages from before the storage was open.
      await Promise.all([...this.#fresh].map(id => this.#save(id)));
      await this.#list();
    } catch (error) {
      this.#failed(error);
    }
  }

  /** Makes a conversation part of the state; undefined: there is none with this id. */
  async load(id: string): Promise<Conversation | undefined> {
    const there = this.#store.state.loaded.get(id);
    if (there) return there;
    const read = await this.#database?.read(id);
    if (!read) return undefined;
    const conversation = withoutAbandoned(read);
    this.#store.set(withLoaded(this.#store.state, conversation));
    this.#watch(conversation);
    return conversation;
  }

  /** Looks, as long as another tab is writing, whether that tab is still there. */
  #watch({ id, messages }: Conversation): void {
    if (this.#watched.has(id) || !Object.values(messages).some(isElsewhere)) return;
    this.#watched.add(id);
    setTimeout(() => {
      this.#watched.delete(id);
      const conversation = this.#store.state.loaded.get(id);
      if (!conversation) return;
      const left = withoutAbandoned(conversation);
      this.#store.set(withLoaded(this.#store.state, left));
      this.#watch(left);
    }, LOOK_MS);
  }

  /** All conversations in storage, with those that could not be saved. */
  async readAll(): Promise<readonly Conversation[]> {
    await Promise.all([...this.#timers.keys()].map(id => this.#save(id)));
    const all = new Map((await this.#allKept()).map(kept => [kept.id, kept]));
    for (const [id, mine] of this.#store.state.loaded) {
      const kept = all.get(id);
      all.set(id, kept ? merged(mine, kept) : mine);
    }
    return [...all.values()];
  }

  async #allKept(): Promise<readonly Conversation[]> {
    try {
      return (await this.#database?.readAll()) ?? [];
    } catch (error) {
      this.#failed(error);
      return [];
    }
  }

  begin(conversation: Conversation): void {
    this.#fresh.add(conversation.id);
    this.put(conversation);
  }

  /** Brings in a copy from elsewhere, joined with what is there of it. */
  add(conversation: Conversation): void {
    const mine = this.#store.state.loaded.get(conversation.id);
    this.begin(mine ? merged(mine, conversation) : conversation);
  }

  /** Shows a change at once and keeps it soon. */
  put(conversation: Conversation): void {
    const { id } = conversation;
    this.#store.set(withLoaded(this.#store.state, conversation));
    if (!this.#timers.has(id))
      this.#timers.set(
        id,
        setTimeout(() => void this.#save(id), SAVE_MS),
      );
  }

  /** The page is about to go, perhaps before it could write. */
  leave(): void {
    const ids = [...this.#timers.keys()];
    const { loaded } = this.#store.state;
    leaveBehind(ids.flatMap(id => loaded.get(id) ?? []));
    for (const id of ids) void this.#save(id);
  }

  async delete(ids: readonly string[]): Promise<void> {
    for (const id of ids) this.#forget(id);
    dropLeft(ids);
    try {
      await this.#database?.delete(ids);
      await this.#list();
    } catch (error) {
      this.#failed(error);
    }
    for (const id of ids) this.#tabs.tell({ type: 'deleted', id });
  }

  /** One after another: whether a conversation has been kept before is known once the write before has ended. */
  #save(id: string): Promise<void> {
    clearTimeout(this.#timers.get(id));
    this.#timers.delete(id);
    this.#written = this.#written.then(() => this.#write(id));
    return this.#written;
  }

  async #write(id: string): Promise<void> {
    const conversation = this.#store.state.loaded.get(id);
    if (!conversation || !this.#database) return;
    const fresh = this.#fresh.delete(id);
    try {
      const kept = await this.#database.write(conversation, fresh);
      if (!kept) return this.#forget(id);
      this.#join(kept);
      await this.#list();
      this.#tabs.tell({ type: 'changed', id });
    } catch (error) {
      // It is still in no database, which is no reason to take it for deleted.
      if (fresh) this.#fresh.add(id);
      this.#failed(error);
    }
  }

  /** Merges another tab's additions. */
  #join(kept: Conversation): void {
    const mine = this.#store.state.loaded.get(kept.id);
    if (!mine) return;
    const both = merged(mine, kept);
    this.#store.set(withLoaded(this.#store.state, both));
    this.#watch(both);
  }

  async #heard({ type, id }: TabNews): Promise<void> {
    if (type === 'deleted') this.#forget(id);
    else if (this.#store.state.loaded.has(id)) {
      const kept = await this.#database?.read(id);
      if (kept) this.#join(kept);
    }
    await this.#list();
  }

  #forget(id: string): void {
    const { loaded, currentId } = this.#store.state;
    this.#onDeleted(id);
    clearTimeout(this.#timers.get(id));
    this.#timers.delete(id);
    const left = new Map(loaded);
    left.delete(id);
    this.#store.set({ loaded: left, ...(currentId === id && { currentId: undefined }) });
  }

  async #list(): Promise<void> {
    if (this.#database) this.#store.set({ summaries: await this.#database.summaries() });
  }

  #failed(error: unknown): void {
    const why = error instanceof Error ? error.message : String(error);
    this.#store.set({
      notice: `This browser does not keep the conversations (${why}): export what you want to have later.`,
    });
  }
}

const isWriting = (message: Message): message is AssistantMessage =>
  message.role === 'assistant' && message.state === 'writing';

const isElsewhere = (message: Message): message is AssistantMessage =>
  isWriting(message) && message.writer !== WRITER;

/** Replies of a tab that is gone, or of this one before it was loaded again, have ended. */
function withoutAbandoned(conversation: Conversation): Conversation {
  const now = Date.now();
  const isLeft = (message: Message): message is AssistantMessage =>
    isElsewhere(message) && (message.writer === LAST_WRITER || now - message.changed > SILENT_MS);
  const messages = Object.values(conversation.messages).map(
    message => [message.id, isLeft(message) ? abandoned(message, now) : message] as const,
  );
  return { ...conversation, messages: Object.fromEntries(messages) };
}
