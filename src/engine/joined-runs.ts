import { sumOfDecoding } from './decoding-stats.ts';
import type { JobResult } from './engine-job.ts';

/**
 * The result of a generation that took several runs, the later ones with what the earlier ones had generated: the first one
 * read the prompt; what later ones read again counts as decoding. `generated`: tokens of all.
 */
export function joinedRuns(total: JobResult | undefined, run: JobResult, generated: number): JobResult {
  if (!total) return { ...run, generatedTokens: generated };
  const { timings } = total;
  const decodeMs = timings.decodeMs + run.timings.prefillMs + run.timings.decodeMs;
  return {
    ...total,
    finishReason: run.finishReason,
    generatedTokens: generated,
    timings: { ...timings, decodeMs },
    ...(total.decoding && run.decoding && { decoding: sumOfDecoding([total.decoding, run.decoding]) }),
  };
}
