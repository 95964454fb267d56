import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'vitest';
import { loadEngine } from '../../../src/engine/load-engine.ts';
import { tempFolder } from '../../model/temp-folder.ts';
import { familyNames, variantsOf, withModel } from '../decoders/family-cases.ts';
import { expectGolden, generateAll } from '../engine-run.ts';
import type { GoldenCase } from '../native-run.ts';
import { widen } from './float32-checkpoint.ts';

/** A copy of a model with all its numbers in float32 says what the reference says, as it is loaded by default. */
async function expectReference(source: string, cases: readonly GoldenCase[]): Promise<void> {
  const folder = tempFolder();
  cpSync(source, folder, { recursive: true });
  widen(join(folder, 'model.safetensors'));
  await using engine = await loadEngine(folder);
  for (const golden of cases) {
    const request = { promptIds: golden.prompt, maxTokens: golden.ids.length };
    expectGolden(await generateAll(engine, request), golden);
  }
}

describe('a checkpoint in float32 equals the reference without being asked to', () => {
  test.each(familyNames())('%s', async family => {
    const [variant] = variantsOf(family);
    if (!variant) throw new Error(`${family} has no variant`);
    await withModel(family, variant, source => expectReference(source, variant.cases));
  });
});
