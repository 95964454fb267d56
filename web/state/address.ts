import type { Chat } from './chat.ts';

const PREFIX = '#/c/';

/** Keeps the open conversation in the address, so that reload, back and bookmarks lead to it. */
export function followAddress(chat: Chat): void {
  const idOf = () => (location.hash.startsWith(PREFIX) ? location.hash.slice(PREFIX.length) : undefined);
  void chat.start(idOf());
  let shown = chat.store.state.currentId ?? idOf();
  chat.store.subscribe(() => {
    const { currentId } = chat.store.state;
    if (currentId === shown) return;
    shown = currentId;
    if (currentId !== idOf())
      history.pushState(null, '', currentId ? `${PREFIX}${currentId}` : location.pathname);
  });
  addEventListener('popstate', () => {
    const id = idOf();
    shown = id;
    if (id === undefined) chat.newChat();
    else void chat.open(id);
  });
}
