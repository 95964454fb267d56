import type { TokenLogprob } from '../../agent/events/turn-event.ts';
import type { ToolCall } from '../../chat/message.ts';
import type { ApiError } from '../http/api-error.ts';
import { EVENT_STREAM } from '../http/response-stream.ts';
import {
  sumOfTotals,
  type ToolEvent,
  type Totals,
  type WholeReply,
  type WireFormat,
} from '../http/wire-format.ts';

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
  const head = { id, object: 'chat.completion.chunk', created, model };
  let index = 0;
  const chunk = (delta: object, finish: string | null = null, logprobs: object | null = null) =>
    sse({
      ...head,
      choices: [{ index, delta, logprobs, finish_reason: finish }],
      ...(usage && { usage: null }),
    });
  const begin = () => chunk({ role: 'assistant', content: '', refusal: null });
  const ended = (calls: readonly ToolCall[], totals: Totals) =>
    (calls.length > 0
      ? chunk({ tool_calls: calls.map((call, at) => ({ index: at, ...toCall(call) })) })
      : '') + chunk({}, finishOf(totals));
  return {
    contentType: EVENT_STREAM,
    begin,
    text: (text, logprobs) => chunk({ content: text }, null, listed(logprobs)),
    thinking: text => chunk({ reasoning: text }),
    toolEvent: event => sse({ ...head, choices: [], llm_host_event: event }),
    keepAlive: note => `: ${note}\n\n`,
    next: (calls, totals) => {
      const last = ended(calls, totals);
      index += 1;
      return last + begin();
    },
    end: (calls, totals, sum) =>
      [
        ended(calls, totals),
        ...(usage ? [sse({ ...head, choices: [], usage: usageOf(sum) })] : []),
        'data: [DONE]\n\n',
      ].join(''),
    error: error => sse(errorBody(error)),
    whole: replies => ({
      id,
      object: 'chat.completion',
      created,
      model,
      choices: replies.map((reply, at) => ({
        index: at,
        message: wholeMessage(reply),
        logprobs: options.logprobs ? (listed(reply.logprobs) ?? { content: [], refusal: null }) : null,
        finish_reason: finishOf(reply.totals),
      })),
      usage: usageOf(sumOfTotals(replies)),
      ...eventsOf(replies.flatMap(({ events }) => events)),
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

function toCall({ id, function: { name, arguments: args } }: ToolCall) {
  return { id, type: 'function', function: { name, arguments: JSON.stringify(args) } };
}

/** A reply that was cancelled has simply ended. */
export function finishOf({ finish }: Totals): string {
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
  const one = ({ token, logprob, bytes }: Omit<TokenLogprob, 'top'>) => ({
    token,
    logprob,
    bytes: bytes ?? [...Buffer.from(token)],
  });
  return logprobs.map(each => ({ ...one(each), top_logprobs: each.top.map(one) }));
}

/** OpenAI's error object. */
export function errorBody({ status, message, code, param }: ApiError): object {
  const type = status === 429 ? 'rate_limit_error' : status >= 500 ? 'server_error' : 'invalid_request_error';
  return { error: { message, type, param: param ?? null, code: code ?? null } };
}
