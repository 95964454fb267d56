import { memo } from 'react';
import { replyText } from '../../conversation/api-messages.ts';
import type { AssistantMessage, Part } from '../../conversation/types.ts';
import { Markdown } from '../../markdown/markdown.tsx';
import { plain } from '../../markdown/plain.ts';
import { useChat } from '../../state/use-chat.ts';
import { CopyButton } from '../../widgets/copy-button.tsx';
import { IconButton } from '../../widgets/icon-button.tsx';
import { BranchSwitch } from './branch-switch.tsx';
import { ReplyEnd } from './reply-end.tsx';
import { ToolCard } from './tool-card.tsx';
import { WritingStatus } from './writing-status.tsx';

interface ReplyProps {
  readonly message: AssistantMessage;
  readonly isLast: boolean;
}

/** The model's answer, finished or still growing. */
export const Reply = memo(({ message, isLast }: ReplyProps) => {
  const chat = useChat();
  const { id, parts, state, model } = message;
  const writing = state === 'writing';
  return (
    <article className="reply" aria-label={model || 'Assistant'} aria-busy={writing}>
      <h2 className="sr-only">{model || 'Assistant'}</h2>
      {parts.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts come at the end only
        <PartView key={index} part={part} open={writing && index === parts.length - 1} />
      ))}
      {writing ? <WritingStatus id={id} /> : <ReplyEnd message={message} />}
      {!writing && (
        <div className={isLast ? 'actions last' : 'actions'}>
          <BranchSwitch message={message} />
          <CopyButton text={replyText(message)} label="Copy the reply" />
          <IconButton icon="retry" label="Another reply" onClick={() => chat.regenerate(id)} />
          <IconButton icon="branch" label="Go on in a new conversation" onClick={() => chat.branch(id)} />
        </div>
      )}
    </article>
  );
});

function PartView({ part, open }: { readonly part: Part; readonly open: boolean }) {
  switch (part.type) {
    case 'text':
      return (
        <div className="prose">
          <Markdown text={part.text} open={open} />
        </div>
      );
    case 'thinking':
      return <Thinking text={part.text} open={open} />;
    case 'notice':
      return <p className="hint">{plain(part.text)}</p>;
    case 'call':
      return <ToolCard call={part} />;
  }
}

function Thinking({ text, open }: { readonly text: string; readonly open: boolean }) {
  return (
    <details className="thinking">
      <summary>{open ? 'Thinking …' : 'Thought about it'}</summary>
      <p>{plain(text.trim())}</p>
    </details>
  );
}
