import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3Content,
  LanguageModelV3GenerateResult,
  LanguageModelV3StreamPart,
  LanguageModelV3Usage,
  SharedV3Warning,
} from '@ai-sdk/provider';
import type { ReplyStats, TurnEvent } from '../../agent/events/turn-event.ts';
import type { Acquire } from '../../agent/requests/request-model.ts';
import { RequestTurns } from '../../agent/requests/request-turns.ts';
import type { ToolCall } from '../../chat/message.ts';
import { type ErrorCode, LlmHostError } from '../../errors.ts';
import { FunctionHost } from '../function-host.ts';
import type { Model } from '../model.ts';
import { requestOf } from './request.ts';

/** No call is run here: the SDK runs its tools itself. */
const TOOL_TIMEOUT_MS = 1;

/** The engine makes several replies at once, and lets more wait. */
const acquire: Acquire = async () => () => undefined;

/**
 * A loaded model for the Vercel AI SDK: `generateText({ model: languageModel(model), prompt })`. It is still the program's
 * to close. Tools, structured output, thinking, seeds and stop sequences work; images are refused. Failures are
 * LlmHostError, which the SDK does not try again; once a streamed reply has begun, they are `error` parts.
 */
export function languageModel(model: Model): LanguageModelV3 {
  const turns = new RequestTurns({
    model: model.chatModel,
    tools: new FunctionHost({}),
    systemMessage: '',
    sampling: {},
    toolTimeoutMs: TOOL_TIMEOUT_MS,
  });
  const open = (options: LanguageModelV3CallOptions) => {
    const { request, warnings } = requestOf(options);
    const stop = new AbortController();
    return { warnings, stop, parts: read(turns, request, options.abortSignal, stop) };
  };
  return {
    specificationVersion: 'v3',
    provider: 'llm-host',
    modelId: model.name,
    supportedUrls: {},
    doGenerate: async options => {
      const { parts, warnings } = open(options);
      return wholeOf(parts, warnings);
    },
    doStream: async options => {
      const { parts, warnings, stop } = open(options);
      // A failure before the model begins is a failure of the call.
      const first = await parts.next();
      return { stream: cancellable(streamed(first, parts, warnings, options.abortSignal), stop) };
    },
  };
}

/** @throws the signal's reason once it aborts */
async function* read(
  turns: RequestTurns,
  request: Parameters<RequestTurns['open']>[0],
  abort: AbortSignal | undefined,
  stop: AbortController,
): AsyncGenerator<LanguageModelV3StreamPart> {
  const signal = abort ? AbortSignal.any([abort, stop.signal]) : stop.signal;
  for await (const part of partsOf(turns.open(request).run({ acquire, signal }), stop)) {
    abort?.throwIfAborted();
    yield part;
  }
}

/** A failure is a part: a stream that breaks would break what the program answers with it. */
async function* streamed(
  first: IteratorResult<LanguageModelV3StreamPart>,
  parts: AsyncGenerator<LanguageModelV3StreamPart>,
  warnings: SharedV3Warning[],
  abort: AbortSignal | undefined,
): AsyncGenerator<LanguageModelV3StreamPart> {
  yield { type: 'stream-start', warnings };
  try {
    if (!first.done) yield first.value;
    yield* parts;
  } catch (error) {
    abort?.throwIfAborted();
    yield* failureParts(error);
  }
}

/** As `ReadableStream.from`, but cancelling does not wait for a part that is being read. */
function cancellable(
  parts: AsyncGenerator<LanguageModelV3StreamPart>,
  stop: AbortController,
): ReadableStream<LanguageModelV3StreamPart> {
  let cancelled = false;
  return new ReadableStream(
    {
      pull: async controller => {
        const { done, value } = await parts.next();
        if (cancelled) return;
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: async () => {
        cancelled = true;
        stop.abort();
        await parts.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
}

async function wholeOf(
  parts: AsyncGenerator<LanguageModelV3StreamPart>,
  warnings: SharedV3Warning[],
): Promise<LanguageModelV3GenerateResult> {
  const content: LanguageModelV3Content[] = [];
  let text = '';
  for await (const part of parts) {
    if (part.type === 'text-start' || part.type === 'reasoning-start') text = '';
    if (part.type === 'text-delta' || part.type === 'reasoning-delta') text += part.delta;
    if (part.type === 'text-end') content.push({ type: 'text', text });
    if (part.type === 'reasoning-end') content.push({ type: 'reasoning', text });
    if (part.type === 'tool-call') content.push(part);
    if (part.type === 'finish') {
      const { finishReason, usage } = part;
      return { content, finishReason, usage, warnings };
    }
  }
  throw new Error('The turn ended without its end');
}

type Spoken = 'text' | 'reasoning';

/**
 * The events of a turn as the SDK's parts: `response-metadata` once the model begins, then from the first word to
 * `finish`. Whoever reads no further ends the turn, by `stop`. @throws LlmHostError: a turn that failed
 */
async function* partsOf(
  turn: AsyncGenerator<TurnEvent, readonly ToolCall[]>,
  stop: AbortController,
): AsyncGenerator<LanguageModelV3StreamPart, void> {
  const spoken = new SpokenParts();
  const stats: ReplyStats[] = [];
  let begun = false;
  try {
    for (let step = await turn.next(); ; step = await turn.next()) {
      if (step.done) {
        yield* spoken.end();
        for (const call of step.value) yield* callParts(call);
        yield finishPart(stats, step.value.length > 0);
        return;
      }
      const event = step.value;
      if (!begun && BEGINNINGS.has(event.type)) {
        begun = true;
        yield { type: 'response-metadata' };
      }
      if (event.type === 'token') yield* spoken.add('text', event.text);
      if (event.type === 'thinking') yield* spoken.add('reasoning', event.text);
      if (event.type === 'stats') stats.push(event.stats);
      if (event.type === 'error') {
        const { hint } = event;
        yield* spoken.end();
        throw new LlmHostError(event.code as ErrorCode, event.message, hint === undefined ? {} : { hint });
      }
    }
  } finally {
    stop.abort();
    while (!(await turn.next()).done);
  }
}

/** The events that show that the model has begun. */
const BEGINNINGS: ReadonlySet<string> = new Set<TurnEvent['type']>(['prefill', 'token', 'thinking']);

/** The end of a reply that failed on the way. */
function* failureParts(error: unknown): Generator<LanguageModelV3StreamPart> {
  yield { type: 'error', error };
  const unknown = { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined };
  const usage = {
    inputTokens: unknown,
    outputTokens: { total: undefined, text: undefined, reasoning: undefined },
  };
  yield { type: 'finish', finishReason: { unified: 'error', raw: undefined }, usage };
}

/** Text and thinking, each run of them a part of its own. */
class SpokenParts {
  #count = 0;
  #open: { readonly kind: Spoken; readonly id: string } | undefined;

  *add(kind: Spoken, text: string): Generator<LanguageModelV3StreamPart> {
    if (this.#open?.kind !== kind) {
      // White space before the first word is no text.
      const begins = text.trimStart();
      if (begins === '') return;
      yield* this.end();
      this.#open = { kind, id: `${this.#count++}` };
      yield { type: `${kind}-start`, id: this.#open.id };
      yield { type: `${kind}-delta`, id: this.#open.id, delta: begins };
    } else if (text !== '') {
      yield { type: `${kind}-delta`, id: this.#open.id, delta: text };
    }
  }

  *end(): Generator<LanguageModelV3StreamPart> {
    if (this.#open) yield { type: `${this.#open.kind}-end`, id: this.#open.id };
    this.#open = undefined;
  }
}

function* callParts({
  id,
  function: { name, arguments: args },
}: ToolCall): Generator<LanguageModelV3StreamPart> {
  const input = JSON.stringify(args);
  yield { type: 'tool-input-start', id, toolName: name };
  yield { type: 'tool-input-delta', id, delta: input };
  yield { type: 'tool-input-end', id };
  yield { type: 'tool-call', toolCallId: id, toolName: name, input };
}

function finishPart(stats: readonly ReplyStats[], calls: boolean): LanguageModelV3StreamPart {
  const raw = stats.at(-1)?.finishReason;
  const cut = raw === 'length' || raw === 'full';
  const unified = calls ? 'tool-calls' : cut ? 'length' : 'stop';
  return { type: 'finish', finishReason: { unified, raw }, usage: usageOf(stats) };
}

function usageOf(stats: readonly ReplyStats[]): LanguageModelV3Usage {
  const sum = (pick: (one: ReplyStats) => number) => stats.reduce((total, one) => total + pick(one), 0);
  const total = sum(one => one.promptTokens);
  const cacheRead = sum(one => one.cachedTokens);
  const generated = sum(one => one.generatedTokens);
  return {
    inputTokens: { total, noCache: total - cacheRead, cacheRead, cacheWrite: undefined },
    outputTokens: { total: generated, text: undefined, reasoning: undefined },
  };
}
