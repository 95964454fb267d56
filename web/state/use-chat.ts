import { createContext, useContext, useSyncExternalStore } from 'react';
import type { Chat } from './chat.ts';
import type { ChatState } from './chat-state.ts';

export const ChatContext = createContext<Chat | undefined>(undefined);

export function useChat(): Chat {
  const chat = useContext(ChatContext);
  if (!chat) throw new Error('there is no chat around this component');
  return chat;
}

/** A part of the state. `pick` must give the same value as long as nothing of it has changed. */
export function useChatState<T>(pick: (state: ChatState) => T): T {
  const { store } = useChat();
  return useSyncExternalStore(store.subscribe, () => pick(store.state));
}
