import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { LlmHostError, loadEngine } from '../../src/index.ts';
import { readGgufModel } from '../../src/model/gguf/config.ts';
import { MODEL_TYPES } from '../../src/model/model-types.ts';
import { readSafetensorsHeader } from '../../src/model/weights/safetensors.ts';
import { tempFolder } from '../model/temp-folder.ts';

const FIXTURES = fileURLToPath(new URL('../fixtures/', import.meta.url));
const QUANTIZATIONS =
  'supported: MLX affine (2, 3, 4, 5, 6, 8 bits in groups of 32, 64, 128), mxfp4, nvfp4, mxfp8';

/** A copy of a fixture. */
function copyOf(model: string): string {
  const copy = join(tempFolder(), basename(model));
  cpSync(join(FIXTURES, model), copy, { recursive: true });
  return copy;
}

/** A copy with other entries in one of its JSON files. */
function withJson(model: string, file: string, change: (json: Record<string, unknown>) => object): string {
  const path = join(copyOf(model), file);
  writeFileSync(path, JSON.stringify(change(JSON.parse(readFileSync(path, 'utf8')))));
  return join(path, '..');
}

const withConfig = (model: string, changes: object) =>
  withJson(model, 'config.json', config => ({ ...config, ...changes }));

/** Another text of the same length in the header of a file. */
function withName(model: string, file: string, from: string, to: string): string {
  const copy = copyOf(model);
  const bytes = readFileSync(join(copy, file));
  const at = bytes.indexOf(from);
  if (at < 0 || from.length !== to.length) throw new Error(`${from} cannot become ${to}`);
  bytes.write(to, at);
  writeFileSync(join(copy, file), bytes);
  return copy;
}

/** The error of loading, which must say all of `parts`, if only in its hint; its texts. Nothing was generated: there is no engine. */
async function expectRefusal(source: string, code: string, parts: readonly string[], quantize?: string) {
  const error = await loadEngine(source, quantize === undefined ? {} : { quantize }).catch((e: unknown) => e);
  expect(error).toBeInstanceOf(LlmHostError);
  expect((error as LlmHostError).code).toBe(code);
  const { message, hint } = error as LlmHostError;
  for (const part of parts) expect(`${message}\n${hint}`).toContain(part);
  return { message, hint };
}

test('an unknown family: all that are known are named, from A to Z', async () => {
  const folder = withConfig('models/tiny-f32', { model_type: 'gpt9' });
  const parts = [`${folder}/config.json: `, 'model_type "gpt9"'];
  const { message, hint } = await expectRefusal(folder, 'MODEL_UNSUPPORTED', parts);
  const known = /supported are: (.*)/.exec(`${message}\n${hint}`)?.[1]?.split(', ') ?? [];
  expect(known).toEqual(expect.arrayContaining([...MODEL_TYPES]));
  expect(known).toEqual([...known].sort());
});

test('an unknown architecture of a GGUF file', async () => {
  const path = copyOf('models/tiny-mixed.gguf');
  const bytes = readFileSync(path);
  bytes.write('gpt90', bytes.indexOf('llama', bytes.indexOf('general.architecture')));
  writeFileSync(path, bytes);
  const parts = [path, "architecture 'gpt90'", 'supported: llama, granite, ', ', qwen3, ', ', gpt-oss, '];
  await expectRefusal(path, 'MODEL_UNSUPPORTED', parts);
});

test.each([
  [{ quantization_config: { quant_method: 'gptq', bits: 4 } }, "quantization_config.quant_method 'gptq'"],
  [{ quantization: { bits: 7, group_size: 64 } }, 'quantization with mode affine, 7 bits, groups of 64'],
  [
    { quantization: { bits: 4, group_size: 64, 'model.embed_tokens': { bits: 4, group_size: 48 } } },
    'quantization.model.embed_tokens with mode affine, 4 bits, groups of 48',
  ],
])('an unknown quantization: %j', async (changes, key) => {
  const folder = withConfig('models/tiny-f32', changes);
  await expectRefusal(folder, 'MODEL_UNSUPPORTED', [`${folder}/config.json: ${key}`, QUANTIZATIONS]);
});

test('an unknown type of numbers', async () => {
  const folder = withName('models/tiny-f16', 'model.safetensors', '"dtype":"F16"', '"dtype":"I16"');
  const parts = [
    `${folder}/model.safetensors`,
    'tensor ',
    'type I16',
    'supported: F32, F16, BF16, U32, U8, I32',
  ];
  await expectRefusal(folder, 'MODEL_UNSUPPORTED', parts);
});

test.each([
  [{ num_attention_heads: 3 }, 'num_attention_heads'],
  [{ hidden_size: 0 }, 'hidden_size must be an integer of at least 1'],
  [{ num_hidden_layers: '2' }, 'num_hidden_layers must be a number, got string'],
  [{ vocab_size: null }, 'no vocab_size'],
  [{ hidden_act: 'gelu' }, 'hidden_act "gelu"'],
])('a configuration that cannot be: %j', async (changes, message) => {
  const folder = withConfig('models/tiny-f32', changes);
  const code = 'hidden_act' in changes ? 'MODEL_UNSUPPORTED' : 'MODEL_BROKEN';
  await expectRefusal(folder, code, [`${folder}/config.json`, message]);
});

test.each([
  ['models/tiny-f32', { rms_norm_eps: -1e-5 }, 'rms_norm_eps'],
  ['families/granite/tied', { logits_scaling: 0 }, 'logits_scaling'],
  ['families/gpt_oss/mlx', { swiglu_limit: -7 }, 'swiglu_limit'],
])('%s with a factor that is not above 0: %j', async (model, changes, key) => {
  const folder = withConfig(model, changes);
  await expectRefusal(folder, 'MODEL_BROKEN', [`${folder}/config.json`, `${key} must be above 0, got `]);
});

test('a configuration of other shapes than the weights', async () => {
  const folder = withConfig('models/tiny-f32', { intermediate_size: 96 });
  const parts = [
    'tensor model.layers.0.mlp.',
    `(${folder}/model.safetensors) has shape [`,
    `${folder}/config.json asks for [`,
  ];
  await expectRefusal(folder, 'MODEL_BROKEN', parts);
});

test('a missing tensor', async () => {
  const name = 'model.layers.1.mlp.up_proj.weight';
  const folder = withName('models/tiny-f32', 'model.safetensors', name, name.replace('up', 'xp'));
  const parts = [`the weights have no tensor ${name} (looked in ${folder}/model.safetensors)`];
  await expectRefusal(folder, 'MODEL_BROKEN', parts);
});

test('a missing tensor of several files', async () => {
  const folder = withConfig('models/tiny-mistral', { num_hidden_layers: 3 });
  const parts = ['no tensor model.layers.2.', ` (looked in ${folder}/model-0000`, ' and 1 more)'];
  await expectRefusal(folder, 'MODEL_BROKEN', parts);
});

test('a tensor more than the model has', async () => {
  const folder = withConfig('models/tiny-f32', { num_hidden_layers: 1 });
  const parts = [
    'tensor model.layers.1.',
    `(${folder}/model.safetensors) has no place`,
    `${folder}/config.json`,
  ];
  await expectRefusal(folder, 'MODEL_BROKEN', parts);
});

const INDEX = 'model.safetensors.index.json';
const SHARDS = ['model-00001-of-00002.safetensors', 'model-00002-of-00002.safetensors'] as const;

test('a shard that the index names is missing', async () => {
  const folder = copyOf('models/tiny-mistral');
  rmSync(join(folder, SHARDS[1]));
  await expectRefusal(folder, 'MODEL_BROKEN', [join(folder, INDEX), `not in the folder: ${SHARDS[1]}`]);
});

test('a shard is missing from the index', async () => {
  const folder = withJson('models/tiny-mistral', INDEX, ({ weight_map: map, ...rest }) => {
    const kept = Object.entries(map as object).filter(([, file]) => file !== SHARDS[1]);
    return { ...rest, weight_map: Object.fromEntries(kept) };
  });
  await expectRefusal(folder, 'MODEL_BROKEN', [join(folder, INDEX), `does not name the shard ${SHARDS[1]}`]);
});

/** Bytes that are no number in any of the types: the first of a tensor. */
function overwriteTensor(path: string, tensor: string): void {
  const tensors = path.endsWith('.gguf') ? readGgufModel(path).tensors : readSafetensorsHeader(path).tensors;
  const found = tensors.find(({ name }) => name === tensor);
  if (!found) throw new Error(`${path} has no tensor ${tensor}`);
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.fill(0xff, found.offset, found.offset + 4));
}

const DOWN = 'model.layers.0.mlp.down_proj';
test.each([
  ['models/tiny-f32', `${DOWN}.weight`, undefined],
  ['models/tiny-f16', `${DOWN}.weight`, undefined],
  ['models/tiny-bf16', `${DOWN}.weight`, undefined],
  ['models/tiny-bf16', `${DOWN}.weight`, 'mxfp4'],
  ['models/tiny-q4', `${DOWN}.scales`, undefined],
  ['quantized/mxfp4', 'model.layers.0.mlp.up_proj.scales', undefined],
  ['quantized/nvfp4', 'model.layers.0.mlp.up_proj.scales', undefined],
  ['families/gpt_oss/mxfp4', 'model.layers.0.mlp.experts.down_proj_scales', undefined],
  ['models/tiny-mixed.gguf', `${DOWN}.weight`, undefined],
  ['models/tiny-mixed.gguf', 'model.layers.0.self_attn.q_proj.weight', undefined],
])('a weight of %s that is no number: %s, --quantize %s', async (model, tensor, quantize) => {
  const copy = copyOf(model);
  const file = copy.endsWith('.gguf') ? copy : join(copy, 'model.safetensors');
  overwriteTensor(file, tensor);
  const parts = [`tensor ${tensor} (${file}) has a value that is infinite or not a number at element 0`];
  await expectRefusal(copy, 'MODEL_BROKEN', parts, quantize);
});
