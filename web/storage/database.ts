import { merged } from '../conversation/merge.ts';
import type { Conversation } from '../conversation/types.ts';

/** The fields of a conversation that the list shows. */
export type Summary = Pick<Conversation, 'id' | 'title' | 'updated'>;

const NAME = 'llm-host';
const VERSION = 1;
const WHOLE = 'conversations';
const LIST = 'summaries';

/** The conversations that this browser keeps. Every method throws what IndexedDB throws. */
export class Database {
  readonly #db: IDBDatabase;

  private constructor(db: IDBDatabase) {
    this.#db = db;
  }

  static async open(): Promise<Database> {
    const opening = indexedDB.open(NAME, VERSION);
    opening.onupgradeneeded = () => {
      opening.result.createObjectStore(WHOLE, { keyPath: 'id' });
      opening.result.createObjectStore(LIST, { keyPath: 'id' });
    };
    const db = await resultOf(opening);
    // Another tab has a newer page: it must not wait for this one.
    db.onversionchange = () => db.close();
    return new Database(db);
  }

  /** The latest first. */
  async summaries(): Promise<Summary[]> {
    const all = (await resultOf(this.#store(LIST).getAll())) as Summary[];
    return all.sort((a, b) => b.updated - a.updated);
  }

  async read(id: string): Promise<Conversation | undefined> {
    return (await resultOf(this.#store(WHOLE).get(id))) as Conversation | undefined;
  }

  async readAll(): Promise<Conversation[]> {
    return (await resultOf(this.#store(WHOLE).getAll())) as Conversation[];
  }

  /**
   * Keeps a conversation, joined with what another tab has kept of it meanwhile, and returns both as one. undefined: it was
   * deleted meanwhile, and stays so. `fresh`: it has never been kept.
   */
  async write(conversation: Conversation, fresh: boolean): Promise<Conversation | undefined> {
    const transaction = this.#db.transaction([WHOLE, LIST], 'readwrite');
    const whole = transaction.objectStore(WHOLE);
    const kept = (await resultOf(whole.get(conversation.id))) as Conversation | undefined;
    if (kept === undefined && !fresh) return undefined;
    const both = kept ? merged(conversation, kept) : conversation;
    const { id, title, updated } = both;
    whole.put(both);
    transaction.objectStore(LIST).put({ id, title, updated });
    await endOf(transaction);
    return both;
  }

  async delete(ids: readonly string[]): Promise<void> {
    const transaction = this.#db.transaction([WHOLE, LIST], 'readwrite');
    for (const id of ids) {
      transaction.objectStore(WHOLE).delete(id);
      transaction.objectStore(LIST).delete(id);
    }
    await endOf(transaction);
  }

  #store(name: string): IDBObjectStore {
    return this.#db.transaction(name).objectStore(name);
  }
}

function resultOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

function endOf(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error ?? new Error('not kept'));
  });
}
