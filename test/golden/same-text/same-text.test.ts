import { describe, expect, test } from 'vitest';
import { randomIds } from '../../../src/bench/random-prompts.ts';
import type { NativeModel, NativeRequest } from '../../../src/native/addon-types.ts';
import { request } from '../../native/tiny/native-request.ts';
import { type Variant, withModel } from '../decoders/family-cases.ts';
import { everyFamily, everyVariant } from '../layer-kinds.ts';
import { loadNative } from '../native-run.ts';

/** More than a block of keys, and than the window of every tiny model. */
const LENGTH = 140;
const COUNT = 64;
const SPLITS = [1, 50, 127, 129, 139];

/** Each token with its log-probability, to the last bit. */
function run(
  model: NativeModel,
  prompt: readonly number[],
  options: Partial<NativeRequest>,
): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const tokens: string[] = [];
    const whole = { maxTokens: COUNT, logprobs: 0, reproducible: true, ...options };
    const job = model.start(request(prompt, whole), () => {
      for (const event of model.take(job)) {
        if (event.type === 'token') tokens.push(`${event.id} ${event.logprob}`);
        if (event.type === 'error') reject(new Error(`${event.code}: ${event.message}`));
        if (event.type === 'end') resolve(tokens);
      }
    });
  });
}

/** What a request gives alone, in chunks, after a part of it, after more than it, and from a checkpoint. */
async function expectSameText(model: NativeModel, options: Partial<NativeRequest>): Promise<void> {
  const prompt = randomIds(LENGTH, model.info.vocabSize, 5);
  const other = randomIds(LENGTH, model.info.vocabSize, 6);
  const again = (more: Partial<NativeRequest> = {}) => run(model, prompt, { ...options, ...more });
  const forget = () => run(model, other, { maxTokens: 1 });
  await forget();
  const alone = await again();
  expect(alone).toHaveLength(COUNT);
  expect(await again(), 'repeated').toEqual(alone);
  for (const split of SPLITS) {
    await forget();
    expect(await again({ prefillChunk: split }), `in chunks of ${split}`).toEqual(alone);
    await forget();
    await run(model, prompt.slice(0, split), { maxTokens: 1 });
    expect(await again(), `${split} cached`).toEqual(alone);
    await forget();
    await run(model, [...prompt.slice(0, split), ...other.slice(split)], {
      maxTokens: 9,
      checkpoints: Int32Array.of(split),
    });
    expect(await again(), `gone back to ${split}`).toEqual(alone);
  }
}

/** By a tiny model, in exact mode or in the fast one. */
async function expectSameTexts(
  family: string,
  variant: Variant,
  { exact = false, greedy = false }: { exact?: boolean; greedy?: boolean },
): Promise<void> {
  await withModel(family, variant, async source => {
    const model = await loadNative(source, undefined, exact);
    try {
      await expectSameText(model, greedy ? {} : { temperature: 1, seed: 7 });
    } finally {
      await model.close();
    }
  });
}

describe('a reproducible request gives the same text, whatever was cached', () => {
  test.each(everyVariant())('%s', (_, family, variant) => expectSameTexts(family, variant, {}));
  // How a token is chosen is the same for all of a family.
  test.each(everyFamily())('%s, greedy', (_, family, variant) =>
    expectSameTexts(family, variant, { greedy: true }),
  );
  test.each(everyFamily())('%s in exact mode', (_, family, variant) =>
    expectSameTexts(family, variant, { exact: true }),
  );
});
