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

  test('fits quantised and GGUF models too', () => {
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
    expect(refusal({ peft_type: 'LORA', r: 8 })).toMatch(/^MODEL_UNSUPPORTED: .*PEFT/);
    expect(refusal(CONFIG, { ...GOOD, [`${Q}.m`]: [32] })).toMatch(
      /^MODEL_UNSUPPORTED: .*tensor .*q_proj\.m/,
    );
  });

  test.each([
    [{ rank: 0, scale: 1 }, /rank >= 1/],
    [{ rank: 2.5, scale: 1 }, /rank >= 1/],
    [{ rank: 2 }, /no number lora_parameters\.scale/],
    [{ rank: 2, scale: 1, keys: 'q' }, /keys that are no list/],
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
    expect(refusal(CONFIG, other('model.layers.0.self_attn.o_proj'))).toMatch(/does not name in keys/);
    expect(refusal(CONFIG, other('model.layers.9.self_attn.q_proj'))).toMatch(
      /does not fit the model: the model has no module model\.layers\.9\.self_attn\.q_proj/,
    );
  });
});
