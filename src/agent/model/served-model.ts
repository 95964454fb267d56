import type { Message, ToolDefinition } from '../../chat/message.ts';
import { cleaned, type ServedClient } from '../../engine/served-client.ts';
import { LlmHostError } from '../../errors.ts';
import { stripControls } from '../../text/clean/strip-controls.ts';
import { stripInvisible } from '../../text/clean/strip-invisible.ts';
import { isPlainObject } from '../../text/json/plain-object.ts';
import { underApiNames } from '../../text/sampling/api-names.ts';
import type { ReplyStats } from '../events/turn-event.ts';
import type { ChatModel, PromptRequest, ReplyEvent, ReplyRequest } from './chat-model.ts';
import { RemoteModel, type RemoteModelParts } from './remote-model.ts';

export interface ServedModelParts extends RemoteModelParts {
  readonly client: ServedClient;
}

type Json = Readonly<Record<string, unknown>>;

/** A server that claims more tokens is not believed. */
const MAX_FACTOR = 4;
/** Calls in one reply. */
const MAX_CALLS = 64;
const MAX_COUNT = 100_000_000;
const PREFILL_MS = 50;

/** The model of a running `llm-host serve`, whose own tools stay out: those of this side are called. */
export class ServedChatModel extends RemoteModel<ServedModelParts> implements ChatModel {
  readonly canFollowFormat = true;
  /** Tokens by the server's count over those of the estimate. */
  #factor = 1;

  /** An estimate, until the server's own counts show that this model needs more. */
  countTokens(request: PromptRequest): number {
    return Math.ceil(this.estimate(request, request.messages.map(toWire)) * this.#factor);
  }

  async *reply(request: ReplyRequest): AsyncGenerator<ReplyEvent, ReplyStats> {
    const { client } = this.parts;
    const { signal } = request;
    const estimated = this.estimate(request, request.messages.map(toWire));
    const reading = new ReplyReader();
    try {
      for await (const part of client.stream('/v1/chat/completions', this.#body(request), signal)) {
        yield* 'comment' in part ? reading.comment(part.comment) : reading.data(part.data);
      }
    } catch (error) {
      if (signal?.aborted !== true) throw error;
    }
    const stats = reading.stats(signal?.aborted === true);
    if (stats.promptTokens > 0) {
      this.#factor = Math.min(MAX_FACTOR, Math.max(1, stats.promptTokens / estimated));
    }
    return stats;
  }

  #body(request: ReplyRequest): Json {
    const { messages, sampling, responseFormat, toolChoice, singleCall } = request;
    const tools = wireTools(request.tools, this.listedOf(request));
    const think = this.thinkingOf(request);
    const schema = responseFormat?.type === 'json_schema' ? responseFormat.schema : undefined;
    return {
      model: this.parts.name,
      stream: true,
      stream_options: { include_usage: true },
      messages: messages.map(toWire),
      ...underApiNames(sampling, 'openai'),
      ...(tools.length > 0 && { tools }),
      ...(singleCall && { parallel_tool_calls: false }),
      ...(toolChoice && {
        tool_choice: typeof toolChoice === 'string' ? toolChoice : { type: 'function', function: toolChoice },
      }),
      ...(think !== undefined && { chat_template_kwargs: { enable_thinking: think } }),
      ...(responseFormat && {
        response_format: schema
          ? { type: 'json_schema', json_schema: { name: 'answer', schema } }
          : { type: 'json_object' },
      }),
    };
  }
}

/** The tools at the head of the prompt, then those that messages define, which may be called as well. */
function wireTools(tools: readonly ToolDefinition[], listed: readonly ToolDefinition[]): object[] {
  const names = new Set(listed.map(tool => tool.function.name));
  const others = tools.filter(tool => !names.has(tool.function.name));
  return [...listed, ...others.map(tool => ({ ...tool, defer_loading: true }))];
}

function toWire(message: Message): Json {
  if (message.role === 'tool') {
    return { role: 'tool', content: message.content, tool_call_id: message.tool_call_id };
  }
  if (message.role !== 'assistant') return { role: message.role, content: message.content };
  const { content, reasoning_content: reasoning, tool_calls: calls } = message;
  return {
    role: 'assistant',
    content,
    ...(reasoning && { reasoning }),
    ...(calls && {
      tool_calls: calls.map(({ id, function: { name, arguments: args } }) => ({
        id,
        type: 'function',
        function: { name, arguments: JSON.stringify(args) },
      })),
    }),
  };
}

/** Reads one streamed reply of a stranger. */
class ReplyReader {
  readonly #started = performance.now();
  #firstMs: number | undefined;
  #prefillAt = Number.NEGATIVE_INFINITY;
  #finish: unknown;
  #usage: Json = {};
  #calls = 0;

  /** The progress of the prompt that a keep-alive reports. */
  *comment(text: string): Generator<ReplyEvent> {
    const [, done, total] = /^prefill (\d{1,9})\/(\d{1,9})$/.exec(text) ?? [];
    const now = performance.now();
    if (done === undefined || now - this.#prefillAt < PREFILL_MS) return;
    this.#prefillAt = now;
    yield { type: 'prefill', done: Number(done), total: Number(total), cached: 0 };
  }

  *data(part: Json): Generator<ReplyEvent> {
    const { usage, choices } = part;
    if (isPlainObject(usage)) this.#usage = usage as Json;
    const choice = objectOf(Array.isArray(choices) ? choices[0] : undefined);
    this.#finish = choice.finish_reason ?? this.#finish;
    const { reasoning, content, tool_calls: calls } = objectOf(choice.delta);
    yield* this.#text('thinking', reasoning);
    yield* this.#text('content', content);
    for (const call of Array.isArray(calls) ? calls : []) {
      this.#calls += 1;
      if (this.#calls > MAX_CALLS)
        throw new LlmHostError('ENGINE', `The server sent more than ${MAX_CALLS} calls`);
      yield callEvent(call);
    }
  }

  stats(cancelled: boolean): ReplyStats {
    const totalMs = performance.now() - this.#started;
    const firstTokenMs = this.#firstMs ?? totalMs;
    const { prompt_tokens_details: details } = this.#usage;
    return {
      promptTokens: countOf(this.#usage.prompt_tokens),
      cachedTokens: countOf(objectOf(details).cached_tokens),
      generatedTokens: countOf(this.#usage.completion_tokens),
      firstTokenMs,
      prefillMs: firstTokenMs,
      decodeMs: totalMs - firstTokenMs,
      finishReason: cancelled ? 'cancelled' : this.#finish === 'length' ? 'length' : 'stop',
    };
  }

  *#text(type: 'thinking' | 'content', text: unknown): Generator<ReplyEvent> {
    if (typeof text !== 'string') return;
    const clean = stripInvisible(stripControls(text));
    if (clean === '') return;
    this.#firstMs ??= performance.now() - this.#started;
    yield { type, text: clean };
  }
}

function callEvent(call: unknown): ReplyEvent {
  const { name, arguments: written } = objectOf(objectOf(call).function);
  const raw = JSON.stringify(call);
  if (typeof name !== 'string' || name === '')
    return { type: 'malformed', raw, reason: 'a call without a name' };
  try {
    const args: unknown = typeof written === 'string' && written !== '' ? JSON.parse(written) : {};
    if (isPlainObject(args)) return { type: 'call', name: cleaned(name, 200), arguments: args as Json, raw };
  } catch {
    // Told to the model, as with any other call that cannot be read.
  }
  return { type: 'malformed', raw, reason: 'the arguments are not a JSON object' };
}

function objectOf(value: unknown): Json {
  return isPlainObject(value) ? (value as Json) : {};
}

function countOf(value: unknown): number {
  return typeof value === 'number' && value >= 0 && value <= MAX_COUNT ? Math.floor(value) : 0;
}
