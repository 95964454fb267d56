import { readFileSync } from 'node:fs';
import { readCacheFile } from '../../../src/engine/cache/cache-file.ts';
import { readAdapter } from '../../../src/model/adapter.ts';
import { modelContext } from '../../../src/model/context-length.ts';
import { kvBytesPerToken } from '../../../src/model/fit.ts';
import { readGgufModel } from '../../../src/model/gguf/config.ts';
import { stopIdsOf } from '../../../src/model/stop-ids.ts';
import { textPart } from '../../../src/model/text-part.ts';
import { countParameters } from '../../../src/model/weights/parameters.ts';
import { quantizationOf } from '../../../src/model/weights/quantization.ts';
import { readSafetensorsHeader } from '../../../src/model/weights/safetensors.ts';
import { folderWeights } from '../../../src/model/weights-manifest.ts';
import type { WeightFiles } from '../../../src/native/load-types.ts';
import { readJsonObject } from '../../../src/text/files/json-file.ts';
import { ggufTokenizer } from '../../../src/tokens/gguf-tokenizer.ts';
import { createTokenizer } from '../../../src/tokens/tokenizer.ts';
import { gguf, MODELS, safetensors, vector } from '../../model/model-files.ts';
import type { FuzzTarget } from '../harness/target.ts';
import { withFiles } from '../harness/temp-file.ts';

const HEADER = {
  __metadata__: { format: 'mlx' },
  'model.norm.weight': vector(0, 2),
  'b.weight': vector(8, 1),
};

const safetensorsHeader: FuzzTarget = {
  name: 'safetensors',
  files: /src\/model\/weights\/(safetensors|tensor-ranges|model-file)\.ts/,
  seeds: () => [
    safetensors(HEADER, 12),
    safetensors({}, 0),
    safetensors('{"a":{"dtype":"BF16","shape":[],"data_offsets":[0,2]}}', 2),
  ],
  dictionary: [
    '"dtype":"F16"',
    '"shape":[1,1]',
    '"data_offsets":[0,0]',
    '"__metadata__":{}',
    '"U32"',
    '"BF16"',
  ],
  run: input =>
    withFiles({ 'model.safetensors': input }, folder => {
      const { tensors } = readSafetensorsHeader(`${folder}/model.safetensors`);
      for (const { offset, bytes } of tensors) {
        if (!(offset >= 8 && bytes >= 0 && offset + bytes <= input.length)) {
          throw new Error(`a tensor lies at ${offset}, ${bytes} bytes, of ${input.length}`);
        }
      }
    }),
};

const INDEX = {
  metadata: { total_size: 8 },
  weight_map: { 'a.weight': 'one.safetensors', 'b.weight': 'two.safetensors' },
};

const INDEXED = {
  'one.safetensors': safetensors({ 'a.weight': vector(0, 1) }, 4),
  'two.safetensors': safetensors({ 'b.weight': vector(0, 1) }, 4),
};

const weightIndex: FuzzTarget = {
  name: 'weight-index',
  files: /src\/model\/(weights-manifest|weights\/\w+)\.ts/,
  seeds: () => [JSON.stringify(INDEX)],
  dictionary: ['"weight_map"', '"../one.safetensors"', '"/etc/passwd"', '"one.safetensors"'],
  run: input =>
    withFiles({ 'model.safetensors.index.json': input, ...INDEXED }, folder => {
      for (const file of folderWeights(folder).files) {
        if (!file.startsWith(`${folder}/`)) throw new Error(`${file} is outside of the folder`);
      }
    }),
};

const GGUF_SEED = gguf({
  metadata: [
    ['general.architecture', 'llama'],
    ['llama.context_length', 64],
    ['llama.embedding_length', 8],
    ['llama.block_count', 1],
    ['llama.feed_forward_length', 16],
    ['llama.attention.head_count', 2],
    ['llama.attention.layer_norm_rms_epsilon', 1e-5],
    ['tokenizer.ggml.model', 'gpt2'],
    ['tokenizer.ggml.pre', 'smollm'],
    ['tokenizer.ggml.tokens', ['a', 'b', 'ab', '<s>']],
    ['tokenizer.ggml.token_type', [1, 1, 1, 3]],
    ['tokenizer.ggml.merges', ['a b']],
    ['tokenizer.ggml.eos_token_id', 3],
  ],
  tensors: [
    { name: 'token_embd.weight', dimensions: [8, 4] },
    { name: 'output_norm.weight', dimensions: [8], offset: 128 },
  ],
  dataBytes: 160,
});

const ggufFile: FuzzTarget = {
  name: 'gguf',
  files: /src\/(model\/gguf\/\w+|tokens\/gguf-[\w-]+)\.ts/,
  seeds: () => [GGUF_SEED, readFileSync(`${MODELS}tiny-mixed.gguf`).subarray(0, 12_000)],
  dictionary: [
    'llama',
    'qwen3',
    'gemma3',
    'gemma4',
    'deepseek2',
    'apertus',
    'tokenizer.ggml.scores',
    'tokenizer.ggml.model',
    'GGUF',
  ],
  run: input =>
    withFiles({ 'model.gguf': input }, folder => {
      const { tensors, metadata } = readGgufModel(`${folder}/model.gguf`);
      for (const { offset, bytes } of tensors) {
        if (!(offset >= 0 && offset + bytes <= input.length))
          throw new Error(`a tensor lies outside of the file`);
      }
      const { tokenizerJson, tokenizerConfig } = ggufTokenizer(metadata);
      createTokenizer(tokenizerJson, tokenizerConfig).encode('ab a <s>', { special: true });
    }),
};

const MODULE = 'model.layers.0.self_attn.q_proj';
const PEFT_MODULE = `base_model.model.${MODULE}`;
const floats = (from: number, ...shape: number[]) => {
  const bytes = shape.reduce((product, size) => product * size, 4);
  return { dtype: 'F32', shape, data_offsets: [from, from + bytes] };
};
/** For a module of 4 rows and 6 columns. */
const MLX_LM_WEIGHTS = {
  'adapters.safetensors': safetensors(
    { [`${MODULE}.lora_a`]: floats(0, 6, 2), [`${MODULE}.lora_b`]: floats(48, 2, 4) },
    80,
  ),
};
const PEFT_WEIGHTS = {
  'adapter_model.safetensors': safetensors(
    { [`${PEFT_MODULE}.lora_A.weight`]: floats(0, 2, 6), [`${PEFT_MODULE}.lora_B.weight`]: floats(48, 4, 2) },
    80,
  ),
};
const ADAPTER_BASE: WeightFiles = {
  files: ['model.safetensors'],
  tensors: [{ name: `${MODULE}.weight`, file: 0, dtype: 'F32', shape: [4, 6], offset: 8, bytes: 96 }],
};
const PEFT = { peft_type: 'LORA', r: 2, lora_alpha: 4, target_modules: ['q_proj'], bias: 'none' };
const MLX_LM = {
  fine_tune_type: 'lora',
  lora_parameters: { rank: 2, scale: 20, dropout: 0, keys: ['self_attn.q_proj'] },
};

const adapter: FuzzTarget = {
  name: 'adapter',
  files: /src\/model\/adapter(-config)?\.ts/,
  seeds: () => [JSON.stringify(PEFT), JSON.stringify(MLX_LM)],
  dictionary: [
    '"use_dora":true',
    '"rank_pattern":{}',
    '"alpha_pattern":{"q_proj":8}',
    '"modules_to_save":[]',
    '"use_rslora":true',
    '"fine_tune_type":"dora"',
    '"fine_tune_type":"full"',
    '"target_modules":"all-linear"',
    '"target_modules":".*q_proj"',
    '"bias":"all"',
    '"layers_to_transform":[0]',
    '"num_layers":-1',
  ],
  run: input => {
    const files = Buffer.from(input).includes('peft_type') ? PEFT_WEIGHTS : MLX_LM_WEIGHTS;
    withFiles({ ...files, 'adapter_config.json': input }, folder => {
      const { scale, weights } = readAdapter(folder, ADAPTER_BASE);
      if (!Number.isFinite(scale)) throw new Error(`the scale ${scale}`);
      if (weights.tensors.length !== 2) throw new Error('a tensor is gone');
    });
  },
};

const CACHE = { format: 'llm-host-cache', version: '2', model_hash: 'hash', checksum: '0', tokens: '2' };

const savedCache: FuzzTarget = {
  name: 'saved-cache',
  files: /src\/engine\/cache\/cache-file\.ts|src\/model\/weights\/safetensors\.ts/,
  seeds: () => [
    safetensors({ __metadata__: CACHE, ids: { dtype: 'I32', shape: [2], data_offsets: [0, 8] } }, 8),
  ],
  run: input => withFiles({ kv: input }, folder => void readCacheFile(`${folder}/kv`, 'hash')),
};

const modelConfig: FuzzTarget = {
  name: 'model-config',
  files: /src\/(model\/(context-length|fit|stop-ids|text-part|weights\/\w+)|text\/json-file)\.ts/,
  seeds: () =>
    ['llama/plain', 'gemma3_text/rope-per-layer', 'granitemoehybrid/hybrid', 'gpt_oss/plain'].map(variant =>
      readFileSync(new URL(`../../fixtures/families/${variant}/config.json`, import.meta.url)),
    ),
  dictionary: [
    '"text_config":{',
    '"quantization":{"bits":4,"group_size":32}',
    '"eos_token_id":[1,2]',
    '"rope_scaling"',
  ],
  run: input =>
    withFiles({ 'config.json': input }, folder => {
      const config = readJsonObject(`${folder}/config.json`);
      if (!config) throw new Error('the file is there');
      const weights = { files: [], tensors: [] };
      const part = textPart('config.json', config, weights);
      modelContext(part.config);
      kvBytesPerToken(part.config, 2);
      quantizationOf('config.json', part.config);
      countParameters(weights, part.config);
      stopIdsOf({ config: part.config });
    }),
};

export const MODEL_FILE_TARGETS: readonly FuzzTarget[] = [
  safetensorsHeader,
  weightIndex,
  ggufFile,
  adapter,
  savedCache,
  modelConfig,
];
