import type { AssistantMessage } from '../../conversation/types.ts';
import { useChat } from '../../state/use-chat.ts';
import { speedOf, speedText } from '../../turn/speed.ts';

/** How a reply has ended, and what it took. */
export function ReplyEnd({ message }: { readonly message: AssistantMessage }) {
  const chat = useChat();
  const { state, error, id } = message;
  if (state === 'failed') {
    return (
      <p className="notice error" role="alert">
        <span>{error}</span>
        <button type="button" onClick={() => chat.regenerate(id)}>
          Try again
        </button>
      </p>
    );
  }
  const figures = figuresOf(message);
  const how = { stopped: 'Stopped', cut: 'Ended at its limit of tokens', done: '', writing: '' }[state];
  return <p className="figures">{[how, ...figures].filter(Boolean).join(' · ')}</p>;
}

function figuresOf(message: AssistantMessage): string[] {
  const { usage } = message;
  if (!usage) return [];
  const speed = speedOf(message);
  const cached = usage.cachedTokens > 0 ? ` (${usage.cachedTokens} from the cache)` : '';
  return [
    `${usage.replyTokens} tokens`,
    ...(speed === undefined ? [] : [speedText(speed)]),
    `${usage.promptTokens} read${cached}`,
  ];
}
