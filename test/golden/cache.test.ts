import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { type GenerateRequest, type LocalEngine, loadEngine } from '../../src/index.ts';
import type { GoldenCase } from './native-run.ts';

interface Golden {
  readonly model: string;
  readonly adapter?: string;
  readonly cases: readonly GoldenCase[];
}

const models = fileURLToPath(new URL('../fixtures/models/', import.meta.url));
const goldens: Golden[] = JSON.parse(readFileSync(new URL('tiny.json', import.meta.url), 'utf8'));
const folder = mkdtempSync(join(tmpdir(), 'llm-host-cache-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const open = ({ model, adapter }: Golden): Promise<LocalEngine> =>
  loadEngine(models + model, { ...(adapter && { adapter: models + adapter }) });

async function generate(engine: LocalEngine, request: GenerateRequest) {
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

type Run = Awaited<ReturnType<typeof generate>>;

/** The tokens and log-probabilities of the reference from step `from` on. */
function expectGolden(run: Run, golden: GoldenCase, from = 0): void {
  expect(run.ids).toEqual(golden.ids.slice(from));
  golden.steps.slice(from).forEach((step, i) => {
    expect(Math.abs((run.logprobs[i] as number) - (step.logprobs[0] as number))).toBeLessThan(1e-3);
  });
}

describe('a reused cache gives what the straight run gives', () => {
  test.each(goldens)('$model, adapter $adapter', async golden => {
    const [one, other] = golden.cases.filter(({ prompt }) => prompt.length > 4);
    if (!one) throw new Error('a model without a case to cut');
    const half = one.ids.length >> 1;
    const grown = [...one.prompt, ...one.ids.slice(0, half)];
    const path = join(folder, 'saved.safetensors');
    await using first = await open(golden);
    await generate(first, { promptIds: one.prompt, maxTokens: half });
    const saved = await first.saveCache(path);
    // The last token was never read.
    expect(saved.tokens).toBe(grown.length - 1);

    await using second = await open(golden);
    expect(await second.loadCache(path)).toEqual(saved);
    const restored = await generate(second, { promptIds: grown, maxTokens: one.ids.length - half });
    expect(restored.cachedTokens).toBe(saved.tokens);
    expectGolden(restored, one, half);

    // Trimmed, or gone back to the checkpoint, after more was generated and after another prompt.
    const kept = one.prompt.length - 2;
    const prompt = { promptIds: one.prompt, maxTokens: one.ids.length, checkpoints: [kept] };
    await generate(first, { promptIds: [...one.prompt, 1, 2, 3], maxTokens: 3, checkpoints: [kept] });
    const back = await generate(first, prompt);
    expect(back.cachedTokens).toBeGreaterThanOrEqual(kept);
    expect(back.cachedTokens).toBeLessThan(one.prompt.length);
    expectGolden(back, one);
    if (other) {
      expectGolden(await generate(first, { promptIds: other.prompt, maxTokens: other.ids.length }), other);
      expectGolden(await generate(first, prompt), one);
    }
  });
});
