import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadAddon } from '../../src/native/load-addon.ts';
import { MODELS, safetensorsOf } from './model-files.ts';
import { readNamed } from './read-named.ts';
import { tempFolder } from './temp-folder.ts';
import { thrown, thrownCode, thrownHint } from './thrown.ts';

const OPTIONS = { contextLength: 0, adapter: undefined, cwd: MODELS, env: {} };

/** A copy of tiny-f32 with other entries in config.json. */
function changedModel(changes: object): string {
  const folder = tempFolder();
  cpSync(join(MODELS, 'tiny-f32'), folder, { recursive: true });
  const path = join(folder, 'config.json');
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), ...changes }));
  return folder;
}

describe('readModel', () => {
  test('a folder', () => {
    const model = readNamed('tiny-f16', OPTIONS);
    expect(model).toMatchObject({
      name: 'tiny-f16',
      tokenizer: undefined,
      chatTemplate: undefined,
      stopIds: [2],
    });
    expect(model.spec).toMatchObject({ gguf: false, contextLength: 0, config: { model_type: 'llama' } });
    expect(model.spec.adapters).toEqual([]);
    expect(model.weightBytes).toBe(2 * model.parameters);
  });

  test('latents are not quantized; refused before anything is loaded', () => {
    const model = join(MODELS, '../families/deepseek_v3/plain');
    expect(readNamed(model, OPTIONS).spec.kvBits).toBe(0);
    expect(thrown(() => readNamed(model, { ...OPTIONS, kvBits: 8 }))).toBe(
      'USAGE: --kv-bits: plain keeps latents instead of keys and values, which cannot be quantized',
    );
    const gguf = join(MODELS, '../families/deepseek_v3/gguf.gguf');
    expect(thrownCode(() => readNamed(gguf, { ...OPTIONS, kvBits: 4 }))).toBe('USAGE');
  });

  test('quantized weights count as what they stand for', () => {
    const dense = 64 * 128 + 2 * (2 * 64 + 2 * 64 * 64 + 2 * 64 * 32 + 3 * 64 * 128) + 64;
    expect(readNamed('tiny-q4', OPTIONS).parameters).toBe(dense);
    expect(readNamed('tiny-q8', OPTIONS).parameters).toBe(dense + 64 * 128);
    expect(readNamed('tiny-mixed.gguf', OPTIONS).parameters).toBe(dense + 64 * 128);
  });

  test('an adapter with the names of a vision model, over its text part', () => {
    const text_config = JSON.parse(readFileSync(join(MODELS, 'tiny-f32/config.json'), 'utf8'));
    const model = changedModel({ model_type: 'mistral3', text_config });
    const q = 'model.language_model.layers.0.self_attn.q_proj';
    const tensors = { [`${q}.lora_a`]: [32, 2], [`${q}.lora_b`]: [2, 32] };
    const adapter = tempFolder({
      'adapter_config.json': { lora_parameters: { rank: 2, scale: 1 } },
      'adapters.safetensors': safetensorsOf(tensors, () => 1),
    });
    const { spec } = readNamed(model, { ...OPTIONS, adapter });
    expect(spec.adapters[0]?.weights.tensors[0]?.name).toBe('model.layers.0.self_attn.q_proj.lora_a');
    expect(thrownCode(() => readNamed('tiny-f32', { ...OPTIONS, adapter }))).toBe('MODEL_BROKEN');
  });

  test('an adapter, relative to the working directory', () => {
    const { spec } = readNamed('tiny-f32', { ...OPTIONS, adapter: 'tiny-f32-adapter' });
    expect(spec.adapters.map(a => a.scale)).toEqual([1.5]);
    const twice = readNamed('tiny-f32', { ...OPTIONS, adapter: ['tiny-f32-adapter', 'tiny-f32-adapter'] });
    expect(twice.spec.adapters).toHaveLength(2);
    expect(thrownCode(() => readNamed('tiny-f32', { ...OPTIONS, adapter: 'no-such' }))).toBe(
      'MODEL_NOT_FOUND',
    );
    expect(thrownCode(() => readNamed('tiny-q4', { ...OPTIONS, adapter: 'tiny-f32-adapter' }))).toBe(
      'MODEL_BROKEN',
    );
  });

  test('float32 alone is computed exactly, unless somebody says otherwise', () => {
    const exact = (source: string, options: object = {}) =>
      readNamed(source, { ...OPTIONS, ...options }).spec.exact;
    const others = ['tiny-f16', 'tiny-bf16', 'tiny-q4', 'tiny-mixed.gguf'];
    expect(others.map(source => exact(source))).toEqual(others.map(() => false));
    expect(exact('tiny-f32')).toBe(true);
    expect(exact('tiny-f32', { quantize: '4' })).toBe(false);
    expect(exact('tiny-f32', { env: { LLM_HOST_EXACT: '0' } })).toBe(false);
    expect(exact('tiny-f32', { exact: false, env: { LLM_HOST_EXACT: '1' } })).toBe(false);
    expect(exact('tiny-bf16', { env: { LLM_HOST_EXACT: '1' } })).toBe(true);
  });

  test('a GGUF file brings its metadata', () => {
    const model = readNamed('tiny-mixed.gguf', OPTIONS);
    expect(model).toMatchObject({ name: 'tiny-mixed', stopIds: [2], chatTemplate: undefined });
    expect(model.spec.gguf).toBe(true);
    expect(model.ggufMetadata?.get('general.architecture')).toBe('llama');
  });

  test('the demo: its own template, and the way to get its weights', () => {
    const weights = {
      'llm-host/demo/SmolLM2-135M-Instruct.Q4_1.gguf': readFileSync(`${MODELS}tiny-mixed.gguf`),
    };
    const cache = tempFolder({ ...weights, 'llm-host/demo/adapter/adapter_config.json': {} });
    for (const [files, missing] of [
      [{}, 'gguf'],
      [weights, 'adapter_config.json'],
    ] as const) {
      const env = { XDG_CACHE_HOME: tempFolder(files) };
      expect(thrown(() => readNamed('demo', { ...OPTIONS, env }))).toBe(
        "MODEL_NOT_FOUND: Model 'demo' not found or not accessible",
      );
      expect(thrownHint(() => readNamed('demo', { ...OPTIONS, env }))).toMatch(
        new RegExp(`${missing}\\. Get it with: npm run bootstrap$`),
      );
    }
    // The tiny file has other shapes than the demo's own adapter.
    const adapter = join(MODELS, 'tiny-q4-adapter');
    const demo = readNamed('demo', { ...OPTIONS, env: { XDG_CACHE_HOME: cache }, adapter });
    expect(demo.name).toBe('demo');
    expect(demo.chatTemplate).toContain('<|im_start|>');
  });

  test('a context that the model does not have', () => {
    expect(readNamed('tiny-f32', { ...OPTIONS, contextLength: 512 }).spec.contextLength).toBe(512);
    for (const contextLength of [513, -1, 1.5, Number.NaN]) {
      expect(thrown(() => readNamed('tiny-f32', { ...OPTIONS, contextLength }))).toMatch(
        /^USAGE: The context must be 1 to 512 tokens, the model's maximum; got/,
      );
    }
  });

  test('unless it is only a limit, which a model may be below', () => {
    const limited = { ...OPTIONS, contextIsLimit: true };
    expect(readNamed('tiny-f32', { ...limited, contextLength: 513 }).spec.contextLength).toBe(0);
    expect(readNamed('tiny-f32', { ...limited, contextLength: 300 }).spec.contextLength).toBe(300);
    expect(thrown(() => readNamed('tiny-f32', { ...limited, contextLength: -1 }))).toMatch(/^USAGE/);
  });

  test('caches that no machine has room for', () => {
    const cacheBytes = 2 ** 50;
    expect(thrown(() => readNamed('tiny-f32', { ...OPTIONS, cacheBytes }))).toMatch(
      /^OUT_OF_MEMORY: .*KV caches 1125899.9 GB/,
    );
    expect(readNamed('tiny-f32', { ...OPTIONS, cacheBytes, anyMemory: true }).bytesLeft).toBe(Infinity);
    expect(readNamed('tiny-f32', OPTIONS).bytesLeft).toBeGreaterThan(1e6);
  });

  test('what quantizing on load would change is counted where it can be done', () => {
    const need = (source: string, quantize?: string) => readNamed(source, { ...OPTIONS, quantize }).need;
    const whole = need('tiny-f32');
    expect(whole?.quantized).toEqual(need('tiny-f32', '4'));
    expect(whole?.quantized?.weightBytes).toBeLessThan(whole?.weightBytes ?? 0);
    expect(need('tiny-bf16', '8')?.quantized).toEqual(need('tiny-bf16', '4'));
    for (const done of [need('tiny-q4'), need('tiny-mixed.gguf'), need('tiny-f16', 'mxfp4')])
      expect(done?.quantized).toBeUndefined();
  });

  test('memory that no machine has is refused before loading', () => {
    const folder = changedModel({ max_position_embeddings: 1e12 });
    expect(thrown(() => readNamed(folder, OPTIONS))).toMatch(
      /^OUT_OF_MEMORY: .*KV cache for 1000000000000 tokens/,
    );
    expect(() => readNamed(folder, { ...OPTIONS, contextLength: 64 })).not.toThrow();
  });

  test('weights quantized by other tools', () => {
    const folder = changedModel({ quantization_config: { quant_method: 'gptq', bits: 4 } });
    expect(thrown(() => readNamed(folder, OPTIONS))).toMatch(
      /^MODEL_UNSUPPORTED: .*'gptq'.*supported: MLX affine/,
    );
  });
});

describe('what only the engine can tell', () => {
  const load = async (changes: object) =>
    loadAddon().load(readNamed(changedModel(changes), OPTIONS).spec, () => {});

  test('an unknown family: the supported ones are listed', async () => {
    await expect(load({ model_type: 'mamba9' })).rejects.toMatchObject({
      code: 'MODEL_UNSUPPORTED',
      message: expect.stringMatching(/mamba9.*llama.*mistral/),
    });
  });

  test('shapes that config.json does not promise', async () => {
    await expect(load({ intermediate_size: 96 })).rejects.toMatchObject({
      code: 'MODEL_BROKEN',
      message: expect.stringMatching(
        /tensor model\.layers\.0\.mlp\.\w+\.weight \(.+\.safetensors\) has shape/,
      ),
    });
  });

  test.each([
    { hidden_size: -1 },
    { num_hidden_layers: 3 },
    { num_attention_heads: 0 },
    { num_key_value_heads: 3 },
    { vocab_size: 'many' },
    { model_type: 7 },
    { rope_scaling: { rope_type: 'yarn9', factor: 4 } },
    { rms_norm_eps: 'small' },
    { head_dim: 15 },
  ])('config.json with %j', async changes => {
    await expect(load(changes)).rejects.toMatchObject({
      code: expect.stringMatching(/^MODEL_(BROKEN|UNSUPPORTED)$/),
    });
  });
});
