import type { LanguageModelV3StreamPart, LanguageModelV3Usage } from '@ai-sdk/provider';
import type { ReplyStats, TurnEvent } from '../../agent/events/turn-event.ts';
import type { ToolCall } from '../../chat/message.ts';
import { type ErrorCode, LlmHostError } from '../../errors.ts';

type Spoken = 'text' | 'reasoning';

/**
 * The events of a turn as the SDK's parts: `response-metadata` once the model begins, then from the first word to
 * `finish`. Whoever reads no further ends the turn, by `stop`. @throws LlmHostError: a turn that failed
 */
export async function* partsOf(
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
export function* failureParts(error: unknown): Generator<LanguageModelV3StreamPart> {
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
