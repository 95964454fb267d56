import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { LocalJobEngine } from '../../../src/engine/engine-job.ts';
import { loadEngine } from '../../../src/engine/load-engine.ts';
import { withModel } from '../decoders/family-cases.ts';
import { expectGolden, generateAll } from '../engine-run.ts';
import { everyVariant } from '../layer-kinds.ts';
import type { GoldenCase } from '../native-run.ts';

const temporary = mkdtempSync(join(tmpdir(), 'llm-host-family-cache-'));
afterAll(() => rmSync(temporary, { recursive: true, force: true }));
const path = join(temporary, 'saved.safetensors');

/** Saves the row in the middle of the reply; another engine goes on from the file. */
async function expectRestored(
  engine: LocalJobEngine,
  source: string,
  golden: GoldenCase,
  angles: Angles,
): Promise<void> {
  const half = golden.ids.length >> 1;
  const rest = { promptIds: [...golden.prompt, ...golden.ids.slice(0, half)], maxTokens: half };
  await generateAll(engine, { promptIds: golden.prompt, maxTokens: half });
  const saved = await engine.saveCache(path);
  // The last token was never read.
  expect(saved.tokens).toBe(rest.promptIds.length - 1);
  await using other = await loadEngine(source, { exact: true });
  expect(await other.loadCache(path)).toEqual(saved);
  const restored = await generateAll(other, rest);
  if (angles === 'of each length') {
    // Each key of the straight run has the angles of its own step; read again, all have those of the whole prompt.
    await using fresh = await loadEngine(source, { exact: true });
    expect(restored.ids).toEqual((await generateAll(fresh, rest)).ids);
  } else {
    expect(restored.cachedTokens).toBe(saved.tokens);
    expectGolden(restored, golden, half);
  }
  // A file holds no checkpoints: where layers cannot be trimmed the shorter prompt is read anew.
  expectGolden(await generateAll(other, { promptIds: golden.prompt, maxTokens: golden.ids.length }), golden);
}

/** Goes back into a longer row: by trimming, or to the checkpoint that the request named. */
async function expectTrimmed(engine: LocalJobEngine, golden: GoldenCase, angles: Angles): Promise<void> {
  const kept = golden.prompt.length - 2;
  const longer = [...golden.prompt, ...golden.ids, 1, 2, 3];
  await generateAll(engine, { promptIds: [7], maxTokens: 1 });
  await generateAll(engine, { promptIds: longer, maxTokens: 3, checkpoints: [kept] });
  const back = await generateAll(engine, { promptIds: golden.prompt, maxTokens: golden.ids.length });
  if (angles === 'fixed') expect(back.cachedTokens).toBeGreaterThanOrEqual(kept);
  expect(back.cachedTokens).toBeLessThan(golden.prompt.length);
  expectGolden(back, golden);
}

/** Where position angles depend on the length of the row, keys of another length are useless. */
type Angles = 'fixed' | 'of long rows' | 'of each length';

function anglesOf(source: string): Angles {
  if (source.endsWith('.gguf')) return 'fixed';
  const config = readFileSync(join(source, 'config.json'), 'utf8');
  if (config.includes('"dynamic"')) return 'of each length';
  return config.includes('"longrope"') ? 'of long rows' : 'fixed';
}

describe('a conversation goes on from a saved cache, and from a part of a longer one', () => {
  test.each(everyVariant())('%s', async (_, family, variant) => {
    await withModel(family, variant, async source => {
      await using engine = await loadEngine(source, { exact: true });
      for (const golden of variant.cases) {
        await expectRestored(engine, source, golden, anglesOf(source));
        await expectTrimmed(engine, golden, anglesOf(source));
      }
    });
  });
});
