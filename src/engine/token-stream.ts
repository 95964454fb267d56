import type { EngineEvent, GenerateResult, PrefillProgress, TokenEvent } from './engine.ts';

/** The tokens of `Engine.events`; prefill progress goes to `onPrefill`. */
export async function* tokensOf(
  events: AsyncGenerator<EngineEvent, GenerateResult>,
  onPrefill?: (progress: PrefillProgress) => void,
): AsyncGenerator<TokenEvent, GenerateResult> {
  try {
    for (let step = await events.next(); ; step = await events.next()) {
      if (step.done) return step.value;
      if (step.value.type === 'token') yield step.value.token;
      else onPrefill?.({ done: step.value.done, total: step.value.total, cached: step.value.cached });
    }
  } finally {
    await events.return?.(undefined as never);
  }
}
