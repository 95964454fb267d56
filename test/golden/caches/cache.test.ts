import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { LocalJobEngine } from '../../../src/engine/engine-job.ts';
import { loadEngine } from '../../../src/engine/load-engine.ts';
import { type TinyGolden, tinyGoldens, tinyModels } from '../decoders/tiny-cases.ts';
import { expectGolden, generateAll } from '../engine-run.ts';

const folder = mkdtempSync(join(tmpdir(), 'llm-host-cache-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const open = ({ model, adapter }: TinyGolden): Promise<LocalJobEngine> =>
  loadEngine(tinyModels + model, { exact: true, ...(adapter && { adapter: tinyModels + adapter }) });

describe('a reused cache gives what the straight run gives', () => {
  test.each(tinyGoldens)('$model, adapter $adapter', async golden => {
    const [one, other] = golden.cases.filter(({ prompt }) => prompt.length > 4);
    if (!one) throw new Error('a model without a case to cut');
    const half = one.ids.length >> 1;
    const grown = [...one.prompt, ...one.ids.slice(0, half)];
    const path = join(folder, 'saved.safetensors');
    await using first = await open(golden);
    await generateAll(first, { promptIds: one.prompt, maxTokens: half });
    const saved = await first.saveCache(path);
    // The last token was never read.
    expect(saved.tokens).toBe(grown.length - 1);

    await using second = await open(golden);
    expect(await second.loadCache(path)).toEqual(saved);
    const restored = await generateAll(second, { promptIds: grown, maxTokens: one.ids.length - half });
    expect(restored.cachedTokens).toBe(saved.tokens);
    expectGolden(restored, one, half);

    // Trimmed, or gone back to the checkpoint, after more was generated and after another prompt.
    const kept = one.prompt.length - 2;
    const prompt = { promptIds: one.prompt, maxTokens: one.ids.length, checkpoints: [kept] };
    await generateAll(first, { promptIds: [...one.prompt, 1, 2, 3], maxTokens: 3, checkpoints: [kept] });
    const back = await generateAll(first, prompt);
    expect(back.cachedTokens).toBeGreaterThanOrEqual(kept);
    expect(back.cachedTokens).toBeLessThan(one.prompt.length);
    expectGolden(back, one);
    if (other) {
      expectGolden(await generateAll(first, { promptIds: other.prompt, maxTokens: other.ids.length }), other);
      expectGolden(await generateAll(first, prompt), one);
    }
  });
});
