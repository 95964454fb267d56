import { failureOf } from '../api/api-failure.ts';
import { readModels, readTools } from '../api/server-info.ts';
import { keepKey } from '../api/session-key.ts';
import { newId } from '../conversation/new-id.ts';
import { branchAt, choose, newConversation, pathOf, withMessage } from '../conversation/tree.ts';
import type { AttachedFile, CallPart, ChatSettings, Conversation } from '../conversation/types.ts';
import { storedSettings, storeSettings } from '../storage/preferences.ts';
import { type Answer, Approvals } from './approvals.ts';
import { type ChatState, currentOf } from './chat-state.ts';
import { Keeper } from './keeper.ts';
import { Replies } from './replies.ts';
import { Store } from './store.ts';

/** All that the page can do. */
export class Chat {
  readonly store = new Store<ChatState>({
    connection: 'connecting',
    problem: undefined,
    models: [],
    tools: [],
    summaries: [],
    loaded: new Map(),
    currentId: undefined,
    draft: storedSettings(),
    writing: new Map(),
    answered: new Map(),
    notice: undefined,
    announced: '',
  });
  readonly #approvals = new Approvals(this.store);
  readonly #keeper = new Keeper(this.store, id => this.#replies.stop(id));
  readonly #replies = new Replies(this.store, this.#keeper, this.#approvals, () => void this.connect());
  /** Counts what the user has chosen to see: the storage may take a while, and must not undo a later choice. */
  #choices = 0;

  async start(id: string | undefined): Promise<void> {
    void this.connect();
    const choice = this.#choices;
    await this.#keeper.open();
    if (id !== undefined && choice === this.#choices) await this.open(id);
  }

  /** Asks the server what it has. */
  async connect(): Promise<void> {
    try {
      const [models, tools] = await Promise.all([readModels(), readTools()]);
      this.store.set({ connection: 'ready', problem: undefined, models, tools });
    } catch (error) {
      const { status, message } = failureOf(error);
      this.store.set({ connection: status === 401 ? 'key' : 'lost', problem: message });
    }
  }

  async giveKey(key: string): Promise<void> {
    keepKey(key);
    await this.connect();
  }

  newChat(): void {
    this.#show(undefined, 'New chat.');
  }

  async open(id: string): Promise<void> {
    this.#choices += 1;
    const choice = this.#choices;
    const conversation = await this.#keeper.load(id);
    if (choice === this.#choices) this.store.set({ currentId: conversation?.id });
  }

  send(text: string, files: readonly AttachedFile[]): void {
    const { state } = this.store;
    const current = currentOf(state) ?? newConversation(newId(), state.draft, Date.now());
    const isNew = !state.loaded.has(current.id);
    this.#ask(current, pathOf(current).at(-1)?.id, text, files, isNew);
    if (isNew) this.#show(current.id);
  }

  /** Asks another question in the place of one; that one stays, as a branch. */
  edit(id: string, text: string): void {
    const current = currentOf(this.store.state);
    const message = current?.messages[id];
    if (current && message?.role === 'user') this.#ask(current, message.parent, text, message.files, false);
  }

  /** Asks for another reply in the place of one, which stays as a branch. */
  regenerate(id: string): void {
    const current = currentOf(this.store.state);
    const parent = current?.messages[id]?.parent;
    if (current && parent !== undefined) this.#replies.start(current, parent);
  }

  stop(): void {
    const { currentId } = this.store.state;
    if (currentId !== undefined) this.#replies.stop(currentId);
  }

  /** The page is about to go: what has come is kept. */
  leave(): void {
    this.#replies.stopAll();
    this.#keeper.leave();
  }

  choose(id: string): void {
    const current = currentOf(this.store.state);
    if (current) this.#keeper.put(choose(current, id));
  }

  /** Goes on from a message in a conversation of its own. */
  branch(id: string): void {
    const current = currentOf(this.store.state);
    if (!current) return;
    const branch = branchAt(current, id, newId, Date.now());
    this.#keeper.begin(branch);
    this.#show(branch.id, 'A copy up to this message.');
  }

  async rename(id: string, title: string): Promise<void> {
    const conversation = await this.#keeper.load(id);
    if (conversation) this.#keeper.put({ ...conversation, title, titled: Date.now() });
  }

  delete(ids: readonly string[]): Promise<void> {
    return this.#keeper.delete(ids);
  }

  /** For this conversation, and those that begin later. */
  setSettings(news: Partial<ChatSettings>): void {
    const current = currentOf(this.store.state);
    const settings = { ...(current?.settings ?? this.store.state.draft), ...news };
    this.store.set({ draft: settings });
    storeSettings(settings);
    if (current) this.#keeper.put({ ...current, settings, configured: Date.now() });
  }

  answer(call: CallPart, answer: Answer): Promise<void> {
    const { currentId } = this.store.state;
    return currentId === undefined ? Promise.resolve() : this.#approvals.answer(currentId, call, answer);
  }

  all(): Promise<readonly Conversation[]> {
    return this.#keeper.readAll();
  }

  /** Adds conversations of a file; one that is there already is joined with its copy. */
  add(conversations: readonly Conversation[]): void {
    for (const conversation of conversations) this.#keeper.add(conversation);
    const count = conversations.length;
    this.notify(`${count} ${count === 1 ? 'conversation was' : 'conversations were'} imported.`);
  }

  notify(notice: string | undefined): void {
    this.store.set({ notice });
  }

  #show(currentId: string | undefined, announced?: string): void {
    this.#choices += 1;
    this.store.set({ currentId, ...(announced !== undefined && { announced }) });
  }

  #ask(
    conversation: Conversation,
    parent: string | undefined,
    text: string,
    files: readonly AttachedFile[],
    isNew: boolean,
  ): void {
    const now = Date.now();
    const question = { id: newId(), parent, role: 'user', created: now, text, files } as const;
    const asked = withMessage(conversation, question, now);
    if (isNew) this.#keeper.begin(asked);
    this.#replies.start(asked, question.id);
  }
}
