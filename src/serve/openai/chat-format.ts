import type { TokenLogprob } from '../../agent/events/turn-event.ts';
import type { ToolCall } from '../../chat/message.ts';
import type { ApiError } from '../http/api-error.ts';
import type { ToolEvent, Totals, WholeReply, WireFormat } from '../http/wire-format.ts';

export interface ChatFormatOptions {
  readonly id: string;
  readonly model: string;
  /** Unix seconds. */
  readonly created: number;
  /** Report token usage in the last chunk, if the client asked for it. */
  readonly usage: boolean;
  /** Each choice has `logprobs: null` if the client did not ask for them. */
  readonly logprobs: boolean;
}

/**
 * `chat.completion` and its chunks, as OpenAI documents them; our own tools are in a field that other clients ignore.
 */
export function openaiChatFormat(options: ChatFormatOptions): WireFormat {
  const { id, model, created, usage } = options;
  const head = { id, object: 'chat.completion.chunk', created, model, system_fingerprint: null };
  const chunk = (delta: object, finish: string | null = null, logprobs: object | null = null) =>
    sse({
      ...head,
      choices: [{ index: 0, delta, logprobs, finish_reason: finish }],
      ...(usage && { usage: null }),
    });
  return {
    contentType: 'text/event-stream; charset=utf-8',
    begin: () => chunk({ role: 'assistant', content: '', refusal: null }),
    text: (text, logprobs) => chunk({ content: text }, null, listed(logprobs)),
    thinking: text => chunk({ reasoning: text }),
    toolEvent: event => sse({ ...head, choices: [], llm_host_event: event }),
    keepAlive: note => `: ${note}\n\n`,
    end: (calls, totals) =>
      [
        ...(calls.length > 0
          ? [chunk({ tool_calls: calls.map((call, index) => ({ index, ...toCall(call) })) })]
          : []),
        chunk({}, finishOf(totals)),
        ...(usage ? [sse({ ...head, choices: [], usage: usageOf(totals) })] : []),
        'data: [DONE]\n\n',
      ].join(''),
    error: error => sse(errorBody(error)),
    whole: reply => ({
      ...{ id, object: 'chat.completion', created, model, system_fingerprint: null },
      choices: [
        {
          index: 0,
          message: wholeMessage(reply),
          logprobs: options.logprobs ? (listed(reply.logprobs) ?? { content: [], refusal: null }) : null,
          finish_reason: finishOf(reply.totals),
        },
      ],
      usage: usageOf(reply.totals),
      ...eventsOf(reply.events),
    }),
  };
}

export function sse(value: object): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

export function eventsOf(events: readonly ToolEvent[]): object {
  return events.length > 0 ? { llm_host_events: events } : {};
}

function wholeMessage({ text, thinking, calls }: WholeReply): object {
  return {
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    refusal: null,
    ...(thinking && { reasoning: thinking }),
    ...(calls.length > 0 && { tool_calls: calls.map(toCall) }),
  };
}

export function toCall({ id, function: { name, arguments: args } }: ToolCall) {
  return { id, type: 'function', function: { name, arguments: JSON.stringify(args) } };
}

function finishOf({ finish }: Totals): string {
  return finish === 'cancelled' ? 'stop' : finish;
}

export function usageOf(totals: Totals): object {
  return {
    prompt_tokens: totals.promptTokens,
    completion_tokens: totals.generatedTokens,
    total_tokens: totals.promptTokens + totals.generatedTokens,
    prompt_tokens_details: { cached_tokens: totals.cachedTokens },
  };
}

function listed(logprobs: readonly TokenLogprob[] | undefined): object | null {
  return logprobs ? { content: logprobItems(logprobs), refusal: null } : null;
}

export function logprobItems(logprobs: readonly TokenLogprob[]): object[] {
  const one = ({ token, logprob }: { token: string; logprob: number }) => ({
    ...{ token, logprob, bytes: [...Buffer.from(token)] },
  });
  return logprobs.map(each => ({ ...one(each), top_logprobs: each.top.map(one) }));
}

/** OpenAI's error object. */
export function errorBody({ status, message, code, param }: ApiError): object {
  const type = status === 429 ? 'rate_limit_error' : status >= 500 ? 'server_error' : 'invalid_request_error';
  return { error: { message, type, param: param ?? null, code: code ?? null } };
}
