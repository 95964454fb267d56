import { readdirSync, readFileSync } from 'node:fs';
import { readCacheFile } from '../../../src/engine/cache-file.ts';
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
import { readJsonObject } from '../../../src/text/json-file.ts';
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

const weightIndex: FuzzTarget = {
  name: 'weight-index',
  files: /src\/model\/(weights-manifest|weights\/\w+)\.ts/,
  seeds: () => [JSON.stringify(INDEX)],
  dictionary: ['"weight_map"', '"../one.safetensors"', '"/etc/passwd"', '"one.safetensors"'],
  run: input =>
    withFiles(
      {
        'model.safetensors.index.json': input,
        'one.safetensors': safetensors({ 'a.weight': vector(0, 1) }, 4),
        'two.safetensors': safetensors({ 'b.weight': vector(0, 1) }, 4),
      },
      folder => {
        for (const file of folderWeights(folder).files) {
          if (!file.startsWith(`${folder}/`)) throw new Error(`${file} is outside of the folder`);
        }
      },
    ),
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
  dictionary: ['llama', 'qwen3', 'gemma3', 'tokenizer.ggml.scores', 'tokenizer.ggml.model', 'GGUF'],
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

const ADAPTER_FOLDER = `${MODELS}tiny-f32-adapter`;
const ADAPTER_WEIGHTS = readdirSync(ADAPTER_FOLDER).filter(name => name.endsWith('.safetensors'));
const PEFT = { peft_type: 'LORA', r: 2, lora_alpha: 4, target_modules: ['q_proj'], bias: 'none' };

const adapter: FuzzTarget = {
  name: 'adapter',
  files: /src\/model\/adapter(-config)?\.ts/,
  seeds: () => [readFileSync(`${ADAPTER_FOLDER}/adapter_config.json`), JSON.stringify(PEFT)],
  dictionary: [
    '"use_dora":true',
    '"rank_pattern":{}',
    '"modules_to_save":[]',
    '"use_rslora":true',
    '"fine_tune_type":"dora"',
  ],
  run: input => {
    const base = folderWeights(`${MODELS}tiny-f32`);
    const weights = ADAPTER_WEIGHTS.map(name => [name, readFileSync(`${ADAPTER_FOLDER}/${name}`)] as const);
    withFiles({ 'adapter_config.json': input, ...Object.fromEntries(weights) }, folder => {
      readAdapter(folder, base);
    });
  },
};

const CACHE = { format: 'llm-host-cache', version: '1', model_hash: 'hash', tokens: '2' };

const savedCache: FuzzTarget = {
  name: 'saved-cache',
  files: /src\/engine\/cache-file\.ts|src\/model\/weights\/safetensors\.ts/,
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
