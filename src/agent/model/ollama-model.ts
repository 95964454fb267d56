import type { Message } from '../../chat/message.ts';
import type { OllamaClient } from '../../engine/ollama-client.ts';
import { LlmHostError } from '../../errors.ts';
import { isPlainObject } from '../../text/json/plain-object.ts';
import { underApiNames } from '../../text/sampling/api-names.ts';
import type { ReplyStats } from '../events/turn-event.ts';
import type { ChatModel, PromptRequest, ReplyEvent, ReplyRequest } from './chat-model.ts';
import { RepetitionGuard } from './early-end.ts';
import { RemoteModel, type RemoteModelParts } from './remote-model.ts';

export interface OllamaModelParts extends RemoteModelParts {
  readonly client: OllamaClient;
  /** `num_ctx`: makes Ollama load the model with this context. Default: as it is loaded. */
  readonly numCtx?: number;
  /** As LocalModelParts has it; a piece of text counts as a token. */
  readonly repetitionGuard?: boolean | undefined;
}

type Json = Readonly<Record<string, unknown>>;

/** A chat model on an Ollama server. */
export class OllamaChatModel extends RemoteModel<OllamaModelParts> implements ChatModel {
  /** An estimate. */
  countTokens(request: PromptRequest): number {
    return this.estimate(request, request.messages.map(toWire));
  }

  async *reply(request: ReplyRequest): AsyncGenerator<ReplyEvent, ReplyStats> {
    const started = performance.now();
    const counts = { firstMs: 0, pieces: 0, done: undefined as Json | undefined };
    const guard = this.parts.repetitionGuard === false ? undefined : new RepetitionGuard<string>();
    let repetitive = false;
    try {
      const [path, body] = this.#request(request);
      for await (const part of this.parts.client.stream(path, body, request.signal)) {
        const events = eventsOf(part);
        if (counts.firstMs === 0 && events.length > 0) counts.firstMs = performance.now() - started;
        yield* events;
        counts.pieces += events.length;
        if (part.done === true) counts.done = part;
        repetitive = events.some(event => 'text' in event && guard?.push(event.text) === true);
        // Leaving the loop ends the request.
        if (repetitive) break;
      }
    } catch (error) {
      if (request.signal?.aborted !== true) throw error;
    }
    const cancelled = request.signal?.aborted === true;
    if (repetitive && !cancelled) {
      // Ollama counts only what it ends itself.
      const stats = statsOf(
        { eval_count: counts.pieces },
        counts.firstMs,
        performance.now() - started,
        false,
      );
      return { ...stats, finishReason: 'length', repetitive: true };
    }
    if (!counts.done && !cancelled) {
      throw new LlmHostError('ENGINE', 'Ollama ended its reply early');
    }
    return statsOf(counts.done, counts.firstMs, performance.now() - started, cancelled);
  }

  #request(request: ReplyRequest): [string, Json] {
    const { name: model, numCtx } = this.parts;
    const options = {
      ...underApiNames(request.sampling, 'ollama'),
      ...(numCtx !== undefined && { num_ctx: numCtx }),
    };
    if (request.text !== undefined)
      return ['/api/generate', { model, prompt: request.text, raw: true, stream: true, options }];
    const tools = this.listedOf(request);
    const think = this.thinkingOf(request);
    const body = {
      model,
      stream: true,
      messages: request.messages.map(toWire),
      options,
      ...(tools.length > 0 && { tools }),
      ...(think !== undefined && { think }),
    };
    return ['/api/chat', body];
  }
}

function toWire(message: Message): Json {
  if (message.role === 'tool') return { role: 'tool', content: message.content, tool_name: message.name };
  if (message.role !== 'assistant') return message;
  const { content, reasoning_content: thinking, tool_calls: calls } = message;
  return {
    role: 'assistant',
    content,
    ...(thinking && { thinking }),
    ...(calls && { tool_calls: calls.map(call => ({ function: call.function })) }),
  };
}

/** The events in one object of the stream: /api/chat has `message`, /api/generate `response`. */
function eventsOf(part: Json): ReplyEvent[] {
  const message = isPlainObject(part.message) ? (part.message as Json) : {};
  const content = message.content ?? part.response;
  const thinking = message.thinking ?? part.thinking;
  const calls = Array.isArray(message.tool_calls) ? message.tool_calls : [];
  return [
    ...(typeof thinking === 'string' && thinking !== ''
      ? [{ type: 'thinking' as const, text: thinking }]
      : []),
    ...(typeof content === 'string' && content !== '' ? [{ type: 'content' as const, text: content }] : []),
    ...calls.map(callEvent),
  ];
}

/** Arguments are an object, or from some servers its JSON text. */
function callEvent(call: unknown): ReplyEvent {
  const raw = JSON.stringify(call);
  const inner =
    isPlainObject(call) && isPlainObject((call as Json).function) ? (call as Json).function : call;
  const { name, arguments: written = {} } = (isPlainObject(inner) ? inner : {}) as Json;
  let args: unknown = written === '' ? {} : written;
  if (typeof args === 'string') {
    try {
      args = JSON.parse(args);
    } catch {
      return { type: 'malformed', raw, reason: 'the arguments are not JSON' };
    }
  }
  if (typeof name === 'string' && name !== '' && isPlainObject(args)) {
    return { type: 'call', name, arguments: args as Json, raw };
  }
  return { type: 'malformed', raw, reason: 'a call needs a name and an object of arguments' };
}

function statsOf(
  done: Json | undefined,
  firstTokenMs: number,
  totalMs: number,
  cancelled: boolean,
): ReplyStats {
  const number = (value: unknown, fallback = 0) => (typeof value === 'number' ? value : fallback);
  const milliseconds = (value: unknown, fallback: number) => number(value, fallback * 1e6) / 1e6;
  const ended = done?.done_reason === 'length' ? 'length' : 'stop';
  return {
    promptTokens: number(done?.prompt_eval_count),
    // Ollama itself does not say.
    cachedTokens: number(done?.prompt_cached_count),
    generatedTokens: number(done?.eval_count),
    firstTokenMs,
    prefillMs: milliseconds(done?.prompt_eval_duration, firstTokenMs),
    decodeMs: milliseconds(done?.eval_duration, totalMs - firstTokenMs),
    finishReason: cancelled ? 'cancelled' : ended,
  };
}
