import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { draftSpec } from '../../src/engine/draft-spec.ts';
import { loadTokenizer } from '../../src/model/load-tokenizer.ts';
import type { Tokenizer } from '../../src/tokens/tokenizer-types.ts';

const TINY = fileURLToPath(new URL('../fixtures/models/tiny-f32', import.meta.url));
const tokenizer = loadTokenizer('demo');

test('a model with the same tokens is one to load, without adapters', async () => {
  const spec = await draftSpec('demo', { name: 'large', tokenizer }, {});
  expect(spec).toMatchObject({ adapters: [], gguf: true });
});

test('one with other tokens is refused by the first that differs', async () => {
  const other: Tokenizer = Object.create(tokenizer, {
    decode: { value: (ids: readonly number[]) => (ids[0] === 7 ? '<seven>' : tokenizer.decode(ids)) },
    bytesOf: { value: undefined },
    vocabSize: { value: tokenizer.vocabSize },
  });
  await expect(draftSpec('demo', { name: 'large', tokenizer: other }, {})).rejects.toMatchObject({
    code: 'MODEL_UNSUPPORTED',
    message: expect.stringMatching(
      /^--draft-model: demo has other tokens than large: token 7 is ".+" instead of "<seven>"$/,
    ),
    hint: 'Name a smaller model of the same family, with the same tokenizer.',
  });
});

test('one without a tokenizer, for one without a tokenizer, and one that is missing are refused', async () => {
  await expect(draftSpec('demo', { name: 'large', tokenizer: undefined }, {})).rejects.toThrow(
    '--draft-model: large has no tokenizer to compare with that of demo',
  );
  await expect(draftSpec(TINY, { name: 'large', tokenizer }, {})).rejects.toThrow('has no tokenizer.json');
  await expect(draftSpec('/no/such/model', { name: 'large', tokenizer }, {})).rejects.toMatchObject({
    code: 'MODEL_NOT_FOUND',
  });
});
