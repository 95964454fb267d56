import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { NativeModel } from '../../../src/native/addon-types.ts';
import { loadAddon } from '../../../src/native/load-addon.ts';
import { readNamed } from '../../model/read-named.ts';
import { variantsOf, withModel } from '../decoders/family-cases.ts';
import { type PackedCase, unpackCase } from '../decoders/packed-steps.ts';
import { tinyGoldens, tinyModels } from '../decoders/tiny-cases.ts';
import { type GoldenCase, generate, greatestDifference } from '../native-run.ts';

// Activations in the type that the files hold. Read when the first model is loaded.
process.env.LLM_HOST_DEVICE_POLICY = 'gpu';

/** Rounded in the same places as mlx-lm: equal to it to four decimals. */
const EQUAL = new Set([
  ...['gemma3_text older-keys', 'gemma3_text mlx', 'granite tied', 'granite biased', 'granite mlx'],
  ...['granitemoehybrid dense', 'granitemoehybrid dense-mlx', 'ministral3 full'],
  ...[
    'gpt_oss mlx',
    'lfm2 plain',
    'lfm2 bias',
    'lfm2 mlx',
    'llama plain',
    'llama biased',
    'llama linear',
    'llama dynamic',
  ],
  ...['llama llama3', 'llama yarn', 'llama windows', 'llama mlx', 'phi3 plain', 'qwen2 tied', 'qwen2 yarn'],
  ...['qwen3 plain', 'qwen3 one-kv', 'qwen3 mlx', 'smollm3 every-second', 'smollm3 default'],
  ...['tiny-bf16', 'tiny-bias-llama3', 'tiny-q4'],
]);
/**
 * Rounded in other places than by mlx-lm, so that each is nearer to float32 by chance, which random weights exaggerate.
 * It attends in float32 in phi, weights keys too in hunyuan_v1_dense, adds the parts of a parallel block first, rounds
 * Gated DeltaNet's inputs less often, and makes the two parts of latent attention's scores one by one.
 */
const ROUNDED_ELSEWHERE =
  /^(cohere2 mlx|(deepseek_v3|glm4_moe_lite|mistral4) mlx|gemma4_text experts-mlx|glm4 default-part|hunyuan_v1_dense mlx|phi \w+|qwen3_5_text mlx|qwen3_next mlx)$/;

/** What scripts/goldens/stored.py writes of one tiny model. */
interface StoredGolden {
  readonly family?: string;
  readonly name?: string;
  readonly model?: string;
  readonly cases?: readonly PackedCase[];
  /** Why there are no cases. */
  readonly skip?: string;
}

const goldens: readonly StoredGolden[] = JSON.parse(
  readFileSync(new URL('stored.json', import.meta.url), 'utf8'),
);

function withStored(golden: StoredGolden, body: Parameters<typeof withModel>[2]): Promise<void> {
  const { family, name, model } = golden;
  if (family === undefined) return body(tinyModels + model);
  const variant = variantsOf(family).find(v => v.name === name);
  if (!variant) throw new Error(`no variant ${name} of ${family}`);
  return withModel(family, variant, body);
}

function exactCases({ family, name, model }: StoredGolden): readonly GoldenCase[] {
  if (family === undefined) return tinyGoldens.find(g => g.model === model && !g.adapter)?.cases ?? [];
  return variantsOf(family).find(v => v.name === name)?.cases ?? [];
}

/**
 * A step at each of the golden's ids, whatever the model itself would choose: by a whole reply where it chooses the same,
 * or each by a prompt of its own.
 */
async function forced(model: NativeModel, golden: GoldenCase) {
  const reply = await generate(model, golden.prompt, golden.ids.length);
  if (reply.every(({ id }, step) => id === golden.ids[step])) return reply;
  const tokens = [];
  for (const step of golden.ids.keys()) {
    tokens.push(...(await generate(model, [...golden.prompt, ...golden.ids.slice(0, step)], 1)));
  }
  return tokens;
}

const load = (source: string): Promise<NativeModel> =>
  loadAddon().load(
    readNamed(source, { cwd: process.cwd(), env: process.env, contextLength: 0, exact: false }).spec,
    () => {},
  );

/** A golden's best tokens as the addon would report them. */
const asTokens = (golden: GoldenCase) =>
  golden.steps.map(({ ids, logprobs }) => ({
    type: 'token' as const,
    id: 0,
    topIds: Int32Array.from(ids),
    topLogprobs: Float32Array.from(logprobs),
  }));

/** The greatest over all cases: ours to mlx-lm, ours to float32, mlx-lm to float32. */
async function distances(model: NativeModel, golden: StoredGolden): Promise<[number, number, number]> {
  const found: [number, number, number] = [0, 0, 0];
  for (const [i, packed] of (golden.cases ?? []).entries()) {
    const theirs = unpackCase(packed);
    const exact = exactCases(golden)[i] as GoldenCase;
    const float32 = { ...exact, steps: exact.steps.slice(0, theirs.ids.length) };
    const tokens = await forced(model, theirs);
    const each = [
      greatestDifference(tokens, theirs),
      greatestDifference(tokens, float32),
      greatestDifference(asTokens(theirs), float32),
    ];
    each.forEach((value, n) => {
      found[n] = Math.max(found[n] as number, value);
    });
  }
  return found;
}

describe('log-probabilities in the stored type', () => {
  for (const golden of goldens) {
    const title = golden.model ?? `${golden.family} ${golden.name}`;
    test(`${title}: as near to float32 as mlx-lm is`, async context => {
      if (golden.skip !== undefined) return context.skip(golden.skip);
      await withStored(golden, async source => {
        const model = await load(source);
        try {
          const [between, ours, peer] = await distances(model, golden);
          expect(ours).toBeLessThan(ROUNDED_ELSEWHERE.test(title) ? 1.3 * peer + 0.01 : peer + 0.01);
          if (EQUAL.has(title)) expect(between).toBeLessThan(2e-4);
        } finally {
          await model.close();
        }
      });
    });
  }
});
