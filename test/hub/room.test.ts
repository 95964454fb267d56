import type * as fs from 'node:fs';
import { expect, test, vi } from 'vitest';
import { pseudoRandomBytes, repository } from '../fixtures/hub/hub-stand-in.mjs';
import { hubPlace, MODEL_FILES } from './hub-place.ts';

const MB = 1_000_000;
/** Of the disk, beside what is left to others. */
const FREE = 3 * MB;

vi.mock('node:fs', async original => ({
  ...(await original<typeof fs>()),
  statfsSync: () => ({ bavail: 16 * 1024 * 1024 + FREE, bsize: 1, blocks: 1e9 }),
}));

const SAME = pseudoRandomBytes(2 * MB);

test('two files with the same content need room for one', async () => {
  const files = { ...MODEL_FILES, 'tokenizer.json': SAME, 'vocab.json': SAME };
  const { pull } = await hubPlace({ 'org/model': repository(files) });
  expect((await pull()).totalBytes).toBeLessThan(FREE);
});

test('two different ones need room for both', async () => {
  const files = { ...MODEL_FILES, 'tokenizer.json': SAME, 'vocab.json': pseudoRandomBytes(2 * MB, 2) };
  const { failure } = await hubPlace({ 'org/model': repository(files) });
  expect((await failure()).hint).toMatch(/models--org--model needs 5 MB more, and 20 MB are free/);
});
