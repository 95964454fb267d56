import { useChatState } from '../state/use-chat.ts';

/** What screen readers say when something happens elsewhere on the page. */
export function Announcer() {
  const text = useChatState(({ announced }) => announced);
  return (
    <div role="status" className="sr-only">
      {text}
    </div>
  );
}
