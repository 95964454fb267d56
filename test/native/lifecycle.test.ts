import { describe, expect, test, vi } from 'vitest';
import { NativeJob } from '../../src/engine/native-job.ts';
import type { NativeEvent, NativeModel } from '../../src/native/addon-types.ts';
import { loadAddon } from '../../src/native/load-addon.ts';
import type { LoadProgress } from '../../src/native/load-types.ts';
import { request } from './tiny/native-request.ts';
import { promptOf, run, withTinyModel } from './tiny/run-job.ts';
import { tinyModel } from './tiny/tiny-model.ts';

const LONG = { maxTokens: 4000 };

async function readAll(job: NativeJob): Promise<NativeEvent[]> {
  const events: NativeEvent[] = [];
  while (events.at(-1)?.type !== 'end') events.push(await job.next());
  return events;
}

describe('load', () => {
  test('says what the model is and how far the load has come', async () => {
    const progress: LoadProgress[] = [];
    const { spec } = tinyModel();
    const model = await loadAddon().load(spec, p => progress.push(p));
    const total = spec.weights.tensors.reduce((sum, t) => sum + t.bytes, 0);
    expect(model.info).toEqual({
      modelType: 'llama',
      layers: 2,
      hiddenSize: 64,
      vocabSize: 96,
      contextLength: 4096,
      parameters: total / 4,
      weightBytes: total,
      device: expect.stringMatching(/^cpu$|^gpu/),
      wantsCheckpoints: false,
      adaptersOptional: false,
    });
    for (const p of progress) {
      expect(p.totalBytes).toBe(total);
      expect(p.doneBytes).toBeLessThanOrEqual(total);
    }
    await model.close();
  });

  test('twice at once gives two models', async () => {
    const addon = loadAddon();
    const { spec } = tinyModel();
    const models = await Promise.all([addon.load(spec, () => {}), addon.load(spec, () => {})]);
    const [a, b] = await Promise.all(models.map(model => run(model, request([1, 2, 3]))));
    expect(a?.ids).toEqual(b?.ids);
    await models[0]?.close();
    expect((await run(models[1] as NativeModel, request([1, 2, 3]))).ids).toEqual(a?.ids);
    await models[1]?.close();
  });

  test('lowers a context beyond the model’s own maximum to it', async () => {
    const model = await loadAddon().load({ ...tinyModel().spec, contextLength: 100_000 }, () => {});
    expect(model.info.contextLength).toBe(4096);
    await model.close();
  });
});

describe('cancel', () => {
  test('ends a job within one step', async () => {
    await withTinyModel({}, async model => {
      const job = new NativeJob(model, request([1, 2], LONG));
      while ((await job.next()).type !== 'token');
      job.cancel();
      const events = await readAll(job);
      const end = events.at(-1);
      expect(end).toMatchObject({ type: 'end', reason: 'cancelled' });
      // The event queue and a step or two may have been on their way.
      expect(events.filter(e => e.type === 'token').length).toBeLessThan(300);
    });
  });

  test('ends a prefill between chunks', async () => {
    await withTinyModel({}, async model => {
      const job = new NativeJob(model, request(promptOf(4000)));
      await job.next();
      job.cancel();
      const events = await readAll(job);
      expect(events.at(-1)).toMatchObject({ reason: 'cancelled', generatedTokens: 0 });
      expect(events.filter(e => e.type === 'prefill' && e.done === e.total)).toHaveLength(0);
    });
  });

  test('ends a job that waits behind another', async () => {
    await withTinyModel({}, async model => {
      const first = new NativeJob(model, request([1], LONG));
      const second = new NativeJob(model, request([2], LONG));
      second.cancel();
      first.cancel();
      expect((await readAll(second)).at(-1)).toMatchObject({
        reason: 'cancelled',
        generatedTokens: 0,
      });
      await readAll(first);
    });
  });

  test('twice, and after the end, does nothing', async () => {
    await withTinyModel({}, async model => {
      let id = 0;
      const ended = new Promise<void>(resolve => {
        id = model.start(request([1], { maxTokens: 2 }), () => {
          if (model.take(id).some(event => event.type === 'end')) resolve();
        });
      });
      await ended;
      model.cancel(id);
      model.cancel(id);
      expect(model.take(id)).toEqual([]);
    });
  });
});

describe('back-pressure', () => {
  test('a reader that does not take makes the model wait, and loses nothing', async () => {
    await withTinyModel({}, async model => {
      const expected = (await run(model, request([4, 2], { maxTokens: 900 }))).ids;
      const job = new NativeJob(model, request([4, 2], { maxTokens: 900 }));
      await new Promise(resolve => setTimeout(resolve, 300));
      let id = 0;
      const ids: number[] = [];
      let largest = 0;
      const slow = new Promise<void>(resolve => {
        id = model.start(request([4, 2], { maxTokens: 900 }), () => {
          setTimeout(() => {
            const events = model.take(id);
            largest = Math.max(largest, events.length);
            for (const event of events) {
              if (event.type === 'token') ids.push(event.id);
              if (event.type === 'end') resolve();
            }
          }, 20);
        });
      });
      const first = await readAll(job);
      expect(first.flatMap(event => (event.type === 'token' ? [event.id] : []))).toEqual(expected);
      await slow;
      expect(ids).toEqual(expected);
      expect(largest).toBeLessThanOrEqual(257);
    });
  });

  test('cancel wakes a model that waits for its reader', async () => {
    await withTinyModel({}, async model => {
      const ready = vi.fn();
      const id = model.start(request([1], LONG), ready);
      await vi.waitFor(() => expect(ready).toHaveBeenCalled());
      await new Promise(resolve => setTimeout(resolve, 100));
      model.cancel(id);
      expect((await run(model, request([2]))).last).toMatchObject({ reason: 'length' });
      expect(model.take(id).at(-1)).toMatchObject({ type: 'end', reason: 'cancelled' });
    });
  });
});

describe('close', () => {
  test('ends the running job and the waiting ones, and frees the weights', async () => {
    const before = loadAddon().memory().activeBytes;
    const model = await loadAddon().load(tinyModel().spec, () => {});
    const running = new NativeJob(model, request([1], LONG));
    const waiting = new NativeJob(model, request([2], LONG));
    while ((await running.next()).type !== 'token');
    expect(loadAddon().memory().activeBytes).toBeGreaterThan(before);
    const closed = model.close();
    expect((await readAll(running)).at(-1)).toMatchObject({ reason: 'cancelled' });
    expect((await readAll(waiting)).at(-1)).toMatchObject({ reason: 'cancelled' });
    await closed;
    expect(loadAddon().memory().activeBytes).toBe(before);
  });

  test('is idempotent, and nothing starts after it', async () => {
    const model = await loadAddon().load(tinyModel().spec, () => {});
    await Promise.all([model.close(), model.close()]);
    await model.close();
    expect(() => model.start(request([1]), () => {})).toThrow(
      expect.objectContaining({ code: 'ENGINE', message: 'the model has been closed' }),
    );
    expect(model.info.modelType).toBe('llama');
  });
});

describe('misuse', () => {
  test.each([
    ['an empty prompt', request([]), 'promptIds must hold at least one token'],
    ['an id below 0', request([1, -1]), 'promptIds[1] must be a token id from 0 to 95, got -1'],
    ['an id beyond the vocabulary', request([96]), 'promptIds[0] must be a token id from 0 to 95, got 96'],
    ['a stop id beyond the vocabulary', request([1], { stopIds: Int32Array.from([1000]) }), 'stopIds[0]'],
    ['maxTokens 0', request([1], { maxTokens: 0 }), 'maxTokens must be an integer from 1'],
    ['maxTokens 1.5', request([1], { maxTokens: 1.5 }), 'maxTokens must be an integer'],
    ['temperature NaN', request([1], { temperature: Number.NaN }), 'temperature must be a number, not NaN'],
    ['temperature below 0', request([1], { temperature: -1 }), 'temperature must be a number from 0 to 5'],
    ['an infinite temperature', request([1], { temperature: Number.POSITIVE_INFINITY }), 'temperature'],
    ['topP 0', request([1], { topP: 0 }), 'topP must be a number above 0 and at most 1'],
    ['topP above 1', request([1], { topP: 1.1 }), 'topP'],
    ['topK below 0', request([1], { topK: -1 }), 'topK'],
    ['minP 1', request([1], { minP: 1 }), 'minP must be a number of at least 0 and below 1'],
    [
      'a repetition penalty of 0',
      request([1], { repetitionPenalty: 0 }),
      'repetitionPenalty must be a number above',
    ],
    [
      'a presence penalty of 3',
      request([1], { presencePenalty: 3 }),
      'presencePenalty must be a number from -2',
    ],
    [
      'a frequency penalty of -3',
      request([1], { frequencyPenalty: -3 }),
      'frequencyPenalty must be a number from',
    ],
    [
      'a bias beyond 100',
      request([1], { logitBiasIds: Int32Array.of(1), logitBias: Float32Array.of(101) }),
      'logitBias: each must be a number from -100 to 100',
    ],
    [
      'a bias for no token',
      request([1], { logitBiasIds: Int32Array.of(96), logitBias: Float32Array.of(1) }),
      'logitBiasIds[0] must be a token id from 0 to 95, got 96',
    ],
    [
      'more biases than tokens',
      request([1], { logitBias: Float32Array.of(1) }),
      'logitBias must hold one number for each of logitBiasIds',
    ],
    ['a chunk below 0', request([1], { prefillChunk: -1 }), 'prefillChunk must be an integer from 0'],
    [
      'a seed beyond 32 bits',
      request([1], { seed: 2 ** 32 }),
      'seed must be an integer from 0 to 4294967295',
    ],
    [
      'a mask of another size',
      request([1], { allowedFirst: new Uint8Array(11) }),
      'allowedFirst must hold a bit for each of 96 tokens',
    ],
    [
      'a mask that allows nothing',
      request([1], { allowedFirst: new Uint8Array(12) }),
      'allowedFirst must allow a token',
    ],
    [
      'a call that begins with a token that is none',
      request([1], { callStart: 96 }),
      'callStart must be a token id, got 96',
    ],
    [
      'more continued than there is',
      request([1], { continued: 2 }),
      'continued must be from 0 to the length',
    ],
    ['21 log-probabilities', request([1], { logprobs: 21 }), 'logprobs must be an integer from -1 to 20'],
  ])('%s is refused before anything starts', async (_name, bad, message) => {
    await withTinyModel({}, async model => {
      expect(() => model.start(bad, () => {})).toThrow(
        expect.objectContaining({
          name: 'TypeError',
          code: 'USAGE',
          message: expect.stringContaining(message),
        }),
      );
    });
  });

  test('values of a wrong type are refused', async () => {
    await withTinyModel({}, async model => {
      const start = model.start.bind(model) as (...values: unknown[]) => number;
      const usage = (message: string) => expect.objectContaining({ code: 'USAGE', message });
      expect(() => start()).toThrow(usage('request must be an object'));
      expect(() => start({})).toThrow(usage('request.promptIds must be an Int32Array'));
      expect(() => start(request([1]))).toThrow(usage('onReady must be a function'));
      expect(() => start({ ...request([1]), promptIds: [1] }, () => {})).toThrow(
        usage('request.promptIds must be an Int32Array'),
      );
      expect(() => start({ ...request([1]), topK: '1' }, () => {})).toThrow(
        usage('request.topK must be a number'),
      );
      const take = model.take.bind(model) as (value?: unknown) => unknown;
      expect(() => take()).toThrow(usage('job must be a number'));
      expect(() => take('1')).toThrow(usage('job must be a number'));
      expect(() => take(999_999_999)).toThrow(usage('there was never a job 999999999'));
      expect(() => model.cancel(-1)).toThrow(usage('there was never a job -1'));
      const { start: loose } = model;
      expect(() => loose(request([1]), () => {})).toThrow();
    });
  });

  test('the model class cannot be made by hand', async () => {
    await withTinyModel({}, async model => {
      const Model = model.constructor as new (...values: unknown[]) => unknown;
      expect(() => new Model()).toThrow(TypeError);
      expect(() => new Model({})).toThrow(TypeError);
    });
  });
});
