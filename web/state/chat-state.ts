import type { Model, Tool } from '../api/server-info.ts';
import type { ChatSettings, Conversation } from '../conversation/types.ts';
import type { Summary } from '../storage/database.ts';

/** `key`: the server wants one; `lost`: it does not answer. */
export type Connection = 'connecting' | 'ready' | 'key' | 'lost';

export interface ChatState {
  readonly connection: Connection;
  /** A fault of the connection or the key. */
  readonly problem: string | undefined;
  readonly models: readonly Model[];
  readonly tools: readonly Tool[];
  /** All that are kept, the latest first. */
  readonly summaries: readonly Summary[];
  /** The open one, and those that are being written. */
  readonly loaded: ReadonlyMap<string, Conversation>;
  /** Undefined: a new chat that has not begun. */
  readonly currentId: string | undefined;
  /** The settings of a chat that has not begun. */
  readonly draft: ChatSettings;
  /** The replies that this tab is receiving: what the server does just now, by message. */
  readonly writing: ReadonlyMap<string, string>;
  /** Whether a call may run, by the question that this tab has answered. */
  readonly answered: ReadonlyMap<string, boolean>;
  /** For the user, until it is closed. */
  readonly notice: string | undefined;
  /** For screen readers. */
  readonly announced: string;
}

export function currentOf({ loaded, currentId }: ChatState): Conversation | undefined {
  return currentId === undefined ? undefined : loaded.get(currentId);
}

export function settingsOf(state: ChatState): ChatSettings {
  return currentOf(state)?.settings ?? state.draft;
}

/** The model that the next question goes to. */
export function modelOf(state: ChatState): Model | undefined {
  const { model } = settingsOf(state);
  return state.models.find(({ id }) => id === model) ?? state.models[0];
}

/** The settings without a model that is no longer served: as shown, the first one answers. */
export function servedSettings({ models }: Pick<ChatState, 'models'>, settings: ChatSettings): ChatSettings {
  const { model, ...others } = settings;
  const gone = models.length > 0 && !models.some(({ id }) => id === model);
  return gone ? others : settings;
}

export function withLoaded(state: ChatState, conversation: Conversation): Pick<ChatState, 'loaded'> {
  return { loaded: new Map(state.loaded).set(conversation.id, conversation) };
}
