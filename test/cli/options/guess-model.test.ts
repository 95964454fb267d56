import { expect, test } from 'vitest';
import { guessModel } from '../../../src/cli/options/guess-model.ts';
import { LlmHostError } from '../../../src/errors.ts';
import { tempFolder } from '../../model/temp-folder.ts';

const KINDS =
  'A model is a Hub id (org/name), an alias (granite4:1b), a folder, a .gguf file, or demo. `llm-host list` shows the downloaded ones.';

test.each([
  ['dmeo', "Did you mean 'demo'?\n"],
  ['tols', "Did you mean 'tools'?\n"],
  ['gemma3', "Did you mean 'gemma3:4b'? There are also gemma3:12b, gemma3:27b.\n"],
  ['mixtral', ''],
])('%s: what it may have been', (word, guess) => {
  const missing = new LlmHostError('MODEL_NOT_FOUND', 'not found', { hint: 'No such folder.' });
  const env = { HF_HUB_CACHE: tempFolder() };
  expect(guessModel(missing, word, ['tools', 'list'], env)).toMatchObject({
    code: 'MODEL_NOT_FOUND',
    message: 'not found',
    hint: `No such folder.\n${guess}${KINDS}`,
  });
});

test.each(['org/name', './folder', 'demo'])('%s is no word to guess at', source => {
  const missing = new LlmHostError('MODEL_NOT_FOUND', 'not found');
  expect(guessModel(missing, source, ['tools'], {})).toBe(missing);
});
