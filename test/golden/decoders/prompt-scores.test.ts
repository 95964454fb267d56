import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { loadEngine } from '../../../src/engine/load-engine.ts';
import { generateAll } from '../engine-run.ts';

const read = (path: string) => readFileSync(fileURLToPath(new URL(path, import.meta.url)), 'utf8');
const golden = JSON.parse(read('prompt-scores.json')) as {
  model: string;
  prompt: number[];
  scores: number[];
};
const MODEL = join(fileURLToPath(new URL('../../fixtures/models/', import.meta.url)), golden.model);

describe('log-probabilities of the prompt', () => {
  test.each([undefined, 1, 7, 64, 200])(
    'are the reference model’s, read %s tokens at a time',
    async chunk => {
      await using engine = await loadEngine(MODEL, { exact: true });
      const request = { promptIds: golden.prompt, promptLogprobs: true, maxTokens: 1 };
      const run = await generateAll(engine, {
        ...request,
        ...(chunk !== undefined && { prefillChunk: chunk }),
      });
      const scores = [...(run.promptLogprobs ?? [])];
      expect(scores).toHaveLength(golden.prompt.length - 1);
      const gaps = scores.map((score, index) => Math.abs(score - (golden.scores[index] as number)));
      expect(Math.max(...gaps)).toBeLessThan(1e-3);
    },
  );

  test('come from the whole prompt, whatever the cache holds, and leave a cache to go on from', async () => {
    await using engine = await loadEngine(MODEL, { exact: true });
    const promptIds = golden.prompt.slice(0, 40);
    const first = await generateAll(engine, { promptIds, maxTokens: 4 });
    expect(first.promptLogprobs).toBeUndefined();
    const scored = await generateAll(engine, { promptIds, promptLogprobs: true, maxTokens: 4 });
    expect(scored).toMatchObject({ ids: first.ids, cachedTokens: 0 });
    expect(scored.promptLogprobs).toHaveLength(39);
    const next = await generateAll(engine, { promptIds: [...promptIds, 1], maxTokens: 1 });
    expect(next.cachedTokens).toBe(40);
  });

  test('a prompt of one token has none', async () => {
    await using engine = await loadEngine(MODEL, { exact: true });
    const run = await generateAll(engine, { promptIds: [5], promptLogprobs: true, maxTokens: 1 });
    expect(run.promptLogprobs).toBeUndefined();
    expect(run.ids).toHaveLength(1);
  });
});

test('the graph of a step is counted and timed, step by step', async () => {
  await using engine = await loadEngine(MODEL, { exact: true });
  const run = await generateAll(engine, { promptIds: [1, 2, 3], measureGraph: true, maxTokens: 6 });
  const { primitives, buildMicroseconds, submitMicroseconds } = run.graph as NonNullable<typeof run.graph>;
  // Two layers, a norm and a head: tens of operations, not the whole past.
  expect(primitives).toBeGreaterThan(10);
  expect(primitives).toBeLessThan(400);
  // The first token's step belongs to the prompt.
  expect(buildMicroseconds).toHaveLength(5);
  expect(submitMicroseconds).toHaveLength(5);
  expect(Math.min(...buildMicroseconds, ...submitMicroseconds)).toBeGreaterThan(0);
  const unmeasured = await generateAll(engine, { promptIds: [1, 2, 3], maxTokens: 6 });
  expect(unmeasured.graph).toBeUndefined();
  expect(unmeasured.ids).toEqual(run.ids);
});
