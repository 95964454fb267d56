import { useChatState } from '../state/use-chat.ts';

/** Tells screen readers about changes elsewhere on the page. */
export function Announcer() {
  const text = useChatState(({ announced }) => announced);
  return (
    <div role="status" className="sr-only">
      {text}
    </div>
  );
}
