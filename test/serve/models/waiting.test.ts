import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { QueueFull } from '../../../src/serve/http/generation-queue.ts';
import type { ModelPool } from '../../../src/serve/models/model-pool.ts';
import { until } from '../scripted.ts';
import { idsOf, pool } from './fake-pool.ts';

/** Requests for a model without a pause in between: the next one comes before the last is done. */
function steadily(models: ModelPool, id: string) {
  const waitedMs: number[] = [];
  let ended = false;
  const running = (async () => {
    let before = await models.use(id);
    while (!ended) {
      const came = performance.now();
      const next = models.use(id);
      await sleep(5);
      before.release();
      before = await next;
      waitedMs.push(performance.now() - came);
    }
    before.release();
  })();
  const end = async () => {
    ended = true;
    await running;
  };
  onTestFinished(end);
  return { waitedMs, end };
}

describe('a model that waits for room', () => {
  it('has its turn, though requests for the loaded one never cease', async () => {
    const { pool: models } = pool({ patienceMs: 50 }, 1);
    const { waitedMs, end } = steadily(models, 'org/a');
    await until(() => waitedMs.length > 2);
    const started = performance.now();
    (await models.use('org/b')).release();
    expect(performance.now() - started).toBeLessThan(1000);
    // None was lost.
    const before = waitedMs.length;
    await until(() => waitedMs.length > before + 2);
    await end();
  });

  it('lets them pass until it has waited for some time', async () => {
    const { pool: models } = pool({ patienceMs: 300 }, 1);
    const a = await models.use('org/a');
    const b = models.use('org/b');
    await sleep(10);
    const again = await models.use('org/a');
    a.release();
    again.release();
    (await b).release();
  });

  it('does not hold requests that came before it, for the first model, or for itself', async () => {
    const { pool: models } = pool({ patienceMs: 0 }, 1);
    const a = await models.use('org/a');
    const b = models.use('org/b');
    const alsoB = models.use('org/b');
    await sleep(10);
    (await models.use('org/first')).release();
    a.release();
    for (const lease of await Promise.all([b, alsoB])) lease.release();
    expect(idsOf(models)).toEqual(['org/b']);
  });

  it('holds a request for so long at most', async () => {
    const { pool: models } = pool({ patienceMs: 0, mostHeldMs: 50 }, 1);
    const a = await models.use('org/a');
    const b = models.use('org/b');
    await sleep(10);
    const came = performance.now();
    const held = await models.use('org/a');
    expect(performance.now() - came).toBeGreaterThan(40);
    a.release();
    await sleep(20);
    expect(idsOf(models)).toEqual(['org/a']);
    held.release();
    (await b).release();
  });

  it('holds nobody any longer once it is refused', async () => {
    const { pool: models } = pool({ patienceMs: 0, waitMs: 40 }, 1);
    const a = await models.use('org/a');
    const b = expect(models.use('org/b')).rejects.toMatchObject({ code: 'no_room' });
    await sleep(10);
    const held = await models.use('org/a');
    await b;
    a.release();
    held.release();
    expect(idsOf(models)).toEqual(['org/a']);
  });

  it('nor while it is being loaded', async () => {
    const { pool: models, slow } = pool({ patienceMs: 0 }, 2);
    const a = await models.use('org/a');
    (await models.use('org/b')).release();
    const b = await models.use('org/b');
    const c = models.use('org/c');
    await sleep(10);
    const held = models.use('org/a');
    slow(300);
    b.release();
    const came = performance.now();
    (await held).release();
    expect(performance.now() - came).toBeLessThan(200);
    a.release();
    (await c).release();
    expect(idsOf(models)).toEqual(['org/a', 'org/c']);
  });

  it('of two, the one asked for first goes first, and a third is closed for neither twice', async () => {
    const { pool: models, seen } = pool({ patienceMs: 10 }, 1);
    const { waitedMs, end } = steadily(models, 'org/a');
    await until(() => waitedMs.length > 2);
    const [b, c] = [models.use('org/b'), models.use('org/c')];
    (await b).release();
    (await c).release();
    const before = waitedMs.length;
    await until(() => waitedMs.length > before + 2);
    await end();
    expect(seen.slice(0, 6)).toEqual([
      ...['open org/a', 'close org/a', 'open org/b', 'close org/b', 'open org/c', 'close org/c'],
    ]);
    expect(seen.filter(line => line === 'open org/a').length).toBe(2);
  });
});

describe('a request that is held', () => {
  it('takes one of the places of those that wait', async () => {
    const { pool: models } = pool({ patienceMs: 0, maxWaiting: 2 }, 1);
    const a = await models.use('org/a');
    const b = models.use('org/b');
    await sleep(10);
    const held = models.use('org/a');
    await expect(models.use('org/a')).rejects.toThrow(QueueFull);
    a.release();
    (await b).release();
    (await held).release();
    // All places are free again.
    const more = await Promise.all([models.use('org/b'), models.use('org/b')]);
    for (const lease of more) lease.release();
  });

  it('is refused when the server stops', async () => {
    const { pool: models, seen } = pool({ patienceMs: 0 }, 1);
    const a = await models.use('org/a');
    const b = expect(models.use('org/b')).rejects.toMatchObject({ status: 503, code: 'stopping' });
    await sleep(10);
    const held = expect(models.use('org/a')).rejects.toMatchObject({ status: 503, code: 'stopping' });
    await models.close();
    await Promise.all([b, held]);
    a.release();
    expect(seen).toEqual(['open org/a', 'close org/a']);
  });

  it('ends when its client leaves', async () => {
    const { pool: models, seen } = pool({ patienceMs: 0 }, 1);
    const a = await models.use('org/a');
    const b = models.use('org/b');
    await sleep(10);
    const gone = new AbortController();
    const held = expect(models.use('org/a', gone.signal)).rejects.toMatchObject({ status: 499 });
    gone.abort();
    await held;
    a.release();
    (await b).release();
    expect(seen).toEqual(['open org/a', 'close org/a', 'open org/b']);
  });
});

describe('a model for which nobody waits any longer', () => {
  it('is not loaded, holds nobody, and can be asked for again', async () => {
    const { pool: models, seen } = pool({ patienceMs: 0 }, 1);
    const a = await models.use('org/a');
    const gone = new AbortController();
    const both = [models.use('org/b', gone.signal), models.use('org/b', gone.signal)];
    await sleep(10);
    const held = models.use('org/a');
    gone.abort();
    // At once, before the others notice.
    const again = models.use('org/b');
    for (const one of both) await expect(one).rejects.toMatchObject({ status: 499 });
    a.release();
    (await again).release();
    (await held).release();
    expect(seen.filter(line => line === 'open org/b').length).toBe(1);

    const b = await models.use('org/a');
    const never = models.use('org/c', gone.signal);
    await expect(never).rejects.toMatchObject({ status: 499 });
    b.release();
    await models.close();
    expect(seen).not.toContain('open org/c');
  });

  it('in its turn behind another is not loaded either', async () => {
    const { pool: models, seen, slow } = pool();
    slow(30);
    const a = models.use('org/a');
    const gone = new AbortController();
    const b = expect(models.use('org/b', gone.signal)).rejects.toMatchObject({ status: 499 });
    gone.abort();
    await b;
    (await a).release();
    await models.close();
    expect(seen).toEqual(['open org/a', 'close org/a']);
  });

  it('while it is being loaded is kept for its time', async () => {
    const { pool: models, seen, slow } = pool({ keepAliveMs: 30 });
    slow(30);
    const gone = new AbortController();
    const a = expect(models.use('org/a', gone.signal)).rejects.toMatchObject({ status: 499 });
    await sleep(5);
    gone.abort();
    await a;
    await until(() => seen.includes('open org/a'));
    expect(models.loaded()[0]?.expires).toBeGreaterThan(Date.now());
    await until(() => seen.includes('close org/a'));
    expect(idsOf(models)).toEqual([]);
  });
});

describe('a model that cannot be closed', () => {
  it('is told, and the next one is loaded all the same', async () => {
    const failed: string[] = [];
    const onCloseFailed = (id: string, error: unknown) => failed.push(`${id}: ${(error as Error).message}`);
    const { pool: models, closeFaults } = pool({ onCloseFailed, keepAliveMs: 10 }, 1);
    for (const id of ['org/a', 'org/b', 'org/c']) closeFaults.set(id, new Error('the thread is dead'));
    (await models.use('org/a')).release();
    (await models.use('org/b')).release();
    await until(() => failed.length === 2);
    await models.use('org/c');
    await models.close();
    expect(failed).toEqual(['org/a', 'org/b', 'org/c'].map(id => `${id}: the thread is dead`));
  });
});

describe('a model that is being deleted', () => {
  it('is not loaded meanwhile, nor deleted twice; afterwards it can be', async () => {
    const { pool: models } = pool();
    let removed: () => void = () => undefined;
    const removing = models.removing(
      'org/a',
      () =>
        new Promise(resolve => {
          removed = resolve;
        }),
    );
    await expect(models.use('org/a')).rejects.toMatchObject({ status: 409, code: 'model_being_deleted' });
    await expect(models.removing('org/a', () => Promise.resolve())).rejects.toMatchObject({ status: 409 });
    removed();
    await removing;
    (await models.use('org/a')).release();
  });

  it('must not be in memory, nor on its way there', async () => {
    const { pool: models, slow } = pool({ keepAliveMs: 10 });
    slow(30);
    const remove = () => models.removing('org/a', () => Promise.resolve());
    const a = models.use('org/a');
    await expect(remove()).rejects.toMatchObject({ status: 409, code: 'model_loaded' });
    (await a).release();
    await expect(remove()).rejects.toMatchObject({ status: 409, code: 'model_loaded' });
    await expect(models.removing('org/first', () => Promise.resolve())).rejects.toMatchObject({
      status: 409,
    });
    await until(() => idsOf(models).length === 0);
    await remove();
  });

  it('stays usable if that fails', async () => {
    const { pool: models } = pool();
    const failing = models.removing('org/a', () => Promise.reject(new Error('the disk is read-only')));
    await expect(failing).rejects.toThrow('the disk is read-only');
    (await models.use('org/a')).release();
  });
});
