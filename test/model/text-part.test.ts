import { expect, test } from 'vitest';
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
