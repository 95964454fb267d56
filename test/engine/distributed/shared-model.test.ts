import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadEngine } from '../../../src/engine/load-engine.ts';
import type { ModelOptions } from '../../../src/engine/model-options.ts';
import { randomAdapter } from './random-files.ts';
import { Ranks } from './ranks.ts';
import {
  alone,
  expectShared,
  expectSharedRows,
  FAMILIES,
  LIMIT,
  REQUEST,
  wireBytes,
  without,
} from './sharing.ts';
import { countsBytes } from './wire-bytes.ts';

// Rounded to 8 bits, each process's own share would differ more from the whole. Read when the first model is loaded.
process.env.LLM_HOST_INT8 = 'fine';

// A process that waits polls, so that on a busy machine they wait for each other.
describe('two processes on one model', { timeout: 120_000 }, () => {
  let ranks: Ranks;
  beforeAll(async () => {
    ranks = await Ranks.start(2);
  });
  afterAll(() => ranks[Symbol.dispose]());

  // The other families: test/long.
  test.each(['llama/gguf.gguf', 'llama/mlx', 'qwen3/windows', 'gpt_oss/mxfp4'])(
    '%s: the tokens of one process, each with its share of the weights',
    async name => void (await expectShared(ranks, join(FAMILIES, name))),
  );

  test.each(['mlx', 'peft'] as const)('an adapter in the layout of %s', async layout => {
    const path = join(FAMILIES, 'llama/plain');
    const { replies } = await alone(path, { exact: true }, [REQUEST]);
    const adapted = await expectShared(ranks, path, { adapter: randomAdapter(path, layout) });
    expect(adapted?.ids).not.toEqual(replies[0]?.ids);
  });

  test('rows of a batch, greedy and seeded', () => expectSharedRows(ranks, join(FAMILIES, 'qwen3/plain')));

  test.skipIf(!countsBytes())('the bytes over the wire that the plan computes', async () => {
    const { counted, computed } = await wireBytes(ranks, 'llama/plain');
    expect(Math.abs(counted / computed - 1)).toBeLessThan(0.02);
  });

  test.each(['llama/mlx', 'gpt_oss/mlx'])(
    '%s packed for the CPU: each process has the same tokens',
    async name => {
      const path = join(FAMILIES, name);
      await ranks.ask({ do: 'load', path, options: { exact: false, group: LIMIT } });
      const [first, second] = await ranks.ask({ do: 'generate', request: REQUEST });
      expect(first?.tokens).toHaveLength(REQUEST.maxTokens);
      expect(second?.tokens).toEqual(first?.tokens);
      // Activations are rounded, each process its own, so only the beginning is that of one process.
      const whole = (await alone(path, { exact: false }, [REQUEST])).replies[0];
      expect(first?.tokens?.[0]?.logprob).toBeCloseTo(whole?.logprobs[0] as number, 1);
    },
  );

  test('groups that would lie in two processes are refused by both', async () => {
    const path = join(FAMILIES, 'mistral/full');
    const options = { quantize: 'nvfp4', group: LIMIT };
    for (const answer of await ranks.ask({ do: 'load', path, options })) {
      expect(answer.error).toMatchObject({
        code: 'MODEL_UNSUPPORTED',
        message: expect.stringMatching(
          /down_proj\.weight has 48 columns in whole groups, which cannot be divided/,
        ),
      });
    }
  });

  test('heads that do not divide are refused by both', async () => {
    const message = { do: 'load', path: join(FAMILIES, 'llama/biased'), options: { group: LIMIT } };
    for (const answer of await ranks.ask(message)) {
      expect(answer.error).toMatchObject({
        code: 'MODEL_UNSUPPORTED',
        message: expect.stringContaining('num_key_value_heads (1) cannot be divided by 2 processes'),
      });
    }
  });

  test('its cache is in no file', async () => {
    await ranks.ask({ do: 'load', path: join(FAMILIES, 'llama/plain'), options: { group: LIMIT } });
    await ranks.ask({ do: 'generate', request: REQUEST });
    for (const answer of await ranks.ask({ do: 'save', path: '/nowhere/cache' }))
      expect(answer.error).toMatchObject({
        code: 'CACHE',
        message: expect.stringContaining('several processes'),
      });
  });
});

describe('a process that is gone', { timeout: 120_000 }, () => {
  const path = join(FAMILIES, 'llama/plain');

  test('killed: the reply ends with an error, so does the next, and one process can go on alone', async () => {
    const { left, again, whole } = await without('SIGKILL', 20_000);
    const error = {
      code: 'ENGINE',
      message: expect.stringMatching(
        /the other processes that share the model are gone .*start them all again/,
      ),
    };
    expect(left.error).toMatchObject(error);
    expect(again.error).toMatchObject(error);
    expect(whole.tokens).toHaveLength(REQUEST.maxTokens);
  });

  test('never there: loading ends after the limit', async () => {
    using ranks = await Ranks.start(2, 1);
    const [answer] = await ranks.ask({ do: 'load', path, options: { group: { limitMs: 500 } } });
    expect(answer?.error).toMatchObject({
      code: 'ENGINE',
      message: expect.stringContaining('had not all connected after 0.5 s'),
    });
  });
});

describe('refused before any other process is waited for', () => {
  const group = { limitMs: 100 };
  test.each<[string, string, ModelOptions, string, RegExp]>([
    ['another family', 'gemma2/windows', {}, 'MODEL_UNSUPPORTED', /type "gemma2".*these can: .*llama/],
    ['no variables', 'llama/plain', {}, 'ENGINE', /MLX_RANK.*MLX_HOSTFILE/],
  ])('%s', async (_, name, options, code, message) => {
    const load = loadEngine(join(FAMILIES, name), { ...options, group });
    await expect(load).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
  });

  test.each([0, 1.5, -1, Number.NaN])('a limit of %s', async limitMs => {
    const load = loadEngine(join(FAMILIES, 'llama/plain'), { group: { limitMs } });
    await expect(load).rejects.toMatchObject({ code: 'USAGE', message: expect.stringContaining('limitMs') });
  });
});
