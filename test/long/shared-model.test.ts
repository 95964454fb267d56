import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { randomAdapter, randomExperts, WITH_EXPERTS } from '../engine/distributed/random-files.ts';
import { Ranks } from '../engine/distributed/ranks.ts';
import {
  alone,
  expectSame,
  expectShared,
  expectSharedRows,
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
    'gpt_oss/gguf.gguf',
    'gpt_oss/mlx',
    'granite/tied',
    'granitemoe/bias',
    'hunyuan_v1_dense/mlx',
    'lfm2_moe/mlx',
    'lfm2_moe/scaled',
    'llama/plain',
    'ministral3/full',
    'mistral/full',
    'qwen2/tied',
    'qwen3/mlx',
    'qwen3/plain',
    'qwen3_moe/gguf.gguf',
    'qwen3_moe/plain',
    'seed_oss/plain',
    'smollm3/every-second',
  ])('%s', async name => void (await expectShared(ranks, join(FAMILIES, name))));

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

describe('four processes', { timeout: 120_000 }, () => {
  let ranks: Ranks;
  beforeAll(async () => {
    ranks = await Ranks.start(4);
  });
  afterAll(() => ranks[Symbol.dispose]());

  test('rows of a batch', () => expectSharedRows(ranks, join(FAMILIES, 'mistral/window')));

  test('rows of a batch with experts', () => expectSharedRows(ranks, randomExperts('gpt_oss')));

  test('heads and networks', async () => void (await expectShared(ranks, join(FAMILIES, 'mistral/window'))));

  test.each(WITH_EXPERTS)('%s: two of eight experts', async family => {
    await expectShared(ranks, randomExperts(family));
  });

  test.each(['mlx', 'peft'] as const)('an adapter in the layout of %s', async layout => {
    const path = join(FAMILIES, 'mistral/window');
    await expectShared(ranks, path, { adapter: randomAdapter(path, layout) });
  });

  test('an adapter beside experts', async () => {
    const path = randomExperts('qwen3_moe');
    await expectShared(ranks, path, { adapter: randomAdapter(path, 'mlx') });
  });
});

test('stopped: the same after the limit', { timeout: 60_000 }, async () => {
  const { left, again, whole } = await without('SIGSTOP', 6000);
  const error = { code: 'ENGINE', message: expect.stringContaining('have not answered for 6 s') };
  expect(left.error).toMatchObject(error);
  expect(again.error).toMatchObject(error);
  expect(whole.tokens).toHaveLength(REQUEST.maxTokens);
});
