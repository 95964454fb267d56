import { type Decoded, decodedOf, decodeRate } from '../../../agent/events/decode-rate.ts';
import type { ReplyStats } from '../../../agent/events/turn-event.ts';
import type { DecodingStats } from '../../../engine/decoding-stats.ts';
import type { ChatSession } from '../../session/chat-session.ts';
import type { SessionTotals } from '../../session/session-figures.ts';
import { type Builtin, print } from '../base/builtin.ts';

export const stats: Builtin = {
  name: 'stats',
  help: 'shows figures of the last reply and the session',
  run: session => print(statsText(session)),
};

function statsText(session: ChatSession): string {
  const { totals, lastReply, toolMetrics } = session;
  if (totals.replies + totals.summaries === 0) return 'No reply yet.';
  return [
    ...(lastReply ? replyLines(lastReply) : []),
    `Context: ${session.contextUsed} of ${session.opened.model.contextLength} tokens`,
    `Session: ${repliesText(totals)}, ${tokensText(totals.generatedTokens)} at ${rateText(totals.decoded)}, ${callsText(session)}`,
    toolMetrics.text(),
  ].join('\n');
}

function replyLines(reply: ReplyStats): string[] {
  const { promptTokens, cachedTokens, generatedTokens, firstTokenMs, prefillMs } = reply;
  const computed = promptTokens - cachedTokens;
  return [
    `Last reply: ${tokensText(generatedTokens)} at ${rateText(decodedOf(reply))}, first after ${(firstTokenMs / 1000).toFixed(2)} s`,
    ...decodingLines(reply.decoding, generatedTokens),
    `Prompt: ${tokensText(promptTokens)}, ${cachedTokens} from the cache, ${computed} read at ${rateText({ tokens: computed, ms: prefillMs })}`,
  ];
}

function repliesText({ replies, summaries }: SessionTotals): string {
  const more = summaries === 0 ? '' : `, ${summaries} more for summaries`;
  return `${counted(replies, 'reply', 'replies')}${more}`;
}

const tokensText = (tokens: number): string => counted(tokens, 'token', 'tokens');

const counted = (count: number, one: string, more: string): string => `${count} ${count === 1 ? one : more}`;

/** A reply's first token comes from reading the prompt. */
function decodingLines(decoding: DecodingStats | undefined, tokens: number): string[] {
  if (!decoding || decoding.passes === 0) return [];
  const { passes, proposed, accepted } = decoding;
  const each = (Math.max(0, tokens - 1) / passes).toFixed(2);
  const found = proposed > 0 ? `, ${accepted} of ${proposed} proposed tokens accepted` : '';
  return [`Decoding: ${each} tokens a step in ${passes} ${passes === 1 ? 'step' : 'steps'}${found}`];
}

function callsText({ totals, toolMetrics }: ChatSession): string {
  const { ran, failed } = totals.toolRuns(toolMetrics);
  return `${counted(ran, 'tool call', 'tool calls')} ran, ${failed} failed`;
}

function rateText(decoded: Decoded): string {
  const rate = decodeRate(decoded);
  return rate === undefined ? 'no rate' : `${rate.toFixed(1)} tok/s`;
}
