import type { ChatSession } from '../session/chat-session.ts';
import { type Builtin, print } from './builtin.ts';

export const stats: Builtin = {
  name: 'stats',
  help: 'shows figures of the last reply and the session',
  run: session => print(statsText(session)),
};

function statsText(session: ChatSession): string {
  const { totals, lastReply } = session;
  if (!lastReply) return 'No reply yet.';
  const rate = (tokens: number, ms: number) =>
    ms > 0 ? `${((tokens / ms) * 1000).toFixed(1)} tok/s` : 'no rate';
  const computed = lastReply.promptTokens - lastReply.cachedTokens;
  return [
    `Last reply: ${lastReply.generatedTokens} tokens at ${rate(lastReply.generatedTokens, lastReply.decodeMs)}, first after ${(lastReply.firstTokenMs / 1000).toFixed(2)} s`,
    `Prompt: ${lastReply.promptTokens} tokens, ${lastReply.cachedTokens} from the cache, ${computed} read at ${rate(computed, lastReply.prefillMs)}`,
    `Context: ${session.contextUsed} of ${session.opened.model.contextLength} tokens`,
    `Session: ${totals.replies} replies, ${totals.generatedTokens} tokens at ${rate(totals.generatedTokens, totals.decodeMs)}, ${totals.toolCalls} tool calls, ${totals.toolErrors} errors`,
    session.toolMetrics.text(),
  ].join('\n');
}
