import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3Content,
  LanguageModelV3GenerateResult,
  LanguageModelV3StreamPart,
  SharedV3Warning,
} from '@ai-sdk/provider';
import type { Acquire } from '../../agent/requests/request-model.ts';
import { RequestTurns } from '../../agent/requests/request-turns.ts';
import { FunctionHost } from '../function-host.ts';
import type { Model } from '../model.ts';
import { failureParts, partsOf } from './parts.ts';
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
