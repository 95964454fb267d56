import { describe, expect, test } from 'vitest';
import { request } from '../tiny/native-request.ts';
import { promptOf, run, withTinyModel } from '../tiny/run-job.ts';
import type { Storage } from '../tiny/tensor-storage.ts';
import type { TinyOptions } from '../tiny/tiny-model.ts';
import { referenceLogprobs } from './reference-llama.ts';

/** How the models are computed. `tolerance`: of log-probabilities, by default as float32 allows. */
interface Arithmetic {
  readonly exact?: boolean;
  readonly tolerance?: number;
}
let arithmetic: Arithmetic = {};

/** Top log-probabilities after prefill and after two decoded tokens equal the float64 reference. */
async function expectReference(options: TinyOptions, promptLength: number): Promise<void> {
  const { exact = true, tolerance = 2e-4 } = arithmetic;
  await withTinyModel({ ...options, exact }, async (model, tiny) => {
    const prompt = promptOf(promptLength);
    const { tokens } = await run(model, request(prompt, { maxTokens: 3, logprobs: 20 }));
    expect(tokens).toHaveLength(3);
    tokens.forEach((token, step) => {
      const seen = [...prompt, ...tokens.slice(0, step).map(t => t.id)];
      const expected = referenceLogprobs(tiny, seen);
      expect(Math.abs((token.logprob ?? 0) - (expected[token.id] as number))).toBeLessThan(tolerance);
      token.topIds?.forEach((id, i) => {
        const got = token.topLogprobs?.[i] as number;
        expect(Math.abs(got - (expected[id] as number)), `step ${step}, token ${id}`).toBeLessThan(tolerance);
      });
      const best = expected[token.topIds?.[0] as number] as number;
      expect(Math.max(...expected) - best).toBeLessThan(tolerance);
    });
  });
}

const stored = (storage: Storage): TinyOptions => ({ storage: () => storage });
const affine = (bits: 4 | 8, group: 32 | 64): TinyOptions => ({
  storage: () => ({ form: 'affine', bits, group }),
  config: { quantization: { bits, group_size: group } },
});

/** The tests of a forward pass, for one of the ways in which it can be computed. */
export function describeModelMath(way: Arithmetic = {}): void {
  arithmetic = way;
  describe('logits equal a float64 reference', () => {
    test.each<[string, TinyOptions]>([
      ['float32', {}],
      ['float16', stored({ form: 'F16' })],
      ['bfloat16', stored({ form: 'BF16' })],
      ['4-bit, groups of 32', affine(4, 32)],
      ['4-bit, groups of 64', affine(4, 64)],
      ['8-bit, groups of 32', affine(8, 32)],
      ['8-bit, groups of 64', affine(8, 64)],
      ['GGUF Q4_0', stored({ form: 'Q4_0' })],
      ['GGUF Q4_1', stored({ form: 'Q4_1' })],
      ['GGUF Q8_0', stored({ form: 'Q8_0' })],
    ])('stored as %s', async (_name, options) => {
      await expectReference(options, 20);
    });

    test('with bits per module', async () => {
      const embedding = 'model.embed_tokens';
      await expectReference(
        {
          storage: name => ({ form: 'affine', bits: name.startsWith(embedding) ? 8 : 4, group: 32 }),
          config: { quantization: { bits: 4, group_size: 32, [embedding]: { bits: 8, group_size: 32 } } },
        },
        12,
      );
    });

    test('with only some modules quantized', async () => {
      await expectReference(
        {
          storage: name => (name.includes('mlp') ? { form: 'affine', bits: 4, group: 64 } : { form: 'F16' }),
          config: { quantization: { bits: 4, group_size: 64 } },
        },
        12,
      );
    });

    test('with a head of its own', async () => {
      await expectReference({ config: { tie_word_embeddings: false } }, 10);
    });

    test('with biases', async () => {
      await expectReference({ config: { attention_bias: true, mlp_bias: true } }, 10);
    });

    test('with as many key heads as query heads, and with one', async () => {
      await expectReference({ config: { num_key_value_heads: 4 } }, 10);
      await expectReference({ config: { num_key_value_heads: 1 } }, 10);
    });

    test('with head_dim other than hidden_size / heads', async () => {
      await expectReference({ config: { head_dim: 24 } }, 10);
    });

    test('with an adapter, over dense and over GGUF weights', async () => {
      const adapterOn = ['model.layers.0.self_attn.q_proj', 'model.layers.1.mlp.down_proj'];
      await expectReference({ adapterOn }, 10);
      await expectReference({ ...stored({ form: 'Q8_0' }), adapterOn }, 10);
    });

    test.each([15, 16, 33, 70])('with heads of 32 channels and a prompt of %i tokens', async length => {
      const config = { head_dim: 32, attention_bias: true };
      await expectReference({ ...stored({ form: 'BF16' }), config }, length);
      const mistral = { head_dim: 32, model_type: 'mistral', sliding_window: 24 };
      await expectReference({ ...affine(4, 32), config: { ...affine(4, 32).config, ...mistral } }, length);
    });

    test.each([1, 2, 63, 64, 65, 130, 300])('with a prompt of %i tokens', async length => {
      await expectReference({}, length);
    });
  });

  describe('positions', () => {
    const llama3 = {
      rope_type: 'llama3',
      factor: 8,
      low_freq_factor: 1,
      high_freq_factor: 4,
      original_max_position_embeddings: 64,
    };

    test.each<[string, TinyOptions['config']]>([
      ['linear scaling', { rope_scaling: { type: 'linear', factor: 4 } }],
      ['llama3 scaling', { rope_scaling: llama3 }],
      ['rope_parameters', { rope_theta: 1, rope_parameters: { ...llama3, rope_theta: 5000 } }],
      ['rope_type default', { rope_scaling: { rope_type: 'default' } }],
    ])('with %s', async (_name, config) => {
      await expectReference({ config: config ?? {} }, 90);
    });
  });

  describe('sliding windows', () => {
    test('cover every layer of a mistral model', async () => {
      await expectReference({ config: { model_type: 'mistral', sliding_window: 24 } }, 100);
      await expectReference({ config: { model_type: 'mistral', sliding_window: null } }, 100);
    });

    test('follow layer_types', async () => {
      const layer_types = ['full_attention', 'sliding_attention'];
      await expectReference({ config: { layer_types, sliding_window: 10 } }, 70);
    });

    test('give the same however many tokens are read at a time', async () => {
      const config = { layer_types: ['full_attention', 'sliding_attention'], sliding_window: 10 };
      await withTinyModel({ config }, async model => {
        // More than the buffer of the sliding layer holds.
        const prompt = promptOf(330);
        const runIn = async (prefillChunk: number) => {
          // Another prompt between, so that nothing is reused.
          await run(model, request([95], { maxTokens: 1 }));
          const { tokens } = await run(model, request(prompt, { maxTokens: 3, logprobs: 1, prefillChunk }));
          return tokens;
        };
        const whole = await runIn(500);
        for (const chunk of [1, 3, 16]) {
          const parts = await runIn(chunk);
          expect(parts.map(token => token.id)).toEqual(whole.map(token => token.id));
          parts.forEach(({ logprob = 0 }, i) => {
            expect(Math.abs(logprob - (whole[i]?.logprob ?? 1))).toBeLessThan(2e-4);
          });
        }
      });
    });
  });
}
