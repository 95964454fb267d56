import type { NativeEvent, NativeModel } from '../../src/native/addon-types.ts';
import { loadAddon } from '../../src/native/load-addon.ts';
import { readNamed } from '../model/read-named.ts';
import { request } from '../native/tiny/native-request.ts';

/** One greedy continuation by the reference. */
export interface GoldenCase {
  readonly prompt: readonly number[];
  readonly ids: readonly number[];
  /** One for each id, best first. */
  readonly steps: readonly GoldenStep[];
}

interface GoldenStep {
  readonly ids: readonly number[];
  readonly logprobs: readonly number[];
}

type TokenEvent = Extract<NativeEvent, { type: 'token' }>;

/** Reads and loads a model in the addon, as the engine does; `exact` by default. */
export function loadNative(source: string, adapter?: string, exact = true): Promise<NativeModel> {
  const options = { cwd: process.cwd(), env: process.env, contextLength: 0, adapter, exact };
  const model = readNamed(source, options);
  return loadAddon().load(model.spec, () => {});
}

/** All token events of a greedy run, the prompt read `prefillChunk` tokens at a time; an error event rejects. */
export function generate(
  model: NativeModel,
  prompt: readonly number[],
  maxTokens: number,
  prefillChunk = 0,
): Promise<TokenEvent[]> {
  return new Promise((resolve, reject) => {
    const tokens: TokenEvent[] = [];
    const job = model.start(request(prompt, { maxTokens, prefillChunk, logprobs: 20 }), () => {
      for (const event of model.take(job)) {
        if (event.type === 'token') tokens.push(event);
        if (event.type === 'error') reject(new Error(`${event.code}: ${event.message}`));
        if (event.type === 'end') resolve(tokens);
      }
    });
  });
}

/** The greatest difference between the log-probabilities of `tokens` and those of the reference. */
export function greatestDifference(tokens: readonly TokenEvent[], golden: GoldenCase): number {
  let greatest = 0;
  for (const [step, expected] of golden.steps.entries()) {
    const { topIds, topLogprobs } = tokens[step] ?? {};
    if (!topIds || !topLogprobs) throw new Error(`step ${step} has no log-probabilities`);
    const found = new Map(Array.from(topIds, (id, i) => [id, topLogprobs[i] as number]));
    // Of two equal candidates for the last place either may be listed.
    const last = topLogprobs.at(-1) as number;
    for (const [i, id] of expected.ids.entries()) {
      const difference = Math.abs((found.get(id) ?? last) - (expected.logprobs[i] as number));
      greatest = Math.max(greatest, difference);
    }
  }
  return greatest;
}
