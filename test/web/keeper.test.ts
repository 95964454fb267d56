import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { withMessage } from '../../web/conversation/tree.ts';
import { type Conversation, DEFAULT_SETTINGS } from '../../web/conversation/types.ts';
import type { ChatState } from '../../web/state/chat-state.ts';
import { Store } from '../../web/state/store.ts';
import { question, sample } from './messages.ts';

/** IndexedDB as far as it matters: writes end in their order, and a full one leaves nothing. */
const storage = { kept: new Map<string, Conversation>(), isFull: false, writes: 0 };

vi.mock('../../web/storage/database.ts', () => ({
  Database: {
    open: async () => {
      let last: Promise<unknown> = Promise.resolve();
      const write = async (one: Conversation, fresh: boolean) => {
        const isFull = storage.isFull;
        storage.writes++;
        await new Promise(resolve => setTimeout(resolve, 800));
        if (isFull) throw new Error('full');
        if (!fresh && !storage.kept.has(one.id)) return undefined;
        storage.kept.set(one.id, one);
        return one;
      };
      return {
        write: (one: Conversation, fresh: boolean) => {
          const written = last.then(() => write(one, fresh));
          last = written.catch(() => undefined);
          return written;
        },
        summaries: async () => [...storage.kept.values()],
      };
    },
  },
}));

beforeAll(() => {
  const nothing = { getItem: () => null, setItem: () => undefined, removeItem: () => undefined };
  vi.stubGlobal('sessionStorage', nothing);
  vi.stubGlobal('localStorage', nothing);
  vi.stubGlobal(
    'BroadcastChannel',
    class {
      postMessage(): void {}
    },
  );
  vi.useFakeTimers();
});
afterAll(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const EMPTY: ChatState = {
  connection: 'ready',
  problem: undefined,
  models: [],
  tools: [],
  summaries: [],
  loaded: new Map(),
  currentId: 'c',
  draft: DEFAULT_SETTINGS,
  writing: new Map(),
  answered: new Map(),
  notice: undefined,
  announced: '',
};

it('a new conversation that grows while its first write fails is not taken for deleted', async () => {
  const { Keeper } = await import('../../web/state/keeper.ts');
  const store = new Store<ChatState>(EMPTY);
  const keeper = new Keeper(store, () => undefined);
  await keeper.open();
  storage.isFull = true;
  keeper.begin(sample());
  await vi.advanceTimersByTimeAsync(600);
  expect(storage.writes).toBe(1);
  storage.isFull = false;
  keeper.put(withMessage(sample(), question('q9', 'a5'), 9));
  await vi.advanceTimersByTimeAsync(5000);
  expect(store.state.currentId).toBe('c');
  expect(Object.keys(store.state.loaded.get('c')?.messages ?? {})).toContain('q9');
  expect(Object.keys(storage.kept.get('c')?.messages ?? {})).toContain('q9');
});
