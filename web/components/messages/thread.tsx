import { useMemo } from 'react';
import { pathOf } from '../../conversation/tree.ts';
import { currentOf } from '../../state/chat-state.ts';
import { useChatState } from '../../state/use-chat.ts';
import { useFollowEnd } from '../../state/use-follow-end.ts';
import { Question } from './question.tsx';
import { Reply } from './reply.tsx';
import { Welcome } from './welcome.tsx';

/** The messages of the open conversation. It scrolls along with a reply as long as its end is in sight. */
export function Thread() {
  const conversation = useChatState(currentOf);
  const path = useMemo(() => (conversation ? pathOf(conversation) : []), [conversation]);
  const scroller = useFollowEnd(conversation?.id);
  const lastQuestion = path.findLast(({ role }) => role === 'user')?.id;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without it, keys could not scroll the messages
    <section ref={scroller} className="thread" aria-label="Messages" tabIndex={0}>
      <div className="column">
        {path.length === 0 && <Welcome />}
        {path.map((message, index) =>
          message.role === 'user' ? (
            <Question key={message.id} message={message} isLast={message.id === lastQuestion} />
          ) : (
            <Reply key={message.id} message={message} isLast={index === path.length - 1} />
          ),
        )}
      </div>
    </section>
  );
}
