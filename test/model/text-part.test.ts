import { expect, test } from 'vitest';
import { modelContext } from '../../src/model/context-length.ts';
import { kvBytesPerToken } from '../../src/model/fit.ts';
import { textPart } from '../../src/model/text-part.ts';
import type { TensorEntry } from '../../src/native/load-types.ts';
import { thrown } from './thrown.ts';

function weightsOf(...names: string[]) {
  const tensors: TensorEntry[] = names.map(name => ({
    name,
    dtype: 'F32',
    shape: [1],
    file: 0,
    offset: 0,
    bytes: 4,
  }));
  return { files: ['/model.safetensors'], tensors };
}

const namesOf = (config: object, ...names: string[]) =>
  textPart('some/model', { ...config }, weightsOf(...names)).weights.tensors.map(t => t.name);

test('a text model stays as it is', () => {
  const config = { model_type: 'llama', hidden_size: 8 };
  const weights = weightsOf('model.norm.weight', 'vision_tower.x');
  expect(textPart('some/model', config, weights)).toEqual({ config, weights });
});

test('an unknown family is refused with the names of those there are', () => {
  for (const config of [
    { model_type: 'gpt9' },
    { model_type: 'gemma3', text_config: { model_type: 'gpt9' } },
  ]) {
    const refuse = () => textPart('some/model', config, weightsOf());
    expect(thrown(refuse)).toMatch(
      /^MODEL_UNSUPPORTED: some\/model: (text_config\.)?model_type "gpt9" is not supported; supported are: apertus, .*gemma3, .*llama/,
    );
  }
});

test('the nearest family is named, if one is near', () => {
  const hintOf = (model_type: string) => {
    try {
      textPart('some/model', { model_type }, weightsOf());
    } catch (error) {
      return (error as { hint?: string }).hint;
    }
  };
  expect(hintOf('olmo4')).toBe('Choose a model of one of these families; the nearest name is olmo2.');
  expect(hintOf('mamba')).toBe('Choose a model of one of these families.');
});

test('another name of the same architecture is as good', () => {
  const config = { model_type: 'qwen3_8', text_config: { model_type: 'qwen3_8_text', hidden_size: 8 } };
  expect(textPart('some/model', config, weightsOf()).config).toEqual({
    model_type: 'qwen3_5_text',
    hidden_size: 8,
  });
});

test('a config.json without model_type is left to the engine', () => {
  expect(textPart('some/model', {}, weightsOf()).config).toEqual({});
});

test('of a model that also sees, the text part is taken, by every naming', () => {
  const config = { model_type: 'gemma3', text_config: { model_type: 'gemma3_text' } };
  expect(
    namesOf(
      config,
      'language_model.model.norm.weight',
      'language_model.lm_head.weight',
      'vision_tower.vision_model.head.weight',
      'multi_modal_projector.mm_soft_emb_norm.weight',
    ),
  ).toEqual(['model.norm.weight', 'lm_head.weight']);
  expect(
    namesOf(config, 'model.language_model.norm.weight', 'model.vision_tower.x', 'lm_head.weight'),
  ).toEqual(['model.norm.weight', 'lm_head.weight']);
});

test('of Gemma 3n and 4, which also hear, too', () => {
  for (const family of ['gemma3n', 'gemma4']) {
    expect(
      namesOf(
        { model_type: family, text_config: { model_type: `${family}_text` } },
        'model.language_model.norm.weight',
        'model.vision_tower.x',
        'model.audio_tower.x',
        'model.embed_vision.x',
        'embed_audio.x',
      ),
    ).toEqual(['model.norm.weight']);
  }
});

test('of Qwen 3.5 too', () => {
  const config = { model_type: 'qwen3_5', text_config: { model_type: 'qwen3_5_text' } };
  const names = ['model.language_model.norm.weight', 'model.visual.patch_embed.proj.weight', 'mtp.fc.weight'];
  expect(namesOf(config, ...names)).toEqual(['model.norm.weight', 'mtp.fc.weight']);
});

test('the text part keeps what the outer configuration says of both, but its own entries win', () => {
  const text = { model_type: 'ministral3', hidden_size: 8, dtype: 'float32' };
  const config = {
    model_type: 'mistral3',
    text_config: text,
    dtype: 'bfloat16',
    tie_word_embeddings: false,
    vision_config: {},
    quantization: {
      bits: 4,
      group_size: 64,
      'language_model.model.embed_tokens': { bits: 8, group_size: 64 },
    },
  };
  expect(textPart('some/model', config, weightsOf()).config).toEqual({
    ...text,
    tie_word_embeddings: false,
    quantization: { bits: 4, group_size: 64, 'model.embed_tokens': { bits: 8, group_size: 64 } },
  });
});

test('what the text part of Gemma 3 leaves out is what transformers means by that', () => {
  // As published with Gemma 3 4B.
  const text = {
    model_type: 'gemma3_text',
    hidden_size: 2560,
    intermediate_size: 10240,
    num_hidden_layers: 34,
    rope_scaling: { factor: 8, rope_type: 'linear' },
    sliding_window: 1024,
  };
  const given = { model_type: 'gemma3', text_config: text, tie_word_embeddings: true };
  const { config } = textPart('some/model', given, weightsOf());
  expect(config).toEqual({
    ...text,
    vocab_size: 262208,
    num_attention_heads: 8,
    num_key_value_heads: 4,
    head_dim: 256,
    max_position_embeddings: 131072,
    tie_word_embeddings: true,
  });
  expect(kvBytesPerToken(config, 2)).toBe(34 * 2 * 4 * 256 * 2);
  expect(modelContext(config)).toBe(131072);
  const own = { ...text, num_attention_heads: 32, num_key_value_heads: 16, head_dim: 128 };
  expect(textPart('some/model', { ...given, text_config: own }, weightsOf()).config).toMatchObject(own);
});

test('the number of tokens may stand in the outer configuration', () => {
  const outer = { model_type: 'gemma3', vocab_size: 262144, text_config: { model_type: 'gemma3_text' } };
  expect(textPart('some/model', outer, weightsOf()).config).toMatchObject({ vocab_size: 262144 });
  const both = { ...outer, text_config: { model_type: 'gemma3_text', vocab_size: 262208 } };
  expect(textPart('some/model', both, weightsOf()).config).toMatchObject({ vocab_size: 262208 });
});
