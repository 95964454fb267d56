import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { LlmHostError } from '../../../src/errors.ts';
import { QueueFull } from '../../../src/serve/http/generation-queue.ts';
import { until } from '../scripted.ts';
import { idsOf, pool } from './fake-pool.ts';

describe('models by name', () => {
  it('the first is always there, and is listed once', async () => {
    const { pool: models, seen } = pool();
    const lease = await models.use('org/first');
    lease.release();
    expect([lease.loaded, seen]).toEqual([models.first, []]);
    expect(models.list().map(({ id }) => id)).toEqual(['org/a', 'org/b', 'org/c', 'd:7b']);
  });

  it.each([
    ['org/a', 'org/a'],
    ['a', 'org/a'],
    ['a:latest', 'org/a'],
    ['d:7b', 'd:7b'],
    ['first', 'org/first'],
    ['org', undefined],
    ['../a', undefined],
    ['', undefined],
    ['__proto__', undefined],
  ])('%s means %s', (name, id) => {
    expect(pool().pool.idOf(name)).toBe(id);
  });

  it('many requests at once load a model once', async () => {
    const { pool: models, seen, slow } = pool();
    slow(5);
    const leases = await Promise.all(Array.from({ length: 20 }, () => models.use('org/a')));
    expect(seen).toEqual(['open org/a']);
    for (const lease of leases) lease.release();
    expect(idsOf(models)).toEqual(['org/a']);
  });

  it('too many that wait are refused, and the others served', async () => {
    const { pool: models, slow } = pool({ maxWaiting: 3 });
    slow(20);
    const all = await Promise.allSettled(Array.from({ length: 5 }, () => models.use('org/a')));
    expect(all.map(({ status }) => status)).toEqual([
      ...Array(3).fill('fulfilled'),
      ...Array(2).fill('rejected'),
    ]);
  });

  it('a request that is refused loads nothing', async () => {
    const { pool: models, seen, slow } = pool({ maxWaiting: 1 });
    slow(5);
    const first = models.use('org/a');
    const refused = expect(models.use('org/b')).rejects.toThrow(QueueFull);
    (await first).release();
    await refused;
    await models.close();
    expect(seen).toEqual(['open org/a', 'close org/a']);
  });
});

describe('room', () => {
  it('the longest unused goes first', async () => {
    const { pool: models, seen } = pool({ maxLoaded: 2 });
    for (const id of ['org/a', 'org/b', 'org/a', 'org/c']) (await models.use(id)).release();
    expect(seen).toEqual(['open org/a', 'open org/b', 'close org/b', 'open org/c']);
    expect(idsOf(models)).toEqual(['org/a', 'org/c']);
  });

  it('one that does not fit takes the place of idle ones, until it does', async () => {
    const { pool: models, seen } = pool({}, 1);
    (await models.use('org/a')).release();
    (await models.use('org/b')).release();
    expect(seen).toEqual(['open org/a', 'close org/a', 'open org/b']);
  });

  it('with all in use, a request waits until one is released', async () => {
    const { pool: models, seen } = pool({}, 1);
    const a = await models.use('org/a');
    const b = models.use('org/b');
    await sleep(20);
    expect(seen).toEqual(['open org/a']);
    a.release();
    a.release();
    (await b).release();
    expect(seen).toEqual(['open org/a', 'close org/a', 'open org/b']);
    // It is loaded again when it is asked for again.
    (await models.use('org/a')).release();
    expect(idsOf(models)).toEqual(['org/a']);
  });

  it('or is refused with the reason, and does not stand in the way of others', async () => {
    const { pool: models } = pool({ waitMs: 20 }, 1);
    const a = await models.use('org/a');
    const refused = models.use('org/b');
    await expect(refused).rejects.toMatchObject({ status: 503, code: 'no_room' });
    await expect(refused).rejects.toThrow(/'org\/b': needs 5 GB, but 1 GB is available; in use: org\/a/);
    (await models.use('org/a')).release();
    a.release();
    (await models.use('org/b')).release();
    const none = pool({}, 0);
    await expect(none.pool.use('org/a')).rejects.toThrow(/no room for the model 'org\/a': needs 5 GB/);
  });

  it('one that is broken says so, is not kept, and can be tried again', async () => {
    const { pool: models, faults } = pool();
    faults.set('org/a', new LlmHostError('MODEL_BROKEN', 'x.safetensors is cut off'));
    const both = await Promise.allSettled([models.use('org/a'), models.use('org/a')]);
    for (const one of both) {
      const reason = { status: 500, code: 'model_not_loaded', problem: 'x.safetensors is cut off' };
      expect(one).toMatchObject({ reason });
      expect((one as PromiseRejectedResult).reason.message).not.toContain('safetensors');
    }
    expect(idsOf(models)).toEqual([]);
    faults.clear();
    (await models.use('org/a')).release();
    expect(idsOf(models)).toEqual(['org/a']);
  });
});

describe('the time that a model is kept', () => {
  it('begins with the last release; a request in it begins it anew', async () => {
    const { pool: models, seen } = pool({ keepAliveMs: 60 });
    (await models.use('org/a')).release();
    await sleep(30);
    const again = await models.use('org/a');
    await sleep(80);
    expect(idsOf(models)).toEqual(['org/a']);
    expect(models.loaded()[0]?.expires).toBeUndefined();
    again.release();
    expect(models.loaded()[0]?.expires).toBeGreaterThan(Date.now());
    await until(() => seen.includes('close org/a'));
    expect(idsOf(models)).toEqual([]);
  });

  it('is what the request says: none, or without end', async () => {
    const { pool: models, seen } = pool({ keepAliveMs: 20 });
    (await models.use('org/a')).release(0);
    (await models.use('org/b')).release(Number.POSITIVE_INFINITY);
    await until(() => seen.includes('close org/a'));
    await sleep(60);
    expect(idsOf(models)).toEqual(['org/b']);
  });

  it('stays what a request said for requests that say nothing', async () => {
    const { pool: models, seen } = pool({ keepAliveMs: 20 });
    (await models.use('org/a')).release(Number.POSITIVE_INFINITY);
    (await models.use('org/a')).release();
    (await models.use('org/b')).release();
    await until(() => seen.includes('close org/b'));
    await sleep(40);
    expect(idsOf(models)).toEqual(['org/a']);
    (await models.use('org/a')).release(0);
    await until(() => seen.includes('close org/a'));
    // Loaded anew, it has the usual time.
    (await models.use('org/a')).release();
    expect(idsOf(models)).toEqual(['org/a']);
  });

  it('counts from the last user on, whoever said it', async () => {
    const { pool: models, seen } = pool();
    const [one, other] = await Promise.all([models.use('org/a'), models.use('org/a')]);
    one.release(0);
    await sleep(20);
    expect(idsOf(models)).toEqual(['org/a']);
    other.release();
    await until(() => seen.includes('close org/a'));
  });

  it('ends at once for one that is to be unloaded, or with its last user', async () => {
    const { pool: models, seen, slow } = pool();
    models.unload('org/a');
    models.unload('org/first');
    expect(seen).toEqual([]);
    (await models.use('org/a')).release();
    models.unload('org/a');
    await until(() => seen.includes('close org/a'));
    slow(20);
    const loading = models.use('org/b');
    await sleep(5);
    models.unload('org/b');
    const lease = await loading;
    await sleep(20);
    expect(idsOf(models)).toEqual(['org/b']);
    lease.release();
    await until(() => seen.includes('close org/b'));
  });

  it('that runs out while another one waits for room gives it that room', async () => {
    const { pool: models, seen } = pool({ keepAliveMs: 10 }, 1);
    const a = await models.use('org/a');
    const b = models.use('org/b');
    await sleep(5);
    a.release(0);
    (await b).release();
    expect(seen.slice(0, 3)).toEqual(['open org/a', 'close org/a', 'open org/b']);
  });
});

describe('the end', () => {
  it('closes what is loaded and what is being loaded, also in use, and refuses the rest', async () => {
    const { pool: models, seen, slow } = pool();
    await models.use('org/a');
    slow(20);
    const b = models.use('org/b');
    await sleep(5);
    const closed = models.close();
    await expect(models.use('org/c')).rejects.toMatchObject({ status: 503 });
    await Promise.all([closed, b, models.close()]);
    expect(seen.filter(line => line.startsWith('close')).sort()).toEqual(['close org/a', 'close org/b']);
  });

  it('does not wait for one that waits for room', async () => {
    const { pool: models } = pool({}, 1);
    await models.use('org/a');
    const b = models.use('org/b');
    const refused = expect(b).rejects.toMatchObject({ status: 503 });
    await sleep(5);
    await models.close();
    await refused;
  });
});
