import { expect, it } from 'vitest';
import { loadShared } from '../../../src/distributed/leader/load-shared.ts';

it.each([
  [{ draftModel: 'org/small' }, '--draft-model'],
  [{ saveQuantized: 'folder' }, '--save-quantized'],
  [{ maxGapMs: 50 }, '--max-gap'],
])('%j is for a model of one machine, and is refused before its hosts are read', async (options, flag) => {
  const shared = loadShared('org/name', { hosts: 'nowhere.json', version: '1.0.0' }, options);
  await expect(shared).rejects.toMatchObject({
    code: 'USAGE',
    message: `${flag} does not go with --hosts`,
  });
});
