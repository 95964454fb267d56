import { expect, test } from 'vitest';
import { GenerationQueue } from '../../../src/serve/http/generation-queue.ts';
import { ServeMetrics } from '../../../src/serve/http/metrics.ts';
import type { Totals } from '../../../src/serve/http/wire-format.ts';

const TOTALS: Totals = {
  promptTokens: 5,
  cachedTokens: 0,
  generatedTokens: 9,
  firstTokenMs: 1,
  prefillMs: 1,
  decodeMs: 1,
  finish: 'stop',
  totalMs: 3,
};

test('what decoding took is summed up; an engine that does not say counts as nothing', () => {
  const metrics = new ServeMetrics();
  metrics.turn(TOTALS);
  metrics.turn({ ...TOTALS, decoding: { passes: 4, sequences: 9, proposed: 7, accepted: 5 } });
  metrics.turn({ ...TOTALS, decoding: { passes: 2, sequences: 2, proposed: 1, accepted: 0 } });
  const text = metrics.text(new GenerationQueue(1, 1));
  expect(text).toContain('llm_host_decoding_passes_total 6\n');
  expect(text).toContain('llm_host_decoding_sequences_total 11\n');
  expect(text).toContain('llm_host_proposed_tokens_total 8\n');
  expect(text).toContain('llm_host_accepted_tokens_total 5\n');
});
