import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { GoldenCase } from '../native-run.ts';

/** What scripts/goldens/tiny.py writes of one tiny llama, with or without an adapter. */
export interface TinyGolden {
  readonly model: string;
  readonly adapter?: string;
  readonly cases: readonly GoldenCase[];
}

/** Where the models and adapters are. */
export const tinyModels = fileURLToPath(new URL('../../fixtures/models/', import.meta.url));

export const tinyGoldens: readonly TinyGolden[] = JSON.parse(
  readFileSync(new URL('tiny.json', import.meta.url), 'utf8'),
);
