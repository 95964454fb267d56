import { failureOf } from '../api/api-failure.ts';
import { chatStream, type StreamEvent } from '../api/chat-stream.ts';
import { apiMessages, replyText } from '../conversation/api-messages.ts';
import { newId } from '../conversation/new-id.ts';
import { pathTo, withMessage } from '../conversation/tree.ts';
import type { AssistantMessage, Conversation } from '../conversation/types.ts';
import { finished, withEvents } from '../turn/reply-reducer.ts';
import type { Approvals } from './approvals.ts';
import { type ChatState, modelOf, servedSettings } from './chat-state.ts';
import { OncePerFrame } from './frames.ts';
import type { Keeper } from './keeper.ts';
import type { Store } from './store.ts';
import { WRITER } from './writer.ts';

interface Running {
  readonly conversationId: string;
  readonly stop: AbortController;
  readonly end: (how?: Pick<AssistantMessage, 'state' | 'error'>) => void;
}

/** The replies that this tab is receiving. */
export class Replies {
  readonly #store: Store<ChatState>;
  readonly #keeper: Keeper;
  readonly #approvals: Approvals;
  readonly #onRefused: () => void;
  readonly #running = new Map<string, Running>();

  /** @param onRefused the server has not got what was asked for: perhaps it is another one by now */
  constructor(store: Store<ChatState>, keeper: Keeper, approvals: Approvals, onRefused: () => void) {
    this.#store = store;
    this.#keeper = keeper;
    this.#approvals = approvals;
    this.#onRefused = onRefused;
  }

  /** Asks for a reply to the message `parent`. */
  start(conversation: Conversation, parent: string): void {
    const message = this.#emptyReply(parent);
    const pending: StreamEvent[] = [];
    const flush = () =>
      this.#update(conversation.id, message.id, one => withEvents(one, pending.splice(0), Date.now()));
    const frames = new OncePerFrame(flush);
    const stop = new AbortController();
    const end: Running['end'] = how => {
      if (!this.#running.delete(message.id)) return;
      stop.abort();
      frames.now();
      this.#update(conversation.id, message.id, one => finished(one, how, Date.now()));
      this.#tell(message.id, undefined);
      this.#announce(conversation.id, message.id);
    };
    this.#running.set(message.id, { conversationId: conversation.id, stop, end });
    this.#keeper.put(withMessage(conversation, message, Date.now()));
    this.#tell(message.id, '');
    this.#store.set({ announced: 'The reply begins.' });
    const asked = apiMessages(pathTo(conversation, parent), conversation.settings.system);
    void (async () => {
      try {
        const settings = servedSettings(this.#store.state, conversation.settings);
        for await (const event of chatStream(asked, settings, stop.signal)) {
          if (event.type === 'status') this.#tell(message.id, event.text);
          if (event.type === 'tool_approval') this.#approvals.asked(conversation.id, event);
          pending.push(event);
          frames.ask();
        }
        end();
      } catch (error) {
        if (stop.signal.aborted) return end({ state: 'stopped' });
        const { status, message: why } = failureOf(error);
        end({ state: 'failed', error: why });
        if (status === 401) this.#store.set({ connection: 'key', problem: why });
        if (status === 404) this.#onRefused();
      }
    })();
  }

  /** Ends the replies of a conversation; the server stops when the connection closes. */
  stop(conversationId: string): void {
    for (const running of this.#running.values())
      if (running.conversationId === conversationId) running.end({ state: 'stopped' });
  }

  stopAll(): void {
    for (const { end } of this.#running.values()) end({ state: 'stopped' });
  }

  #emptyReply(parent: string): AssistantMessage {
    const now = Date.now();
    return {
      id: newId(),
      parent,
      role: 'assistant',
      created: now,
      changed: now,
      model: modelOf(this.#store.state)?.id ?? '',
      parts: [],
      state: 'writing',
      revision: 0,
      writer: WRITER,
    };
  }

  /** The conversation may have been deleted meanwhile. */
  #update(conversationId: string, id: string, change: (one: AssistantMessage) => AssistantMessage): void {
    const conversation = this.#store.state.loaded.get(conversationId);
    const message = conversation?.messages[id];
    if (conversation && message?.role === 'assistant') {
      const changed = change(message);
      if (changed !== message) this.#keeper.put(withMessage(conversation, changed, Date.now()));
    }
  }

  /** Shows the server's state; undefined: nothing more to show. */
  #tell(id: string, status: string | undefined): void {
    const { writing } = this.#store.state;
    if (status !== undefined && writing.get(id) === status) return;
    const next = new Map(writing);
    if (status === undefined) next.delete(id);
    else next.set(id, status);
    this.#store.set({ writing: next });
  }

  #announce(conversationId: string, id: string): void {
    const message = this.#store.state.loaded.get(conversationId)?.messages[id];
    if (message?.role !== 'assistant') return;
    const text = message.state === 'failed' ? `The reply failed: ${message.error}` : replyText(message);
    this.#store.set({ announced: text === '' ? 'The reply has ended.' : text });
  }
}
