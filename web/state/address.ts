import type { Chat } from './chat.ts';

const PREFIX = '#/c/';

/** Keeps the open conversation in the address, so that reload, back and bookmarks lead to it. */
export function followAddress(chat: Chat): void {
  const idOf = () => (location.hash.startsWith(PREFIX) ? location.hash.slice(PREFIX.length) : undefined);
  const { store } = chat;
  /** Not left in the history, where the way back would end. */
  const forgetMissing = (id = idOf()) => {
    if (
      id === undefined ||
      id !== idOf() ||
      store.state.currentId !== undefined ||
      store.state.loaded.has(id)
    )
      return false;
    history.replaceState(null, '', location.pathname);
    return true;
  };
  const first = idOf();
  void chat.start(first).then(() => forgetMissing(first));
  let shown = store.state.currentId;
  store.subscribe(() => {
    const { currentId } = store.state;
    // The conversation that the address names may still be loading.
    if (currentId === shown) return;
    shown = currentId;
    if (currentId !== idOf() && !forgetMissing())
      history.pushState(null, '', currentId ? `${PREFIX}${currentId}` : location.pathname);
  });
  addEventListener('popstate', () => {
    const id = idOf();
    if (id === undefined) chat.newChat();
    else void chat.open(id).then(() => forgetMissing(id));
  });
}
