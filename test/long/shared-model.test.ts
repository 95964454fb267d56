import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Ranks } from '../engine/distributed/ranks.ts';
import {
  alone,
  expectSame,
  expectShared,
  FAMILIES,
  LIMIT,
  REQUEST,
  without,
} from '../engine/distributed/sharing.ts';

describe('two processes on one model', { timeout: 120_000 }, () => {
  let ranks: Ranks;
  beforeAll(async () => {
    ranks = await Ranks.start(2);
  });
  afterAll(() => ranks[Symbol.dispose]());

  test.each([
    'ernie4_5/plain',
    'granite/tied',
    'hunyuan_v1_dense/mlx',
    'llama/plain',
    'ministral3/full',
    'mistral/full',
    'qwen2/tied',
    'qwen3/mlx',
    'qwen3/plain',
    'seed_oss/plain',
    'smollm3/every-second',
  ])('%s', name => expectShared(ranks, name));

  test('a second prompt that begins like the first, and one with a seed', async () => {
    const path = join(FAMILIES, 'qwen3/plain');
    const longer = { ...REQUEST, promptIds: [...REQUEST.promptIds, 3, 4] };
    const drawn = { ...REQUEST, temperature: 1, seed: 7 };
    const whole = await alone(path, { exact: true }, [REQUEST, longer, drawn]);
    await ranks.ask({ do: 'load', path, options: { exact: true, group: LIMIT } });
    await ranks.ask({ do: 'generate', request: REQUEST });
    for (const answer of await ranks.ask({ do: 'generate', request: longer })) {
      expect(answer.result?.cachedTokens).toBe(REQUEST.promptIds.length);
      expectSame(answer, whole.replies[1]);
    }
    for (const answer of await ranks.ask({ do: 'generate', request: drawn }))
      expectSame(answer, whole.replies[2]);
  });
});

test('four processes', { timeout: 120_000 }, async () => {
  using ranks = await Ranks.start(4);
  await expectShared(ranks, 'mistral/window');
});

test('stopped: the same after the limit', { timeout: 60_000 }, async () => {
  const { left, again, whole } = await without('SIGSTOP', 6000);
  const error = { code: 'ENGINE', message: expect.stringContaining('have not answered for 6 s') };
  expect(left.error).toMatchObject(error);
  expect(again.error).toMatchObject(error);
  expect(whole.tokens).toHaveLength(REQUEST.maxTokens);
});
