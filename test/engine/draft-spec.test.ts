import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { type DraftedFor, draftSpec } from '../../src/engine/load-engine.ts';
import { availableMemory } from '../../src/model/fit.ts';
import { loadTokenizer } from '../../src/model/load-tokenizer.ts';
import type { Tokenizer } from '../../src/tokens/tokenizer-types.ts';
import { tempFolder } from '../model/temp-folder.ts';

const TINY = fileURLToPath(new URL('../fixtures/models/tiny-f32', import.meta.url));
const tokenizer = loadTokenizer('demo');
const large = { name: 'large', need: undefined, spec: { config: {}, contextLength: 0 } };

test('a model with the same tokens is one to load, without adapters', async () => {
  const { spec } = await draftSpec('demo', { ...large, tokenizer }, {});
  expect(spec).toMatchObject({ adapters: [], gguf: true });
});

test('one with other tokens is refused by the first that differs', async () => {
  const other: Tokenizer = Object.create(tokenizer, {
    decode: { value: (ids: readonly number[]) => (ids[0] === 7 ? '<seven>' : tokenizer.decode(ids)) },
    bytesOf: { value: undefined },
    vocabSize: { value: tokenizer.vocabSize },
  });
  await expect(draftSpec('demo', { ...large, tokenizer: other }, {})).rejects.toMatchObject({
    code: 'MODEL_UNSUPPORTED',
    message: expect.stringMatching(
      /^--draft-model: demo has other tokens than large: token 7 is ".+" instead of "<seven>"$/,
    ),
    hint: 'Name a smaller model of the same family, with the same tokenizer.',
  });
});

test('one without a tokenizer, for one without a tokenizer, and one that is missing are refused', async () => {
  await expect(draftSpec('demo', { ...large, tokenizer: undefined }, {})).rejects.toThrow(
    '--draft-model: large has no tokenizer to compare with that of demo',
  );
  await expect(draftSpec(TINY, { ...large, tokenizer }, {})).rejects.toThrow('has no tokenizer.json');
  await expect(draftSpec('/no/such/model', { ...large, tokenizer }, {})).rejects.toMatchObject({
    code: 'MODEL_NOT_FOUND',
  });
});

test('its context ends with that of the model', async () => {
  const contextFor = async (spec: DraftedFor['spec']) =>
    (await draftSpec('demo', { ...large, spec, tokenizer }, {})).spec.contextLength;
  expect(await contextFor({ config: {}, contextLength: 1024 })).toBe(1024);
  expect(await contextFor({ config: { max_position_embeddings: 2048 }, contextLength: 0 })).toBe(2048);
  // 0: its own, which is smaller.
  expect(await contextFor({ config: { max_position_embeddings: 1e9 }, contextLength: 0 })).toBe(0);
});

test('memory is counted for that context, and for both models together', async () => {
  const long = tempFolder();
  cpSync(TINY, long, { recursive: true });
  const config = JSON.parse(readFileSync(join(long, 'config.json'), 'utf8'));
  writeFileSync(join(long, 'config.json'), JSON.stringify({ ...config, max_position_embeddings: 1e12 }));
  const short = { ...large, spec: { config: {}, contextLength: 64 }, tokenizer };
  await expect(draftSpec(long, short, {})).rejects.toThrow('has no tokenizer.json');

  const need = {
    weightBytes: availableMemory() / 4,
    kvBytesPerToken: 100,
    stateBytes: 0,
    workingBytes: 1e8,
    contextLength: 1024,
  };
  const both = await draftSpec('demo', { ...short, need }, {});
  expect(both.bytesLeft).toBeLessThan(availableMemory() / 2);
  const full = { ...need, weightBytes: 2 * availableMemory() };
  await expect(draftSpec('demo', { ...short, need: full }, {})).rejects.toMatchObject({
    code: 'OUT_OF_MEMORY',
    message: expect.stringMatching(/^Not enough memory: the model and its draft model need /),
  });
  await expect(draftSpec('demo', { ...short, need }, { cacheBytes: 2 ** 50 })).rejects.toMatchObject({
    hint: expect.stringMatching(/^--cache-mb \d+ would fit\.$/),
  });
});
