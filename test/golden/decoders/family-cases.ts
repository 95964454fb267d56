import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import type { NativeModel } from '../../../src/native/addon-types.ts';
import { type GoldenCase, generate, greatestDifference, loadNative } from '../native-run.ts';
import { type PackedCase, unpackCase } from './packed-steps.ts';

/** What scripts/goldens/make_families.py writes of one tiny model. */
export interface Variant {
  readonly name: string;
  /** The folder whose weights it uses with another configuration, where it has none of its own. */
  readonly weights?: string;
  readonly config?: object;
  /** The model is this file. */
  readonly file?: string;
  readonly cases: readonly GoldenCase[];
}

const goldens = new URL('../families/', import.meta.url);
const models = fileURLToPath(new URL('../../fixtures/families/', import.meta.url));

export const familyNames = (): string[] => readdirSync(goldens).map(file => file.replace('.json', ''));

/** The tiny models of a family, with what the reference says of them. */
export function variantsOf(family: string): readonly Variant[] {
  const stored: (Variant & { readonly cases: readonly PackedCase[] })[] = JSON.parse(
    readFileSync(new URL(`${family}.json`, goldens), 'utf8'),
  );
  return stored.map(variant => ({ ...variant, cases: variant.cases.map(unpackCase) }));
}

/** Hands `body` the model: a folder or a file. */
export async function withModel(
  family: string,
  variant: Variant,
  body: (model: string) => Promise<void>,
): Promise<void> {
  if (variant.file !== undefined) return body(join(models, family, variant.file));
  if (variant.weights === undefined) return body(join(models, family, variant.name));
  const folder = mkdtempSync(join(tmpdir(), 'llm-host-family-'));
  try {
    cpSync(join(models, family, variant.weights), folder, { recursive: true });
    writeFileSync(join(folder, 'config.json'), JSON.stringify(variant.config));
    await body(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The prompt in one piece, in threes, token by token: the ids of the reference each time, and its log-probabilities. */
export async function expectGoldens(source: string, variant: Variant): Promise<void> {
  const model = await loadNative(source);
  try {
    for (const chunk of [0, 3, 1]) {
      for (const golden of variant.cases) {
        await forget(model, golden.prompt);
        const tokens = await generate(model, golden.prompt, golden.ids.length, chunk);
        expect(tokens.map(t => t.id)).toEqual(golden.ids);
        expect(greatestDifference(tokens, golden)).toBeLessThan(1e-3);
      }
    }
  } finally {
    await model.close();
  }
}

/** Leaves nothing in the cache with which `prompt` begins. */
async function forget(model: NativeModel, [first]: readonly number[]): Promise<void> {
  await generate(model, [first === 1 ? 2 : 1], 1);
}
