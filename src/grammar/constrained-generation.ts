import type { EngineEvent, GenerateResult, TokenEvent } from '../engine/engine.ts';
import { type EngineJob, type JobEngine, joinedRuns } from '../engine/engine-job.ts';
import { ConstrainedReply, type Correction, type ReplyConstraint } from './constrained-reply.ts';

/**
 * The least probability of a value of a call, in those of a call: a value has several tokens, and may often be written in
 * several ways.
 */
const VALUE_CONFIDENCE = 0.6;

/**
 * `engine.events`, constrained by grammars. The model runs freely; when a token does not fit, the run is stopped and
 * another starts after the last good one, which is still in the KV cache, with the tokens that must follow and a mask
 * for the first free one. The result describes all runs as one.
 */
export async function* constrainedGeneration(
  engine: Pick<JobEngine, 'events' | 'info'>,
  request: EngineJob,
  constraint: ReplyConstraint,
): AsyncGenerator<EngineEvent, GenerateResult> {
  const prompt = Array.from(request.promptIds);
  const maxTokens = request.maxTokens ?? engine.info.contextLength;
  const room = Math.min(maxTokens, engine.info.contextLength - prompt.length);
  const confidence = VALUE_CONFIDENCE * (request.callStart?.confidence ?? 0);
  const reply = new ConstrainedReply(constraint, room, confidence);
  const asked = request.logprobs !== undefined;
  let total: GenerateResult | undefined;
  let correction: Correction | undefined;
  try {
    while (true) {
      const run = yield* oneRun(engine, reply, asked, {
        ...request,
        ...(confidence > 0 && !asked && { logprobs: 0 }),
        promptIds: [...prompt, ...reply.ids],
        maxTokens: maxTokens - reply.length,
        continued: (request.continued ?? 0) + reply.length,
        ...(correction?.allowed && { allowedFirst: correction.allowed }),
        // Only the start of a reply that no grammar chooses needs the confidence.
        ...((reply.length > 0 || correction?.allowed) && { callStart: undefined }),
        // One reply is one use of what prompts share, however many runs it takes.
        ...(total && { sharedTokens: 0 }),
      });
      total = joinedRuns(total, run.result, reply.length);
      correction = run.correction;
      const end =
        run.end ??
        (correction && cannotGoOn(request, prompt.length + reply.length, maxTokens - reply.length, engine));
      if (!correction || end) {
        yield* asEvents(reply.release(true), asked);
        return end ? { ...total, finishReason: end } : total;
      }
    }
  } finally {
    reply.close();
  }
}

interface Run {
  readonly result: GenerateResult;
  /** How to continue after a rejected token. */
  readonly correction?: Correction | undefined;
  /** The reply is over, whatever the engine says. */
  readonly end?: GenerateResult['finishReason'] | undefined;
}

async function* oneRun(
  engine: Pick<JobEngine, 'events'>,
  reply: ConstrainedReply,
  asked: boolean,
  request: EngineJob,
): AsyncGenerator<EngineEvent, Run> {
  const stop = new AbortController();
  const signal = request.signal ? AbortSignal.any([request.signal, stop.signal]) : stop.signal;
  const events = engine.events({ ...request, signal });
  let verdict: Correction | 'end' | undefined;
  yield* asEvents(reply.release(), asked);
  try {
    while (true) {
      const step = await events.next();
      if (step.done) {
        const result = step.value;
        if (verdict === 'end') return { result, end: 'stop' };
        if (verdict) return { result, correction: verdict };
        return { result, correction: result.finishReason === 'stop' ? await reply.stop() : undefined };
      }
      if (step.value.type === 'prefill') {
        // A corrected run reads back a few tokens of its own, which is not progress worth showing.
        if (reply.corrections === 0) yield step.value;
        continue;
      }
      // Tokens generated after a rejected one are dropped.
      if (verdict) continue;
      verdict = await reply.take(step.value.token);
      if (verdict) stop.abort();
      yield* asEvents(reply.release(), asked);
    }
  } finally {
    await events.return?.(undefined as never);
  }
}

/** @param asked whether log-probabilities are */
function* asEvents(tokens: readonly TokenEvent[], asked: boolean): Generator<EngineEvent> {
  for (const token of tokens)
    yield { type: 'token', token: asked ? token : { id: token.id, text: token.text } };
}

/** Why a corrected reply ends anyway. */
function cannotGoOn(
  { signal }: EngineJob,
  length: number,
  tokensLeft: number,
  engine: Pick<JobEngine, 'info'>,
): GenerateResult['finishReason'] | undefined {
  if (signal?.aborted) return 'cancelled';
  if (tokensLeft <= 0) return 'length';
  return length >= engine.info.contextLength ? 'full' : undefined;
}
