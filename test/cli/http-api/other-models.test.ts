import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { otherModels } from '../../../src/cli/http-api/start-http-api.ts';
import { tempFolder } from '../../model/temp-folder.ts';
import { cacheModel } from './cached-model.ts';

const GRANITE = 'mlx-community/granite-4.0-1b-4bit';

function place() {
  const cwd = tempFolder();
  const cache = join(cwd, 'cache');
  const idsOf = (...names: string[]) =>
    otherModels(names, { cwd, env: { HF_HUB_CACHE: cache } })
      .list()
      .map(({ id }) => id);
  return { cwd, cache, idsOf };
}

describe('the models beside the first', () => {
  it('are each listed once, by the first name that is given', () => {
    const { cache, idsOf } = place();
    cacheModel(cache, GRANITE);
    cacheModel(cache, 'org/other');
    expect(idsOf('*')).toEqual([GRANITE, 'org/other']);
    expect(idsOf('granite4:1b', `${GRANITE}@main`, '*', 'org/other@v1')).toEqual([
      ...['granite4:1b', 'org/other@v1', 'org/other'],
    ]);
  });

  it('are, of those in the cache, the ones that need no download', () => {
    const { cache, idsOf } = place();
    cacheModel(cache, 'org/pinned', 'v1');
    expect(idsOf('*')).toEqual([]);
    expect(idsOf('org/pinned@v1', '*')).toEqual(['org/pinned@v1']);
    const folder = cacheModel(cache, 'org/part');
    rmSync(join(folder, 'snapshots'), { recursive: true });
    expect(idsOf('*')).toEqual([]);
    cacheModel(cache, 'org/pinned', 'main');
    expect(idsOf('*')).toEqual(['org/pinned']);
  });

  it('a folder with the name of an alias is not the model of the alias', () => {
    const { cwd, cache, idsOf } = place();
    cacheModel(cache, GRANITE);
    mkdirSync(join(cwd, 'granite4:1b'));
    expect(idsOf('granite4:1b', '*')).toEqual(['granite4:1b', GRANITE]);
  });
});
