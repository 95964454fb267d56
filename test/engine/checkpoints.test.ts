import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { GenerateResult } from '../../src/engine/engine.ts';
import type { EngineJob } from '../../src/engine/engine-job.ts';
import { MlxEngine } from '../../src/engine/mlx-engine.ts';
import { loadAddon } from '../../src/native/load-addon.ts';
import { promptOf } from '../native/tiny/run-job.ts';
import { tinyModel } from '../native/tiny/tiny-model.ts';

let engine: MlxEngine;
/** Reads every prompt from its start. */
let forgetful: MlxEngine;
beforeAll(async () => {
  const config = { layer_types: ['sliding_attention', 'full_attention'], sliding_window: 8 };
  const { spec } = tinyModel({ config });
  const open = () => MlxEngine.create(loadAddon(), spec, { name: 'tiny', defaultStopIds: [] });
  [engine, forgetful] = await Promise.all([open(), open()]);
});
afterAll(() => Promise.all([engine.close(), forgetful.close()]));

async function run(on: MlxEngine, request: EngineJob): Promise<{ ids: number[]; result: GenerateResult }> {
  const ids: number[] = [];
  const stream = on.generate({ maxTokens: 6, ...request });
  for (let step = await stream.next(); ; step = await stream.next()) {
    if (step.done) return { ids, result: step.value };
    ids.push(step.value.id);
  }
}

/** The tokens do not depend on what was reused. */
async function cachedTokens(request: EngineJob): Promise<number> {
  const { ids, result } = await run(engine, request);
  await run(forgetful, { promptIds: [95], maxTokens: 1 });
  expect(ids).toEqual((await run(forgetful, request)).ids);
  return result.cachedTokens;
}

const system = promptOf(50);
const question = promptOf(700, 2);
const first = [...system, ...question];

describe('a model that cannot go back to any token', () => {
  test('says so', () => {
    expect(engine.info.wantsCheckpoints).toBe(true);
  });

  test('goes back to the checkpoints that the request named', async () => {
    expect(await cachedTokens({ promptIds: first, checkpoints: [50, 400] })).toBe(0);
    // Parts after 550 tokens: the window has long moved on.
    const parting = [...first.slice(0, 550), ...promptOf(400, 3)];
    expect(await cachedTokens({ promptIds: parting, checkpoints: [50, 500] })).toBe(400);
    // A new conversation under the same system message.
    expect(await cachedTokens({ promptIds: [...system, ...promptOf(600, 4)] })).toBe(50);
    expect(await cachedTokens({ promptIds: [...system, ...promptOf(9, 5)] })).toBe(50);
  });

  test('goes on without one', async () => {
    const { ids } = await run(engine, { promptIds: first });
    const longer = [...first, ...ids, 1, 2];
    expect(await cachedTokens({ promptIds: longer })).toBe(first.length + ids.length - 1);
  });

  test('reads a prompt again that shares no checkpoint', async () => {
    // In two parts, so that the first one's keys leave the window on a GPU too, which reads 2,048 tokens at once.
    await run(engine, { promptIds: promptOf(500, 6) });
    await run(engine, { promptIds: promptOf(700, 6) });
    expect(await cachedTokens({ promptIds: [...promptOf(300, 6), 1, 2, 3] })).toBe(0);
  });

  test('refuses a checkpoint outside of the prompt', async () => {
    await expect(run(engine, { promptIds: [1, 2], checkpoints: [3] })).rejects.toMatchObject({
      code: 'USAGE',
      message: 'checkpoints[0] must be an integer from 1 to 2, got 3',
    });
  });
});
