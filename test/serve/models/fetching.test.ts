import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { until } from '../scripted.ts';
import { idsOf, pool } from './fake-pool.ts';

/** A pool whose `org/a` is being downloaded until it is let, or for ever. */
function fetching(patienceMs = 0) {
  const signals: AbortSignal[] = [];
  let end: (error?: Error) => void = () => undefined;
  const fetch = (id: string, signal: AbortSignal) => {
    if (id !== 'org/a') return Promise.resolve();
    signals.push(signal);
    return new Promise<void>((resolve, reject) => {
      end = error => (error ? reject(error) : resolve());
    });
  };
  const made = pool({ patienceMs, mostHeldMs: 2000 }, 1, [], fetch);
  return { ...made, signals, end: (error?: Error) => end(error) };
}

describe('a model that is being downloaded', () => {
  it('holds up no other, and is loaded when it has come', async () => {
    const { pool: models, seen, end } = fetching();
    const a = models.use('org/a');
    (await models.use('org/b')).release();
    (await models.use('org/c')).release();
    await expect(models.removing('org/a', () => Promise.resolve())).rejects.toMatchObject({ status: 409 });
    end();
    (await a).release();
    expect(seen).toEqual(['open org/b', 'close org/b', 'open org/c', 'close org/c', 'open org/a']);
  });

  it('does not keep the server from ending', async () => {
    const { pool: models, seen, signals } = fetching();
    const a = expect(models.use('org/a')).rejects.toMatchObject({ status: 503, code: 'stopping' });
    await sleep(5);
    await models.close();
    await a;
    expect([signals[0]?.aborted, seen]).toEqual([true, []]);
  });

  it('is no longer, once all who waited for it have left; who comes then begins anew', async () => {
    const { pool: models, seen, signals, end } = fetching();
    const [gone, later] = [new AbortController(), new AbortController()];
    const both = [models.use('org/a', gone.signal), models.use('org/a', later.signal)];
    gone.abort();
    await expect(both[0]).rejects.toMatchObject({ status: 499 });
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    later.abort();
    await expect(both[1]).rejects.toMatchObject({ status: 499 });
    const again = models.use('org/a');
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
    end();
    (await again).release();
    expect([seen, idsOf(models)]).toEqual([['open org/a'], ['org/a']]);
  });

  it('and cannot be, is told, and can be tried again', async () => {
    const { pool: models, signals, end } = fetching();
    const a = expect(models.use('org/a')).rejects.toMatchObject({
      status: 500,
      code: 'model_not_loaded',
      problem: 'the Hub is away',
    });
    end(new Error('the Hub is away'));
    await a;
    const again = models.use('org/a');
    await until(() => signals.length === 2);
    end();
    (await again).release();
  });

  it('has waited for room only since then', async () => {
    const { pool: models, end } = fetching(1000);
    const b = await models.use('org/b');
    const a = models.use('org/a');
    await sleep(1100);
    end();
    await sleep(20);
    const came = performance.now();
    const again = await models.use('org/b');
    expect(performance.now() - came).toBeLessThan(900);
    b.release();
    again.release();
    (await a).release();
  });
});
