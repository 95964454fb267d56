import { chmodSync, mkdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { EngineJob } from '../../../src/engine/engine-job.ts';
import { promptOf } from '../../native/tiny/run-job.ts';
import { type TinyOptions, tinyModel } from '../../native/tiny/tiny-model.ts';
import { filesOf, newFolder, once, open, say } from './kept-prefixes.ts';

/** A sliding layer and a full one: it cannot go back to any token. */
const MIXED: TinyOptions = {
  config: { layer_types: ['sliding_attention', 'full_attention'], sliding_window: 8, head_dim: 32 },
};
const SHARED = 300;
const system = promptOf(SHARED);
const jobOf = (seed: number, more: Partial<EngineJob> = {}): EngineJob => ({
  promptIds: [...system, ...promptOf(40, seed)],
  sharedTokens: SHARED,
  checkpoints: [SHARED],
  ...more,
});

describe('a prefix survives the process', () => {
  test.each([
    ['of full layers', {}],
    ['of a window', MIXED],
  ] as const)('%s, and the text is the same', async (_what, options) => {
    const { spec } = tinyModel(options);
    for (const kvBits of [0, 8]) {
      if (kvBits !== 0 && options !== MIXED) continue;
      const folder = newFolder();
      const model = { ...spec, kvBits };
      expect((await once(model, folder, jobOf(2))).cachedTokens).toBe(0);
      const [file] = filesOf(folder);
      expect(statSync(join(folder, file as string)).mode & 0o077).toBe(0);
      expect(statSync(folder).mode & 0o077).toBe(0);
      const later = await once(model, folder, jobOf(3));
      expect(later.cachedTokens).toBe(SHARED);
      expect(later.ids).toEqual((await once(model, newFolder(), jobOf(3))).ids);
      expect(filesOf(folder)).toEqual([file]);
    }
  });

  test('and serves every conversation of the next one', async () => {
    const { spec } = tinyModel(MIXED);
    const folder = newFolder();
    await once(spec, folder, jobOf(2));
    const { engine } = await open({ ...spec, cacheBytes: 1e8, parallel: 3 }, folder);
    try {
      const replies = await Promise.all([3, 4, 5].map(seed => say(engine, jobOf(seed))));
      expect(replies.map(reply => reply.cachedTokens)).toEqual([SHARED, SHARED, SHARED]);
    } finally {
      await engine.close();
    }
  });

  test('the live cache comes first where it has more', async () => {
    const { spec } = tinyModel();
    const folder = newFolder();
    await once(spec, folder, jobOf(2));
    const { engine } = await open(spec, folder);
    try {
      expect((await say(engine, jobOf(3))).cachedTokens).toBe(SHARED);
      expect((await say(engine, jobOf(3))).cachedTokens).toBe(SHARED + 39);
    } finally {
      await engine.close();
    }
  });

  test('scores of the prompt are computed, not left out', async () => {
    const { spec } = tinyModel();
    const folder = newFolder();
    await once(spec, folder, jobOf(2));
    const scored = await once(spec, folder, jobOf(3, { promptLogprobs: true }));
    expect([scored.cachedTokens, scored.promptLogprobs?.length]).toEqual([0, SHARED + 39]);
  });
});

describe('it is not used where anything differs', () => {
  const { spec } = tinyModel({ ...MIXED, adapterOn: [] });
  const other = (path: string) => ({ ...spec, weights: { ...spec.weights, files: [path] } });

  test.each([
    ['bits of the cache', { ...spec, kvBits: 8 }, jobOf(3)],
    ['context', { ...spec, contextLength: 2000 }, jobOf(3)],
    ['exactness', { ...spec, exact: spec.exact !== true }, jobOf(3)],
    ['weights', tinyModel({ ...MIXED, seed: 2 }).spec, jobOf(3)],
    ['arithmetic of the request', spec, jobOf(3, { seed: 1 })],
    ['use of adapters', { ...spec, adaptersOptional: true }, jobOf(3, { adapted: false })],
    ['tokens', spec, jobOf(3, { promptIds: [95, ...(jobOf(3).promptIds as number[]).slice(1)] })],
    ['number of tokens', spec, jobOf(3, { sharedTokens: SHARED - 1 })],
  ] as const)('another %s', async (_what, model, job) => {
    const folder = newFolder();
    await once(spec, folder, jobOf(2));
    expect((await once(model, folder, job)).cachedTokens).toBe(0);
  });

  test('weights that were written anew', async () => {
    const folder = newFolder();
    await once(spec, folder, jobOf(2));
    const [path] = spec.weights.files as [string];
    const { atime, mtime } = statSync(path);
    utimesSync(path, atime, new Date(mtime.getTime() + 1000));
    expect((await once(other(path), folder, jobOf(3))).cachedTokens).toBe(0);
  });
});

describe('what is kept', () => {
  const { spec } = tinyModel();

  test('nothing short', async () => {
    const folder = newFolder();
    const { notes } = await once(spec, folder, jobOf(2, { sharedTokens: 255 }));
    expect(notes).toEqual([]);
    expect(() => filesOf(folder)).toThrow('ENOENT');
  });

  test('nothing of a prompt that was not read to its end', async () => {
    const folder = newFolder();
    const { engine } = await open(spec, folder);
    const stop = new AbortController();
    // An event a token: the model rests while 256 are unread, so it cannot reach the end of the shared ones before it is stopped.
    const job: EngineJob = {
      promptIds: promptOf(640),
      sharedTokens: 600,
      prefillChunk: 1,
      signal: stop.signal,
      maxTokens: 1,
    };
    for await (const event of engine.events(job)) {
      if (event.type === 'prefill' && event.done >= 16) stop.abort();
    }
    await engine.close();
    expect(filesOf(folder)).toEqual([]);
  });

  test('the first prefix at once, another when it comes again', async () => {
    const folder = newFolder();
    const { engine } = await open({ ...spec, cacheBytes: 1e8 }, folder);
    const others = [promptOf(600, 7), promptOf(600, 8)].map(promptIds =>
      jobOf(0, { promptIds, checkpoints: [] }),
    );
    await say(engine, jobOf(2));
    for (const other of others) await say(engine, other);
    await say(engine, others[1] as EngineJob);
    await engine.close();
    expect(filesOf(folder)).toHaveLength(2);
  });

  test('no more than the limit: the least recently used goes', async () => {
    const folder = newFolder();
    const jobs = [2, 3, 4].map(seed => jobOf(0, { promptIds: promptOf(600, seed), checkpoints: [] }));
    const [first, second, third] = jobs as [EngineJob, EngineJob, EngineJob];
    await once(spec, folder, first);
    const size = statSync(join(folder, filesOf(folder)[0] as string)).size;
    const limit = size * 2 + 65_536;
    await once(spec, folder, second, limit);
    for (const name of filesOf(folder)) utimesSync(join(folder, name), 1, 1);
    expect((await once(spec, folder, first, limit)).cachedTokens).toBe(SHARED);
    await once(spec, folder, third, limit);
    const cached = [];
    for (const job of [first, third]) cached.push((await once(spec, folder, job, limit)).cachedTokens);
    expect(cached).toEqual([SHARED, SHARED]);
    expect((await once(spec, folder, second, limit)).cachedTokens).toBe(0);
  });

  test('no more than a limit that was lowered, though nothing is written', async () => {
    const folder = newFolder();
    const jobs = [2, 3, 4].map(seed => jobOf(0, { promptIds: promptOf(600, seed), checkpoints: [] }));
    const [first, second, third] = jobs as [EngineJob, EngineJob, EngineJob];
    for (const job of [first, second]) await once(spec, folder, job);
    const { size } = statSync(join(folder, filesOf(folder)[0] as string));
    expect((await once(spec, folder, first, size)).cachedTokens).toBe(SHARED);
    expect(filesOf(folder)).toHaveLength(1);
    // One that would be too large is refused, and so is what was too large before.
    await once(spec, folder, third, 100_000);
    expect(filesOf(folder)).toEqual([]);
  });

  test('parts that a killed process left are removed before it is seen how much room there is', async () => {
    const folder = newFolder();
    mkdirSync(folder, { recursive: true });
    const old = join(folder, 'a.safetensors.part-1');
    writeFileSync(old, 'x');
    utimesSync(old, 1, 1);
    const { notes } = await once(spec, folder, jobOf(2), 100_000);
    expect(notes).toEqual([expect.stringMatching(/is not kept/)]);
    expect(filesOf(folder)).toEqual([]);
  });

  test('nothing too large, and no part of it', async () => {
    const folder = newFolder();
    const { notes } = await once(spec, folder, jobOf(2), 100_000);
    expect(notes).toEqual([
      expect.stringMatching(/300 tokens is not kept: .* takes \d+ bytes, 34464 are allowed/),
    ]);
    expect(filesOf(folder)).toEqual([]);
  });

  test('parts that a killed process left are removed, and no others', async () => {
    const folder = newFolder();
    mkdirSync(folder, { recursive: true });
    const [old, young] = ['a', 'b'].map(name => join(folder, `${name}.safetensors.part-1`)) as [
      string,
      string,
    ];
    for (const path of [old, young]) writeFileSync(path, 'x');
    utimesSync(old, 1, 1);
    await once(spec, folder, jobOf(2));
    const left = filesOf(folder);
    expect(left.filter(name => !/^[0-9a-f]{64}\.safetensors$/.test(name))).toEqual(['b.safetensors.part-1']);
    expect(left).toHaveLength(2);
  });

  test('nothing in a folder that cannot be written or is a file; the reply is the same', async () => {
    const said = await once(spec, newFolder(), jobOf(2));
    const readOnly = newFolder();
    mkdirSync(readOnly, { recursive: true });
    chmodSync(readOnly, 0o500);
    const file = newFolder();
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, 'not a folder');
    for (const folder of [file, ...(process.getuid?.() === 0 ? [] : [readOnly])]) {
      const { ids, notes } = await once(spec, folder, jobOf(2));
      expect(ids).toEqual(said.ids);
      expect(notes.at(-1)).toMatch(/is not kept|could not be/);
    }
  });

  test('by two engines at once: one whole file', async () => {
    const folder = newFolder();
    await Promise.all([2, 3, 4].map(seed => once(spec, folder, jobOf(seed))));
    expect(filesOf(folder)).toHaveLength(1);
    expect((await once(spec, folder, jobOf(5))).cachedTokens).toBe(SHARED);
  });

  test('a closed engine keeps nothing more and can be closed again', async () => {
    const { engine } = await open(spec, newFolder());
    await say(engine, jobOf(2));
    await Promise.all([engine.close(), engine.close()]);
    const late = say(engine, jobOf(2));
    await expect(late).rejects.toMatchObject({ code: 'ENGINE' });
  });
});
