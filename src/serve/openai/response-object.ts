import type { ToolCall } from '../../chat/message.ts';
import type { ApiError } from '../http/api-error.ts';
import type { Totals } from '../http/wire-format.ts';
import { newId, now } from './model-object.ts';
import type { ResponsesBody } from './responses-request.ts';

type ItemStatus = 'in_progress' | 'completed' | 'incomplete';

/** The fields that every stage of a response shares. */
export function responseHead(model: string, body: ResponsesBody) {
  return {
    id: newId('resp_'),
    object: 'response',
    created_at: now(),
    model,
    background: false,
    instructions: body.instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    metadata: body.metadata ?? {},
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    previous_response_id: body.previous_response_id ?? null,
    reasoning: { effort: body.reasoning?.effort ?? null, summary: null },
    store: body.store ?? true,
    temperature: body.temperature ?? null,
    text: { format: body.text?.format ?? { type: 'text' } },
    tool_choice: body.tool_choice ?? 'auto',
    tools: body.tools ?? [],
    top_p: body.top_p ?? null,
    truncation: body.truncation ?? 'disabled',
    ...(body.user != null && { user: body.user }),
  };
}

export type ResponseHead = ReturnType<typeof responseHead>;

export function runningResponse(head: ResponseHead): object {
  return { ...head, ...NOTHING_WRONG, status: 'in_progress', output: [], usage: null };
}

/** `incomplete` if it was cut off. */
export function endedResponse(head: ResponseHead, output: readonly object[], totals: Totals) {
  const cut = totals.finish === 'length';
  return {
    ...head,
    ...NOTHING_WRONG,
    status: cut ? ('incomplete' as const) : ('completed' as const),
    incomplete_details: cut ? { reason: 'max_output_tokens' } : null,
    completed_at: cut ? null : now(),
    output,
    usage: {
      input_tokens: totals.promptTokens,
      input_tokens_details: { cached_tokens: totals.cachedTokens, cache_write_tokens: 0 },
      output_tokens: totals.generatedTokens,
      // Clients read it; thinking tokens are not counted separately.
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: totals.promptTokens + totals.generatedTokens,
    },
  };
}

export type EndedResponse = ReturnType<typeof endedResponse>;

export function failedResponse(head: ResponseHead, output: readonly object[], { message }: ApiError): object {
  const error = { code: 'server_error', message };
  return { ...head, ...NOTHING_WRONG, status: 'failed', error, output, usage: null };
}

const NOTHING_WRONG = { error: null, incomplete_details: null };

/** An output item with a single text part. */
export type TextItemKind = 'message' | 'reasoning';

export function textItem(kind: TextItemKind, id: string, status: ItemStatus, part?: object): object {
  const content = part === undefined ? [] : [part];
  return kind === 'message'
    ? { id, type: kind, status, role: 'assistant', content }
    : { id, type: kind, status, summary: [], content };
}

export function textPart(kind: TextItemKind, text: string, logprobs: readonly object[]): object {
  return kind === 'message'
    ? { type: 'output_text', text, annotations: [], logprobs }
    : { type: 'reasoning_text', text };
}

export function callItem(
  { id: callId, function: { name } }: ToolCall,
  id: string,
  status: ItemStatus,
  args: string,
): object {
  return { id, type: 'function_call', status, call_id: callId, name, arguments: args };
}
