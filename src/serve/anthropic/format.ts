import type { ToolCall } from '../../chat/message.ts';
import type { ApiError } from '../http/api-error.ts';
import { EVENT_STREAM } from '../http/response-stream.ts';
import type { FirstPrompt, Replies, ToolEvent, Totals, WholeReply, WireFormat } from '../http/wire-format.ts';
import { eventsOf } from '../openai/chat-format.ts';
import { anthropicError } from './error.ts';

const PING = event('ping', {});
const STARTS = { text: textBlock(''), thinking: thinkingBlock('', '') };

/** `message` and the events of its stream, as Anthropic documents them. */
export class MessagesFormat implements WireFormat {
  readonly contentType = EVENT_STREAM;
  readonly #head: MessageHead;
  #index = -1;
  #open: keyof typeof STARTS | undefined;
  #begun = false;

  constructor(head: MessageHead) {
    this.#head = head;
  }

  begin({ tokens, cached }: FirstPrompt = { tokens: 0, cached: 0 }): string {
    this.#begun = true;
    const counts = { promptTokens: tokens, cachedTokens: cached, generatedTokens: 0 };
    return event('message_start', { message: startedMessage(this.#head, counts) }) + PING;
  }

  text(text: string): string {
    return this.#piece('text', { type: 'text_delta', text });
  }

  thinking(thinking: string): string {
    return this.#piece('thinking', { type: 'thinking_delta', thinking });
  }

  toolEvent(toolEvent: ToolEvent): string {
    return event('llm_host_event', { llm_host_event: toolEvent });
  }

  /** The first event must be message_start: before it, only a comment. */
  keepAlive(note: string): string {
    return `: ${note}\n\n${this.#begun ? PING : ''}`;
  }

  end(calls: readonly ToolCall[], totals: Totals): string {
    const nothing = this.#index < 0 && calls.length === 0;
    const text = nothing ? this.text('') : '';
    return [
      text + this.#close(),
      ...calls.map(call => this.#call(call)),
      event('message_delta', { delta: endOf(totals), usage: usageOf(totals) }),
      event('message_stop', {}),
    ].join('');
  }

  error(error: ApiError): string {
    return event('error', anthropicError(error));
  }

  whole([reply]: Replies): object {
    return { ...wholeMessage(this.#head, reply), ...eventsOf(reply.events) };
  }

  /** Continues the open block, or begins one of its kind. */
  #piece(kind: keyof typeof STARTS, delta: object): string {
    const before = this.#open === kind ? '' : this.#close() + this.#start(STARTS[kind]);
    this.#open = kind;
    return before + this.#delta(delta);
  }

  #close(): string {
    const kind = this.#open;
    if (kind === undefined) return '';
    this.#open = undefined;
    const signed = kind === 'thinking' ? this.#delta({ type: 'signature_delta', signature: SIGNATURE }) : '';
    return signed + this.#stop();
  }

  #call(call: ToolCall): string {
    const json = JSON.stringify(call.function.arguments);
    return (
      this.#start(toolUseBlock(call, {})) +
      this.#delta({ type: 'input_json_delta', partial_json: json }) +
      this.#stop()
    );
  }

  #start(block: object): string {
    this.#index += 1;
    return event('content_block_start', { index: this.#index, content_block: block });
  }

  #delta(delta: object): string {
    return event('content_block_delta', { index: this.#index, delta });
  }

  #stop(): string {
    return event('content_block_stop', { index: this.#index });
  }
}

function event(type: string, fields: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}

interface MessageHead {
  readonly id: string;
  readonly model: string;
}

/** Nothing checks it here, but clients send back only thinking that has one. */
const SIGNATURE = 'unsigned';

function textBlock(text: string) {
  return { type: 'text' as const, text, citations: null };
}

function thinkingBlock(thinking: string, signature: string) {
  return { type: 'thinking' as const, thinking, signature };
}

function toolUseBlock({ id, function: { name } }: ToolCall, input: Readonly<Record<string, unknown>>) {
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
