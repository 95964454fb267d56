import { expect, it } from 'vitest';
import { corpusOf, fuzz } from './harness/fuzz.ts';
import { Runner } from './harness/runner.ts';
import { TARGETS } from './targets/table.ts';

/** Few, and the same every time; `npm run fuzz` tries as many as it is told. */
const INPUTS = 320;

it.each(TARGETS.map(target => [target.name, target] as const))('%s: the corpus', async (_name, target) => {
  const runner = new Runner(target);
  let taken = 0;
  for (const input of corpusOf(target)) if (await runner.run(input)) taken += 1;
  await runner.close();
  expect(taken, 'well-formed seeds are taken').toBeGreaterThan(0);
});

it.each(TARGETS.map(target => [target.name, target] as const))('%s: mutated', async (_name, target) => {
  const { inputs, blocks } = await fuzz(target, INPUTS, 1);
  expect(inputs).toBe(INPUTS);
  expect(blocks).toBeGreaterThan(0);
});
