import type { ToolCall } from '../../chat/message.ts';
import type { Totals, WholeReply } from '../http/wire-format.ts';

export interface MessageHead {
  readonly id: string;
  readonly model: string;
}

/** Nothing checks it here, but clients send back only thinking that has one. */
export const SIGNATURE = 'unsigned';

export function textBlock(text: string) {
  return { type: 'text' as const, text, citations: null };
}

export function thinkingBlock(thinking: string, signature: string) {
  return { type: 'thinking' as const, thinking, signature };
}

export function toolUseBlock({ id, function: { name } }: ToolCall, input: Readonly<Record<string, unknown>>) {
  return { type: 'tool_use' as const, id, name, input, caller: { type: 'direct' as const } };
}

/** Never empty: clients read the text of the first block. */
function contentOf({ text, thinking, calls }: WholeReply) {
  const said = text !== '' || (thinking === '' && calls.length === 0);
  return [
    ...(thinking === '' ? [] : [thinkingBlock(thinking, SIGNATURE)]),
    ...(said ? [textBlock(text)] : []),
    ...calls.map(call => toolUseBlock(call, call.function.arguments)),
  ];
}

type Counts = Pick<Totals, 'promptTokens' | 'cachedTokens' | 'generatedTokens'>;

/** All of the prompt is what was cached and what was not. */
export function usageOf({ promptTokens, cachedTokens, generatedTokens }: Counts) {
  return {
    input_tokens: promptTokens - cachedTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cachedTokens,
    output_tokens: generatedTokens,
    output_tokens_details: null,
    server_tool_use: null,
  };
}

const REASON_OF = {
  tool_calls: 'tool_use',
  length: 'max_tokens',
  cancelled: 'end_turn',
  stop: 'end_turn',
} as const;

/** Why a message ended. */
export function endOf({ finish, stopString, contextFull }: Totals) {
  const stopped = finish === 'stop' && stopString !== undefined;
  const full = finish === 'length' && contextFull === true;
  const other = full ? ('model_context_window_exceeded' as const) : REASON_OF[finish];
  return {
    stop_reason: stopped ? ('stop_sequence' as const) : other,
    stop_sequence: stopped ? stopString : null,
    stop_details: null,
    container: null,
  };
}

/** The message in `message_start`. */
export function startedMessage(head: MessageHead, prompt: Counts) {
  const ended = { stop_reason: null, stop_sequence: null, stop_details: null, container: null };
  return { ...bare(head, prompt), ...ended, content: [] };
}

export function wholeMessage(head: MessageHead, reply: WholeReply) {
  return { ...bare(head, reply.totals), ...endOf(reply.totals), content: contentOf(reply) };
}

function bare({ id, model }: MessageHead, counts: Counts) {
  const usage = {
    ...usageOf(counts),
    cache_creation: null,
    inference_geo: null,
    service_tier: 'standard' as const,
    speed: null,
  };
  return { id, type: 'message' as const, role: 'assistant' as const, model, usage, diagnostics: null };
}
