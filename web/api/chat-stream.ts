import type { ToolEvent } from '../../src/serve/http/wire-format.ts';
import type { ApiMessage } from '../conversation/api-messages.ts';
import type { ChatSettings, Usage } from '../conversation/types.ts';
import { ApiFailure, failureOf, refusalOf } from './api-failure.ts';
import { postJson } from './request.ts';
import { readSse } from './sse.ts';

/** An event of a reply that is being made. */
export type StreamEvent =
  /** The model that answers, as the server calls it. */
  | { readonly type: 'model'; readonly name: string }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly text: string }
  /** The server's state before the first word: `waiting, 2 ahead`, `prefill 100/2000`. */
  | { readonly type: 'status'; readonly text: string }
  | { readonly type: 'usage'; readonly usage: Usage }
  | { readonly type: 'finish'; readonly reason: string }
  | ToolEvent;

/** Asks for a reply and yields it as it comes. Throws ApiFailure, or the abort of `signal`. */
export async function* chatStream(
  messages: readonly ApiMessage[],
  settings: ChatSettings,
  signal: AbortSignal,
): AsyncGenerator<StreamEvent> {
  try {
    const { body } = await postJson('v1/chat/completions', chatBody(messages, settings), {
      signal,
      headers: {
        'x-llm-host-events': '1',
        'x-llm-host-approval': settings.ask,
        ...(!settings.tools && { 'x-llm-host-tools': 'none' }),
      },
    });
    if (!body) throw new ApiFailure(0, 'The server answers without a stream.');
    let named = false;
    for await (const line of readSse(body)) {
      const name: string | undefined = named ? undefined : modelIn(line);
      if (name !== undefined) yield { type: 'model', name };
      named ||= name !== undefined;
      yield* eventsOf(line);
    }
  } catch (error) {
    throw signal.aborted ? error : failureOf(error);
  }
}

/** Fields that are not set are the server's to decide. */
function chatBody(messages: readonly ApiMessage[], { model, sampling, thinking }: ChatSettings): object {
  const set = Object.entries(sampling).filter(([, value]) => value !== undefined);
  return {
    ...(model !== undefined && { model }),
    messages,
    stream: true,
    stream_options: { include_usage: true },
    ...Object.fromEntries(set),
    ...(thinking !== undefined && { chat_template_kwargs: { enable_thinking: thinking } }),
  };
}

interface Chunk {
  readonly model?: string;
  readonly error?: unknown;
  readonly llm_host_event?: ToolEvent;
  readonly choices?: readonly {
    readonly delta: { readonly content?: string; readonly reasoning?: string };
    readonly finish_reason: string | null;
  }[];
  readonly usage?: {
    readonly prompt_tokens: number;
    readonly completion_tokens: number;
    readonly prompt_tokens_details?: { readonly cached_tokens?: number };
  } | null;
}

type Line = { data: unknown } | { comment: string };

function modelIn(line: Line): string | undefined {
  return 'comment' in line ? undefined : (line.data as Chunk).model;
}

function* eventsOf(line: Line): Generator<StreamEvent> {
  if ('comment' in line) return yield { type: 'status', text: line.comment };
  const { error, llm_host_event: tool, choices, usage } = line.data as Chunk;
  if (error !== undefined) throw refusalOf(500, line.data);
  if (tool) return yield tool;
  const [choice] = choices ?? [];
  if (choice?.delta.reasoning) yield { type: 'thinking', text: choice.delta.reasoning };
  if (choice?.delta.content) yield { type: 'text', text: choice.delta.content };
  if (choice?.finish_reason) yield { type: 'finish', reason: choice.finish_reason };
  if (usage) {
    const { prompt_tokens: promptTokens, completion_tokens: replyTokens } = usage;
    const cachedTokens = usage.prompt_tokens_details?.cached_tokens ?? 0;
    yield { type: 'usage', usage: { promptTokens, replyTokens, cachedTokens } };
  }
}
