import { expect, it } from 'vitest';
import { loadShared } from '../../../src/distributed/leader/load-shared.ts';
import { localSource } from '../../../src/model/model-source.ts';

const SOURCE = localSource('org/name', { cwd: '/' });

it.each([
  [{ draftModel: 'org/small' }, '--draft-model'],
  [{ saveQuantized: 'folder' }, '--save-quantized'],
  [{ maxGapMs: 50 }, '--max-gap'],
])('%j is for a model of one machine, and is refused before its hosts are read', async (options, flag) => {
  const shared = loadShared(SOURCE, { hosts: 'nowhere.json', version: '1.0.0' }, options);
  await expect(shared).rejects.toMatchObject({
    code: 'USAGE',
    message: `${flag} does not go with --hosts`,
  });
});
