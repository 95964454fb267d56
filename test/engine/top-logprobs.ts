import { loadEngine } from '../../src/engine/load-engine.ts';
import type { ModelOptions } from '../../src/engine/model-options.ts';

/** The 20 best ids and log-probabilities of four greedy steps, in turn. */
export async function topLogprobs(source: string, options: ModelOptions = {}): Promise<number[]> {
  await using engine = await loadEngine(source, options);
  const result: number[] = [];
  const request = { promptIds: [1, 2, 3, 4], maxTokens: 4, logprobs: 20, ignoreEos: true };
  for await (const token of engine.generate(request)) {
    for (const top of token.topLogprobs ?? []) result.push(top.id, top.logprob);
  }
  return result;
}
