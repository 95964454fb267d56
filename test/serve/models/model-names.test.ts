import { describe, expect, it } from 'vitest';
import { pool } from './fake-pool.ts';

const GRANITE = 'mlx-community/granite-4.0-1b-4bit';
const place = (repo: string, revision = 'main') => ({ repo, revision });

/** An alias as the first, and beside it the same model and another one at two revisions. */
function named() {
  return pool({ firstHub: place(GRANITE) }, Number.POSITIVE_INFINITY, [
    { id: GRANITE, hub: place(GRANITE) },
    { id: 'mlx-community/Qwen3-0.6B-4bit', hub: place('mlx-community/Qwen3-0.6B-4bit') },
    { id: 'qwen3:0.6b@v1', hub: place('mlx-community/Qwen3-0.6B-4bit', 'v1') },
    { id: `${GRANITE}@v1`, hub: place(GRANITE, 'v1') },
  ]).pool;
}

describe('a model with several names', () => {
  it('is listed once', () => {
    const ids = named()
      .list()
      .map(({ id }) => id);
    expect(ids.filter(id => /granite|qwen/i.test(id))).toEqual([
      ...['mlx-community/Qwen3-0.6B-4bit', 'qwen3:0.6b@v1', `${GRANITE}@v1`],
    ]);
  });

  it.each([
    [GRANITE, 'org/first'],
    ['granite4:1b', 'org/first'],
    ['Granite4:1B:latest', 'org/first'],
    ['granite4:1b@main', 'org/first'],
    ['granite-4.0-1b-4bit', 'org/first'],
    ['granite4:1b@v1', `${GRANITE}@v1`],
    ['granite4:1b@v2', undefined],
    ['qwen3:0.6b', 'mlx-community/Qwen3-0.6B-4bit'],
    ['mlx-community/Qwen3-0.6B-4bit@v1', 'qwen3:0.6b@v1'],
    ['qwen3:4b', undefined],
  ])('%s means %s', (name, id) => {
    expect(named().idOf(name)).toBe(id);
  });

  it('is not deleted while it is used by another of them, nor used while it is deleted', async () => {
    const models = named();
    const remove = () => Promise.resolve();
    await expect(models.removing(`${GRANITE}@v1`, remove)).rejects.toMatchObject({ code: 'model_loaded' });
    const lease = await models.use('qwen3:0.6b@v1');
    const removing = () => models.removing('mlx-community/Qwen3-0.6B-4bit', remove);
    await expect(removing()).rejects.toMatchObject({ code: 'model_loaded' });
    lease.release(0);
    await models.removing('mlx-community/Qwen3-0.6B-4bit', async () => {
      await expect(models.use('qwen3:0.6b@v1')).rejects.toMatchObject({ code: 'model_being_deleted' });
    });
  });
});
