import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readAdapter } from '../../src/model/adapter.ts';
import { folderWeights, ggufWeights } from '../../src/model/weights-manifest.ts';
import { MODELS, safetensors } from './model-files.ts';
import { tempFolder } from './temp-folder.ts';
import { thrown } from './thrown.ts';

const base = folderWeights(join(MODELS, 'tiny-f32'));
const Q = 'model.layers.0.self_attn.q_proj';
const CONFIG = { fine_tune_type: 'lora', lora_parameters: { rank: 2, scale: 3, keys: ['self_attn.q_proj'] } };

/** The header of tensors of F32 with these shapes. */
function tensors(shapes: Readonly<Record<string, readonly number[]>>): Buffer {
  let end = 0;
  const header = Object.fromEntries(
    Object.entries(shapes).map(([name, shape]) => {
      const begin = end;
      end += 4 * shape.reduce((product, size) => product * size, 1);
      return [name, { dtype: 'F32', shape, data_offsets: [begin, end] }];
    }),
  );
  return safetensors(header, end);
}

const GOOD = { [`${Q}.lora_a`]: [32, 2], [`${Q}.lora_b`]: [2, 32] };

function read(config: object, shapes: Readonly<Record<string, readonly number[]>> = GOOD) {
  const folder = tempFolder({ 'adapter_config.json': config, 'adapters.safetensors': tensors(shapes) });
  return readAdapter(folder, base);
}

const refusal = (...parts: Parameters<typeof read>) => thrown(() => read(...parts));

describe('readAdapter', () => {
  test('gives the tensors and the scale', () => {
    const { weights, scale } = read(CONFIG);
    expect(scale).toBe(3);
    expect(weights.tensors.map(t => t.name)).toEqual(Object.keys(GOOD));
  });

  test('says whether it is only for requests with tools', () => {
    expect(read(CONFIG).onlyWithTools).toBeUndefined();
    expect(read({ ...CONFIG, llm_host: {} }).onlyWithTools).toBeUndefined();
    expect(read({ ...CONFIG, llm_host: { only_with_tools: true } }).onlyWithTools).toBe(true);
    for (const [llm_host, problem] of [
      [{ only_with_tools: 'yes' }, 'llm_host.only_with_tools "yes"; it must be true or false'],
      [{ only_with_tools: null }, 'llm_host.only_with_tools null; it must be true or false'],
      [
        { only_with_tool: true },
        'llm_host.only_with_tool; known: only_with_tools, call_confidence, look_up_first',
      ],
      [{ toString: true }, 'llm_host.toString; known: only_with_tools, call_confidence, look_up_first'],
      [true, 'llm_host that is no object'],
      [null, 'llm_host that is no object'],
    ]) {
      expect(refusal({ ...CONFIG, llm_host })).toBe(`MODEL_BROKEN: adapter_config.json has ${problem}`);
    }
  });

  test('says how sure of a call a model has to be, and whether it looks up first', () => {
    const { callConfidence, lookUpFirst } = read({
      ...CONFIG,
      llm_host: { call_confidence: 0.5, look_up_first: true },
    });
    expect([callConfidence, lookUpFirst]).toEqual([0.5, true]);
    expect(read(CONFIG)).not.toHaveProperty('callConfidence');
    for (const value of [1, -0.1, '0.5', null])
      expect(refusal({ ...CONFIG, llm_host: { call_confidence: value } })).toBe(
        `MODEL_BROKEN: adapter_config.json has llm_host.call_confidence ${JSON.stringify(value)}; it must be a number of at least 0 and below 1`,
      );
    expect(refusal({ ...CONFIG, llm_host: { look_up_first: 1 } })).toBe(
      'MODEL_BROKEN: adapter_config.json has llm_host.look_up_first 1; it must be true or false',
    );
  });

  test('fits quantized and GGUF models too', () => {
    const adapter = join(MODELS, 'tiny-q4-adapter');
    expect(readAdapter(adapter, folderWeights(join(MODELS, 'tiny-q4'))).scale).toBe(1.5);
    expect(readAdapter(adapter, ggufWeights(join(MODELS, 'tiny-mixed.gguf')).weights).scale).toBe(1.5);
  });

  test('a folder that is missing or holds no adapter', () => {
    expect(thrown(() => readAdapter('/nowhere', base))).toBe(
      "MODEL_NOT_FOUND: Adapter '/nowhere' not found: it has no adapter_config.json",
    );
    const folder = tempFolder({ 'adapter_config.json': CONFIG });
    expect(thrown(() => readAdapter(folder, base))).toMatch(
      /^MODEL_BROKEN: adapters\.safetensors cannot be opened/,
    );
  });

  test('other kinds', () => {
    expect(refusal({ ...CONFIG, fine_tune_type: 'dora' })).toBe(
      'MODEL_UNSUPPORTED: adapter_config.json has fine_tune_type "dora"; supported: lora',
    );
    expect(refusal({ ...CONFIG, fine_tune_type: 'full' })).toMatch(/^MODEL_UNSUPPORTED/);
    expect(refusal(CONFIG, { ...GOOD, [`${Q}.m`]: [32] })).toMatch(
      /^MODEL_UNSUPPORTED: .*tensor .*q_proj\.m/,
    );
  });

  test('a value that is nested too deep to be shown', () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    for (const text of [
      `{"fine_tune_type":${deep}}`,
      `{"peft_type":${deep}}`,
      `{"peft_type":"LORA","bias":${deep}}`,
    ]) {
      const files = { 'adapter_config.json': text, 'adapters.safetensors': tensors(GOOD) };
      expect(thrown(() => readAdapter(tempFolder(files), base))).toMatch(
        /^MODEL_UNSUPPORTED: adapter_config\.json has \w+ a value that is nested too deep[;,]/,
      );
    }
  });

  test.each([
    [{ rank: 0, scale: 1 }, /rank >= 1/],
    [{ rank: 2.5, scale: 1 }, /rank >= 1/],
    [{ rank: 2 }, /no numeric lora_parameters\.scale/],
    [{ rank: 2, scale: 1, keys: 'q' }, /keys that is not a list/],
  ])('parameters %j', (lora_parameters, message) => {
    expect(refusal({ ...CONFIG, lora_parameters })).toMatch(message);
  });

  test.each([
    [{}, /has no tensors/],
    [{ [`${Q}.lora_a`]: [32, 2] }, /tensor .*q_proj\.lora_b is missing/],
    [
      { [`${Q}.lora_a`]: [32, 3], [`${Q}.lora_b`]: [3, 32] },
      /lora_a has shape \[32, 3\], expected \[32, 2\]/,
    ],
    [
      { [`${Q}.lora_a`]: [32, 2], [`${Q}.lora_b`]: [2, 16] },
      /lora_b has shape \[2, 16\], expected \[2, 32\]/,
    ],
    [
      { [`${Q}.lora_a`]: [2, 32], [`${Q}.lora_b`]: [32, 2] },
      /lora_a has shape \[2, 32\], expected \[32, 2\]/,
    ],
    [{ [`${Q}.lora_a`]: [64], [`${Q}.lora_b`]: [2, 32] }, /lora_a has shape \[64\]/],
  ])('tensors %j', (shapes, message) => {
    expect(refusal(CONFIG, shapes)).toMatch(/^MODEL_BROKEN/);
    expect(refusal(CONFIG, shapes)).toMatch(message);
  });

  test('modules that the keys or the model do not have', () => {
    const other = (module: string) => ({ [`${module}.lora_a`]: [32, 2], [`${module}.lora_b`]: [2, 32] });
    expect(refusal(CONFIG, other('model.layers.0.self_attn.o_proj'))).toMatch(
      /does not name in lora_parameters\.keys/,
    );
    expect(refusal(CONFIG, other('model.layers.9.self_attn.q_proj'))).toMatch(
      /does not fit the model: the model has no module model\.layers\.9\.self_attn\.q_proj/,
    );
  });
});

const PEFT = {
  peft_type: 'LORA',
  r: 4,
  lora_alpha: 8,
  target_modules: ['q_proj'],
  bias: 'none',
  use_dora: false,
};
const PEFT_Q = `base_model.model.${Q}`;
const PEFT_GOOD = { [`${PEFT_Q}.lora_A.weight`]: [4, 32], [`${PEFT_Q}.lora_B.weight`]: [32, 4] };

function readPeft(config: object, shapes: Readonly<Record<string, readonly number[]>> = PEFT_GOOD) {
  const folder = tempFolder({ 'adapter_config.json': config, 'adapter_model.safetensors': tensors(shapes) });
  return readAdapter(folder, base);
}

const peftRefusal = (...parts: Parameters<typeof readPeft>) => thrown(() => readPeft(...parts));

describe("readAdapter with PEFT's layout", () => {
  test('names without their prefix, the scale by rank', () => {
    const { weights, scale, transposed } = readPeft(PEFT);
    expect(weights.tensors.map(t => t.name)).toEqual([`${Q}.lora_a`, `${Q}.lora_b`]);
    expect({ scale, transposed }).toEqual({ scale: 2, transposed: true });
    expect(readPeft({ ...PEFT, use_rslora: true }).scale).toBe(4);
    expect(
      readPeft({ ...PEFT, target_modules: 'all-linear', modules_to_save: [], rank_pattern: {} }).scale,
    ).toBe(2);
  });

  test("an adapter's own name in the tensors' names", () => {
    const shapes = {
      [`${PEFT_Q}.lora_A.default.weight`]: [4, 32],
      [`${PEFT_Q}.lora_B.default.weight`]: [32, 4],
    };
    expect(readPeft(PEFT, shapes).weights.tensors[0]?.name).toBe(`${Q}.lora_a`);
  });

  test.each([
    [{ use_dora: true }, /has use_dora true, which is not supported/],
    [{ bias: 'lora_only' }, /has bias "lora_only"/],
    [{ modules_to_save: ['lm_head'] }, /has modules_to_save \["lm_head"\]/],
    [{ peft_type: 'IA3' }, /has peft_type "IA3"; supported: "LORA"/],
    [{ rank_pattern: { q_proj: 8 } }, /has rank_pattern/],
    [{ alpha_pattern: { q_proj: 8 } }, /has alpha_pattern/],
  ])('%j is not supported', (changes, message) => {
    expect(peftRefusal({ ...PEFT, ...changes })).toMatch(/^MODEL_UNSUPPORTED/);
    expect(peftRefusal({ ...PEFT, ...changes })).toMatch(message);
  });

  test.each([
    [{ r: 0 }, /has no r >= 1/],
    [{ lora_alpha: undefined }, /has no numeric lora_alpha/],
    [{ target_modules: [1] }, /target_modules that is not a list/],
    [{ target_modules: ['v_proj'] }, /does not name in target_modules/],
    [{ r: 2 }, /lora_a has shape \[4, 32\], expected \[2, 32\]/],
  ])('%j is broken', (changes, message) => {
    expect(peftRefusal({ ...PEFT, ...changes })).toMatch(message);
  });

  test('tensors of another kind', () => {
    const shapes = { ...PEFT_GOOD, 'base_model.model.model.embed_tokens.lora_embedding_A': [4, 32] };
    expect(peftRefusal(PEFT, shapes)).toMatch(/^MODEL_UNSUPPORTED: .*lora_embedding_A/);
  });
});

describe('readAdapter over the text part of a vision model', () => {
  const NAMES = [`${Q}.lora_a`, `${Q}.lora_b`];
  const wrapped = (folder: string) => readAdapter(folder, base, true).weights.tensors.map(t => t.name);
  const folderOf = (file: string, config: object, names: readonly [string, readonly number[]][]) =>
    tempFolder({ 'adapter_config.json': config, [file]: tensors(Object.fromEntries(names)) });
  const mlx = (config: object, module: string) =>
    folderOf('adapters.safetensors', config, [
      [`${module}.lora_a`, [32, 2]],
      [`${module}.lora_b`, [2, 32]],
    ]);
  const peft = (config: object, ...modules: string[]) =>
    folderOf(
      'adapter_model.safetensors',
      config,
      modules.flatMap(module => [
        [`base_model.model.${module}.lora_A.weight`, [4, 32]],
        [`base_model.model.${module}.lora_B.weight`, [32, 4]],
      ]),
    );
  const VISION = 'model.vision_tower.encoder.layers.0.self_attn.q_proj';

  test.each([`language_model.${Q}`, Q])('%s in mlx-lm', module => {
    expect(wrapped(mlx(CONFIG, module))).toEqual(NAMES);
    const keys = [module];
    const whole = { ...CONFIG, lora_parameters: { ...CONFIG.lora_parameters, keys } };
    expect(wrapped(mlx(whole, module))).toEqual(NAMES);
  });

  test.each([Q.replace('model.', 'model.language_model.'), `language_model.${Q}`, Q])(
    '%s in PEFT, without what it changes in how images are seen',
    module => {
      expect(wrapped(peft(PEFT, module))).toEqual(NAMES);
      expect(wrapped(peft({ ...PEFT, target_modules: [module] }, module))).toEqual(NAMES);
      expect(wrapped(peft(PEFT, VISION, module))).toEqual(NAMES);
    },
  );

  test('one that changes nothing else is refused, as are those names over another model', () => {
    expect(thrown(() => wrapped(peft(PEFT, VISION)))).toMatch(/^MODEL_BROKEN: .* has no tensors/);
    expect(thrown(() => readAdapter(mlx(CONFIG, `language_model.${Q}`), base))).toMatch(
      /the model has no module language_model/,
    );
  });
});
