import { expect } from 'vitest';
import type { EngineJob, JobResult, LocalJobEngine } from '../../src/engine/engine-job.ts';
import type { GoldenCase } from './native-run.ts';

export interface EngineRun extends JobResult {
  readonly ids: readonly number[];
  readonly logprobs: readonly number[];
}

/** A whole greedy reply, with the log-probability of each token. */
export async function generateAll(engine: LocalJobEngine, request: EngineJob): Promise<EngineRun> {
  const ids: number[] = [];
  const logprobs: number[] = [];
  const stream = engine.generate({ ignoreEos: true, logprobs: 1, ...request });
  while (true) {
    const step = await stream.next();
    if (step.done) return { ids, logprobs, ...step.value };
    ids.push(step.value.id);
    logprobs.push(step.value.logprob as number);
  }
}

/** The ids of the reference from step `from` on, and their log-probabilities. */
export function expectGolden(run: EngineRun, golden: GoldenCase, from = 0): void {
  expect(run.ids).toEqual(golden.ids.slice(from));
  for (const [step, { logprobs }] of golden.steps.slice(from).entries()) {
    expect(Math.abs((run.logprobs[step] as number) - (logprobs[0] as number))).toBeLessThan(1e-3);
  }
}
