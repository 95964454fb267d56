import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { NativeModel } from '../../src/native/addon-types.ts';
import { loadAddon } from '../../src/native/load-addon.ts';
import { request } from './tiny/native-request.ts';
import { type EndEvent, promptOf, run, withTinyModel } from './tiny/run-job.ts';
import { tinyModel } from './tiny/tiny-model.ts';

let model: NativeModel;
beforeAll(async () => {
  model = await loadAddon().load(tinyModel().spec, () => {});
});
afterAll(() => model.close());

/** What a model that has seen nothing yet generates. */
async function freshIds(...[prompt, options]: Parameters<typeof request>): Promise<readonly number[]> {
  return await withTinyModel({}, async fresh => (await run(fresh, request(prompt, options))).ids);
}

describe('events', () => {
  test('prefill counts up to the prompt, then tokens, then one end', async () => {
    const { events, last } = await run(model, request(promptOf(150, 90), { prefillChunk: 64 }));
    const types = events.map(event => event.type).join(' ');
    expect(types).toMatch(/^(prefill )+(token ){8}end$/);
    const prefill = events.filter(event => event.type === 'prefill');
    expect(prefill.at(0)).toMatchObject({ done: 0, total: 150, cached: 0 });
    expect(prefill.at(-1)).toMatchObject({ done: 150, total: 150 });
    expect(prefill.length).toBeGreaterThan(2);
    expect(last).toMatchObject({ reason: 'length', promptTokens: 150, cachedTokens: 0, generatedTokens: 8 });
  });

  test('timings are positive and add up', async () => {
    const { last } = await run(model, request(promptOf(20, 91)));
    const { timings } = last as EndEvent;
    expect(timings.firstTokenMs).toBeGreaterThan(0);
    expect(timings.prefillMs).toBeGreaterThan(0);
    expect(timings.prefillMs).toBeLessThanOrEqual(timings.firstTokenMs);
    expect(timings.decodeMs).toBeGreaterThan(0);
  });

  test('log-probabilities come only when asked for', async () => {
    const none = await run(model, request([1, 2]));
    expect(none.tokens[0]).toEqual({ type: 'token', id: none.ids[0] });
    const chosen = await run(model, request([1, 2], { logprobs: 0 }));
    expect(chosen.tokens[0]?.logprob).toBeLessThan(0);
    expect(chosen.tokens[0]?.topIds).toHaveLength(0);
    const top = await run(model, request([1, 2], { logprobs: 5 }));
    expect(top.tokens[0]?.topIds).toHaveLength(5);
    expect(top.tokens[0]?.topLogprobs?.[0]).toBe(top.tokens[0]?.logprob);
  });
});

describe('ends', () => {
  test('before a stop id, which is not emitted', async () => {
    const prompt = promptOf(10, 5);
    const { ids } = await run(model, request(prompt));
    const stop = ids[3] as number;
    const stopped = await run(model, request(prompt, { stopIds: Int32Array.from([stop]), maxTokens: 100 }));
    expect(stopped.ids).toEqual(ids.slice(0, ids.indexOf(stop)));
    expect(stopped.last).toMatchObject({ reason: 'stop', generatedTokens: ids.indexOf(stop) });
  });

  test('after one token', async () => {
    const { ids, last } = await run(model, request([5], { maxTokens: 1 }));
    expect(ids).toHaveLength(1);
    expect(last).toMatchObject({ reason: 'length' });
  });

  test('when the context is full', async () => {
    const spec = { ...tinyModel().spec, contextLength: 32 };
    const small = await loadAddon().load(spec, () => {});
    expect(small.info.contextLength).toBe(32);
    const { ids, last } = await run(small, request(promptOf(30), { maxTokens: 100 }));
    expect(last).toMatchObject({ reason: 'full', generatedTokens: 3 });
    expect(ids).toEqual(await freshIds(promptOf(30), { maxTokens: 3 }));
    const exact = await run(small, request(promptOf(32), { maxTokens: 100 }));
    expect(exact.last).toMatchObject({ reason: 'full', generatedTokens: 1 });
    expect(() => small.start(request(promptOf(33)), () => {})).toThrow(
      expect.objectContaining({
        code: 'CONTEXT_FULL',
        message: 'the prompt has 33 tokens, the context holds 32',
      }),
    );
    await small.close();
  });
});

describe('prefix reuse', () => {
  test('gives the tokens of a fresh run and says how much it took', async () => {
    await withTinyModel({}, async reused => {
      const first = promptOf(100, 3);
      const answer = await run(reused, request(first, { maxTokens: 20 }));
      const second = [...first, ...answer.ids, ...promptOf(15, 4)];
      const next = await run(reused, request(second));
      // The last token of the answer was emitted but never computed.
      expect(next.last).toMatchObject({ cachedTokens: 119 });
      expect(next.ids).toEqual(await freshIds(second));

      const branched = [...first.slice(0, 50), ...promptOf(60, 5)];
      const other = await run(reused, request(branched));
      expect((other.last as EndEvent).cachedTokens).toBeGreaterThanOrEqual(50);
      expect(other.ids).toEqual(await freshIds(branched));
    });
  });

  test('of the same prompt computes its last token only', async () => {
    await withTinyModel({}, async reused => {
      const prompt = promptOf(80, 6);
      const first = await run(reused, request(prompt));
      const again = await run(reused, request(prompt));
      expect(again.ids).toEqual(first.ids);
      expect(again.last).toMatchObject({ cachedTokens: 79 });
    });
  });

  test('after a stop id knows what the cache holds', async () => {
    await withTinyModel({}, async reused => {
      const prompt = promptOf(12, 7);
      const { ids } = await run(reused, request(prompt, { maxTokens: 6 }));
      const stop = ids[4] as number;
      const cut = await run(reused, request(prompt, { maxTokens: 50, stopIds: Int32Array.from([stop]) }));
      const next = [...prompt, ...cut.ids, stop, ...promptOf(5, 8)];
      expect((await run(reused, request(next))).ids).toEqual(await freshIds(next));
    });
  });

  test('after a cancelled run gives the tokens of a fresh run', async () => {
    await withTinyModel({}, async reused => {
      const prompt = promptOf(300, 9);
      for (const events of [1, 2, 4, 20]) {
        let job = 0;
        let seen = 0;
        await new Promise<void>(done => {
          job = reused.start(request(prompt, { maxTokens: 500 }), () => {
            for (const event of reused.take(job)) {
              if (++seen === events) reused.cancel(job);
              if (event.type === 'end') done();
            }
          });
        });
        const ids = (await run(reused, request(prompt))).ids;
        expect(ids).toEqual(await freshIds(prompt));
      }
    });
  });
});

describe('sampling', () => {
  const options = { temperature: 1.5, maxTokens: 40, topK: 50, topP: 0.95, minP: 0.01 };

  test('with one seed gives the same tokens, with and without a warm cache', async () => {
    const prompt = promptOf(30, 11);
    const first = await run(model, request(prompt, { ...options, seed: 7 }));
    const second = await run(model, request(prompt, { ...options, seed: 7 }));
    expect(second.ids).toEqual(first.ids);
    expect(await freshIds(prompt, { ...options, seed: 7 })).toEqual(first.ids);
  });

  test('with other seeds gives other tokens', async () => {
    const runs = await Promise.all(
      [1, 2, 3, 2 ** 32 - 1].map(seed => run(model, request([3], { ...options, seed }))),
    );
    expect(new Set(runs.map(({ ids }) => ids.join())).size).toBe(4);
  });

  test('takes numbers that float32 would round out of their range', async () => {
    const greedy = await run(model, request([3], { maxTokens: 5 }));
    for (const edge of [{ minP: 1 - 1e-12 }, { topP: 1e-60 }]) {
      const { ids } = await run(model, request([3], { temperature: 1, maxTokens: 5, ...edge }));
      expect(ids).toEqual(greedy.ids);
    }
    const tiny = await run(model, request([3], { maxTokens: 1, repetitionPenalty: 1e-60 }));
    expect(tiny.last.type).toBe('end');
  });

  test('with topK 1 is greedy', async () => {
    const greedy = await run(model, request([9, 8, 7]));
    const sampled = await run(model, request([9, 8, 7], { temperature: 3, topK: 1, seed: 5 }));
    expect(sampled.ids).toEqual(greedy.ids);
  });
});

describe('several jobs', () => {
  test('run one after another, each with its own tokens', async () => {
    const prompts = [promptOf(70, 20), promptOf(5, 21), promptOf(140, 22)];
    const runs = await Promise.all(prompts.map(prompt => run(model, request(prompt))));
    for (const [i, { ids }] of runs.entries()) expect(ids).toEqual(await freshIds(prompts[i] as number[]));
  });

  test('of two models do not mix', async () => {
    await withTinyModel({ seed: 2 }, async other => {
      const prompt = promptOf(40, 23);
      const [a, b] = await Promise.all([run(model, request(prompt)), run(other, request(prompt))]);
      expect(a.ids).toEqual(await freshIds(prompt));
      expect(b.ids).not.toEqual(a.ids);
    });
  });

  test('beyond 64 waiting are refused', async () => {
    await withTinyModel({}, async busy => {
      const blocker = busy.start(request([1], { maxTokens: 4000 }), () => {});
      const jobs: number[] = [];
      const fill = () => {
        while (jobs.length < 100) jobs.push(busy.start(request([1]), () => {}));
      };
      expect(fill).toThrow(
        expect.objectContaining({ code: 'ENGINE', message: '64 generations are waiting already' }),
      );
      expect(jobs.length).toBeGreaterThanOrEqual(63);
      for (const job of [blocker, ...jobs]) busy.cancel(job);
    });
  });
});

describe('going on', () => {
  const only = (...ids: number[]) => {
    const mask = new Uint8Array(12);
    for (const id of ids) mask[id >> 3] = (mask[id >> 3] as number) | (1 << (id & 7));
    return mask;
  };

  test.each([0, 1.5])(
    'the first token is one of those allowed, the rest are free (temperature %s)',
    async temperature => {
      const prompt = promptOf(10, 6);
      const { ids } = await run(model, request(prompt, { temperature, allowedFirst: only(3, 95), seed: 4 }));
      expect([3, 95]).toContain(ids[0]);
      const free = await run(
        model,
        request([...prompt, ids[0] as number], { temperature, continued: 1, seed: 4, maxTokens: 7 }),
      );
      expect(free.ids).toEqual(ids.slice(1));
    },
  );

  test('a call that is not as likely as it has to be does not come first', async () => {
    const prompt = promptOf(10, 6);
    const free = await run(model, request(prompt, { logprobs: 1 }));
    const [callStart = -1, ...rest] = free.ids;
    const likely = Math.exp(free.tokens[0]?.logprob ?? Number.NaN);
    const first = async (callConfidence: number) =>
      (await run(model, request(prompt, { callStart, callConfidence }))).ids;
    expect(await first(likely * 0.99)).toEqual([callStart, ...rest]);
    expect((await first(likely * 1.01))[0]).not.toBe(callStart);
  });

  test('says what one run would have said: random numbers and penalties go on', async () => {
    const prompt = promptOf(12, 7);
    const options = {
      temperature: 1.2,
      seed: 9,
      presencePenalty: 1.5,
      frequencyPenalty: 0.5,
      repetitionPenalty: 1.2,
    };
    const whole = await run(model, request(prompt, { ...options, maxTokens: 12 }));
    const rest = await run(
      model,
      request([...prompt, ...whole.ids.slice(0, 5)], { ...options, continued: 5, maxTokens: 7 }),
    );
    expect(rest.ids).toEqual(whole.ids.slice(5));
    const { cachedTokens } = rest.last as EndEvent;
    expect(cachedTokens).toBe(16);
  });
});
