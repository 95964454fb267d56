import type { TokenLogprob } from '../../agent/events/turn-event.ts';
import type { ToolCall } from '../../chat/message.ts';
import type { Totals, WireFormat } from '../http/wire-format.ts';

const CONTENT_TYPE = 'application/x-ndjson';

/** /api/chat and /api/generate: they differ in where the text is. */
export function ollamaFormat(model: string, kind: 'chat' | 'generate'): WireFormat {
  const body = ({
    text = '',
    thinking,
    calls,
  }: {
    text?: string;
    thinking?: string;
    calls?: readonly ToolCall[];
  }) =>
    kind === 'chat'
      ? {
          message: {
            role: 'assistant',
            content: text,
            ...(thinking && { thinking }),
            ...(calls && calls.length > 0 && { tool_calls: calls.map(toCall) }),
          },
        }
      : { response: text, ...(thinking && { thinking }) };
  const stamp = () => ({ model, created_at: new Date().toISOString() });
  const line = (value: object) => `${JSON.stringify({ ...stamp(), ...value, done: false })}\n`;
  return {
    contentType: CONTENT_TYPE,
    begin: () => '',
    text: (text, logprobs) => line({ ...body({ text }), ...listed(logprobs) }),
    thinking: thinking => line(body({ thinking })),
    toolEvent: event => line({ ...body({}), llm_host_event: event }),
    keepAlive: () => '',
    end: (calls, totals) =>
      (calls.length > 0 ? line(body({ calls })) : '') +
      `${JSON.stringify({ ...stamp(), ...body({}), ...ended(totals) })}\n`,
    error: ({ message }) => `${JSON.stringify({ error: message })}\n`,
    whole: ([reply]) => ({
      ...stamp(),
      ...body(reply),
      ...listed(reply.logprobs),
      ...ended(reply.totals),
      ...(reply.events.length > 0 && { llm_host_events: reply.events }),
    }),
  };
}

/** The last object of a stream, or all of a whole response; times are nanoseconds. */
function ended(totals: Totals): object {
  const nanoseconds = (ms: number) => Math.round(ms * 1e6);
  return {
    done: true,
    done_reason: totals.finish === 'length' ? 'length' : 'stop',
    total_duration: nanoseconds(totals.totalMs),
    load_duration: 0,
    prompt_eval_count: totals.promptTokens,
    prompt_eval_duration: nanoseconds(totals.prefillMs),
    eval_count: totals.generatedTokens,
    eval_duration: nanoseconds(totals.decodeMs),
    prompt_cached_count: totals.cachedTokens,
  };
}

function toCall({ id, function: { name, arguments: args } }: ToolCall, index: number): object {
  return { id, function: { index, name, arguments: args } };
}

function listed(logprobs: readonly TokenLogprob[] | undefined): object {
  if (!logprobs) return {};
  const one = ({ token, logprob, bytes }: Omit<TokenLogprob, 'top'>) => ({
    token,
    logprob,
    bytes: bytes ?? [...Buffer.from(token)],
  });
  return { logprobs: logprobs.map(each => ({ ...one(each), top_logprobs: each.top.map(one) })) };
}
