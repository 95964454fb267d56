import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { newFolder, once } from '../../engine/cache/kept-prefixes.ts';
import { readNamed } from '../../model/read-named.ts';
import { promptOf } from '../../native/tiny/run-job.ts';
import { REMEMBERING } from './edited-dialogues.ts';

const models = fileURLToPath(new URL('../../fixtures/families/', import.meta.url));
const SHARED = 270;

test.each(REMEMBERING)('%s goes on from a prefix on disk', async family => {
  const { spec } = readNamed(`${models}${family}`, {
    cwd: process.cwd(),
    env: process.env,
    contextLength: 0,
    exact: true,
  });
  const jobOf = (seed: number) => ({
    promptIds: [...promptOf(SHARED), ...promptOf(20, seed)],
    sharedTokens: SHARED,
    checkpoints: [SHARED],
    reproducible: true,
    maxTokens: 12,
  });
  const folder = newFolder();
  await once(spec, folder, jobOf(2));
  const kept = await once(spec, folder, jobOf(3));
  expect(kept.cachedTokens).toBe(SHARED);
  expect(kept.ids).toEqual((await once(spec, newFolder(), jobOf(3))).ids);
});
