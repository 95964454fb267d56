import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { demoWeightsPath } from '../../../src/model/demo-model.ts';
import type { NativeModel } from '../../../src/native/addon-types.ts';
import { generate, loadNative } from '../native-run.ts';
import { writeBf16Folder } from './bf16-checkpoint.ts';

/** A greedy text by mlx-lm in bfloat16: what scripts/goldens/greedy_text.py writes. */
export interface GreedyText {
  readonly text: string;
  readonly prompt: readonly number[];
  readonly ids: readonly number[];
  /** How much likelier (in log-probability) each id was than the second best. */
  readonly gaps: readonly number[];
}

export const greedyTexts: readonly GreedyText[] = JSON.parse(
  readFileSync(new URL('smollm2-bf16.json', import.meta.url), 'utf8'),
);

/** One unit in the last place of a logit from 16 to 32 in bfloat16: closer ones are a tie that rounding decides. */
const TIE = 0.125;

/** The demo's base weights in bfloat16. The device policy must be a GPU's. */
export async function loadBf16Demo(): Promise<NativeModel> {
  const folder = mkdtempSync(join(tmpdir(), 'llm-host-bf16-'));
  try {
    writeBf16Folder(demoWeightsPath(process.env), folder);
    return await loadNative(folder, undefined, false);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * The whole text, and where a tie was decided otherwise, the rest of it after mlx-lm's token. Resolves with the number of
 * such ties.
 */
export async function expectText(model: NativeModel, golden: GreedyText, tokens = 64): Promise<number> {
  const ids = golden.ids.slice(0, tokens);
  let ties = 0;
  for (let from = 0; from < ids.length; ) {
    const found = await generate(model, [...golden.prompt, ...ids.slice(0, from)], ids.length - from);
    const same = found.findIndex(({ id }, i) => id !== ids[from + i]);
    if (same < 0) break;
    from += same;
    expect(golden.gaps[from], `another token at ${from}, and no tie`).toBeLessThanOrEqual(TIE);
    from += 1;
    ties += 1;
  }
  return ties;
}
