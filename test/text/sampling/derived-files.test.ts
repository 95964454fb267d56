import { readFileSync } from 'node:fs';
import { applyEdits, modify } from 'jsonc-parser';
import { expect, test } from 'vitest';
import { samplingRanges, samplingSchema } from './derived-files.ts';

const HEADER = new URL('../../../native/sample/sampling_ranges.h', import.meta.url);
const SCHEMA = new URL('../../../config.schema.json', import.meta.url);

// `npx vitest run test/text/sampling -u` rewrites the files.
test('config.schema.json has the sampling fields of the table', async () => {
  const text = readFileSync(SCHEMA, 'utf8');
  const edits = modify(text, ['properties', 'sampling'], samplingSchema(), {
    formattingOptions: { insertSpaces: true, tabSize: 2 },
  });
  await expect(applyEdits(text, edits)).toMatchFileSnapshot(SCHEMA.pathname);
});

test('native/sample/sampling_ranges.h has the ranges of the table', async () => {
  await expect(samplingRanges()).toMatchFileSnapshot(HEADER.pathname);
});
