import { pathOf } from '../conversation/tree.ts';
import { type ChatState, currentOf, modelOf } from '../state/chat-state.ts';
import { useChatState } from '../state/use-chat.ts';

const short = (tokens: number) => (tokens < 1000 ? `${tokens}` : `${(tokens / 1000).toFixed(1)}k`);

/** How much of the context the conversation has taken, once a reply has said so. */
export function ContextMeter() {
  const used = useChatState(usedTokens);
  const length = useChatState(state => modelOf(state)?.contextLength);
  if (used === undefined || length === undefined) return null;
  const share = Math.min(1, used / length);
  return (
    <span className="context-meter" title={`${used} of ${length} tokens of context`}>
      <meter min={0} max={1} value={share} high={0.85} aria-label="Context used" />
      {short(used)} of {short(length)}
    </span>
  );
}

/** The last prompt, and its reply if it was the only one. */
function usedTokens(state: ChatState): number | undefined {
  const current = currentOf(state);
  const last = current && pathOf(current).findLast(message => message.role === 'assistant');
  if (last?.role !== 'assistant' || last.promptTokens === undefined) return undefined;
  const only = last.usage?.promptTokens === last.promptTokens ? last.usage.replyTokens : 0;
  return last.promptTokens + only;
}
