import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readEncoderConfig } from '../../../src/model/encoder/encoder-config.ts';
import { readNamed } from '../read-named.ts';

const BERT = { model_type: 'bert', architectures: ['BertModel'] };
const module = (name: string, path = '') => ({
  idx: 0,
  name: '0',
  path,
  type: `sentence_transformers.models.${name}`,
});

function read(files: Readonly<Record<string, unknown>>, config: object = BERT, tokenizerConfig?: object) {
  const folder = mkdtempSync(join(tmpdir(), 'encoder-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, value] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), JSON.stringify(value));
  }
  return readEncoderConfig(folder, { ...config }, tokenizerConfig && { ...tokenizerConfig });
}

it('only of encoders', () => {
  expect(read({}, { model_type: 'llama' })).toBeUndefined();
  expect(read({})).toEqual({
    kind: 'embedding',
    pooling: 'mean',
    dense: [],
    maxTokens: undefined,
    prompts: {},
    defaultPrompt: undefined,
  });
});

it.each([
  [{ pooling_mode_cls_token: true, pooling_mode_mean_tokens: false }, 'cls'],
  [{ pooling_mode_cls_token: false, pooling_mode_mean_tokens: true }, 'mean'],
  [{ pooling_mode_lasttoken: true }, 'lasttoken'],
  [{ pooling_mode: 'cls' }, 'cls'],
  [{ pooling_mode: ['mean'] }, 'mean'],
])('pooling by %j', (pooling, expected) => {
  const modules = [module('Transformer'), module('Pooling', '1_Pooling'), module('Normalize', '2_Normalize')];
  expect(read({ 'modules.json': modules, '1_Pooling/config.json': pooling })?.pooling).toBe(expected);
});

it.each([
  [
    [module('Pooling', '1_Pooling')],
    { pooling_mode_max_tokens: true },
    /pools by \["pooling_mode_max_tokens"\]/,
  ],
  [
    [module('Pooling', '1_Pooling')],
    { pooling_mode_cls_token: true, pooling_mode_mean_tokens: true },
    /pools by .*supported is one of: mean, cls, lasttoken/,
  ],
  [[module('Pooling', '1_Pooling')], { pooling_mode: 'toString' }, /pools by \["toString"\]/],
  [[module('CNN', '2_CNN')], {}, /a module of type "sentence_transformers\.models\.CNN"; supported/],
  [
    [module('Dense', '1_Pooling'), module('Pooling', '1_Pooling')],
    { pooling_mode: 'mean', out_features: 8, activation_function: 'torch.nn.Identity' },
    /modules in an order that is not supported/,
  ],
  [
    [module('Pooling', '1_Pooling'), module('Pooling', '1_Pooling')],
    { pooling_mode: 'mean' },
    /modules in an order that is not supported/,
  ],
  [[module('Dense', '1_Pooling')], { out_features: 8.5 }, /must hold out_features, an integer/],
  [[module('Dense', '1_Pooling')], { out_features: 8, bias: 'yes' }, /must hold out_features, .* and bias/],
  [
    [module('Dense', '1_Pooling')],
    { out_features: 8, activation_function: 'torch.nn.modules.activation.ReLU' },
    /activation_function "torch\.nn\.modules\.activation\.ReLU"; supported are: Identity, Tanh/,
  ],
  [[module('Dense', '1_Pooling')], { out_features: 8, use_residual: true }, /use_residual/],
  [[module('Pooling', '1_Pooling')], { pooling_mode: 'mean', include_prompt: false }, /include_prompt/],
  [[module('Pooling', '../elsewhere')], {}, /a broken path: "\.\.\/elsewhere"/],
  [[module('Pooling', 'missing')], {}, /config\.json is missing, though modules\.json names it/],
  [['odd'], {}, /a module of type undefined/],
  ['odd', {}, /modules\.json must hold a list of modules/],
])('modules that would give other vectors are refused: %j', (modules, pooling, message) => {
  expect(() => read({ 'modules.json': modules, '1_Pooling/config.json': pooling })).toThrow(message);
});

it('the length of a text: the smaller of two limits', () => {
  const limit = (own: unknown, tokenizer: unknown) =>
    read({ 'sentence_bert_config.json': { max_seq_length: own } }, BERT, { model_max_length: tokenizer })
      ?.maxTokens;
  expect(limit(256, 512)).toBe(256);
  expect(limit(null, 512)).toBe(512);
  expect(limit(384, 1e30)).toBe(384);
  expect(limit(-1, 'x')).toBeUndefined();
});

it('a decoder is an encoder if its modules pool', () => {
  const qwen3 = { model_type: 'qwen3', architectures: ['Qwen3ForCausalLM'] };
  const modules = (...names: string[]) => names.map((name, index) => module(name, `${index}_${name}`));
  const pooling = { '1_Pooling/config.json': { pooling_mode_lasttoken: true } };
  const found = read({ 'modules.json': modules('Transformer', 'Pooling', 'Normalize'), ...pooling }, qwen3);
  expect(found).toMatchObject({ kind: 'embedding', pooling: 'lasttoken', dense: [] });
  expect(read({ 'modules.json': modules('Transformer') }, qwen3)).toBeUndefined();
});

it('matrices behind the pooling', () => {
  const modules = ['Transformer', 'Pooling', 'Dense', 'Dense'].map((name, i) => module(name, `${i}_${name}`));
  const found = read({
    'modules.json': modules,
    '1_Pooling/config.json': { pooling_mode: 'mean' },
    '2_Dense/config.json': {
      out_features: 64,
      bias: false,
      activation_function: 'torch.nn.modules.linear.Identity',
    },
    '3_Dense/config.json': { out_features: 16 },
  });
  expect(found?.dense).toMatchObject([
    {
      out: 64,
      bias: false,
      activation: 'identity',
      file: expect.stringMatching(/2_Dense.model\.safetensors$/),
    },
    { out: 16, bias: true, activation: 'tanh' },
  ]);
});

it('the weights of a matrix are missing', () => {
  const folder = mkdtempSync(join(tmpdir(), 'encoder-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  cpSync('test/fixtures/encoders/gemma3', folder, { recursive: true });
  rmSync(join(folder, '2_Dense/model.safetensors'));
  const options = { cwd: process.cwd(), env: process.env, contextLength: 0 };
  expect(() => readNamed(folder, options)).toThrow(expect.objectContaining({ code: 'MODEL_BROKEN' }));
});

it('prompts, and what a classifier is', () => {
  const prompts = { query: 'query: ', odd: 3 };
  const found = read({ 'config_sentence_transformers.json': { prompts, default_prompt_name: 'query' } });
  expect(found).toMatchObject({ prompts: { query: 'query: ' }, defaultPrompt: 'query' });
  expect(read({}, { ...BERT, architectures: ['BertForSequenceClassification'] })?.kind).toBe('classifier');
});
