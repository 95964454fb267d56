import { childrenOf } from '../../conversation/tree.ts';
import type { Message } from '../../conversation/types.ts';
import { type ChatState, currentOf } from '../../state/chat-state.ts';
import { useChat, useChatState } from '../../state/use-chat.ts';
import { IconButton } from '../../widgets/icon-button.tsx';

/** Leads to the other branches beside a message: `‹ 2 / 3 ›`. */
export function BranchSwitch({ message: { id, parent } }: { readonly message: Message }) {
  const chat = useChat();
  const idsAt = (state: ChatState) => {
    const current = currentOf(state);
    return current
      ? childrenOf(current, parent)
          .map(one => one.id)
          .join(' ')
      : id;
  };
  const ids = useChatState(idsAt).split(' ');
  if (ids.length < 2) return null;
  const at = ids.indexOf(id);
  const go = (to: number) => {
    const other = ids[to];
    if (other !== undefined) chat.choose(other);
  };
  return (
    <span className="branches">
      <IconButton icon="left" label="The branch before" disabled={at <= 0} onClick={() => go(at - 1)} />
      <span>
        <span className="sr-only">Branch </span>
        {at + 1} / {ids.length}
      </span>
      <IconButton
        icon="right"
        label="The next branch"
        disabled={at >= ids.length - 1}
        onClick={() => go(at + 1)}
      />
    </span>
  );
}
