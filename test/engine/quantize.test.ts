import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadEngine } from '../../src/engine/load-engine.ts';
import { tempFolder } from '../model/temp-folder.ts';
import { thrownCode } from '../model/thrown.ts';
import { tinyModel } from '../native/tiny/tiny-model.ts';
import { topLogprobs } from './top-logprobs.ts';

/** A folder in Hugging Face's layout with rows of 64 and more, in bf16. */
function modelFolder(): string {
  const { spec } = tinyModel({ storage: () => ({ form: 'BF16' }) });
  const header = Object.fromEntries(
    spec.weights.tensors.map(({ name, dtype, shape, offset, bytes }) => [
      name,
      { dtype, shape, data_offsets: [offset, offset + bytes] },
    ]),
  );
  const text = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  const data = readFileSync(spec.weights.files[0] as string);
  return tempFolder({
    'config.json': spec.config,
    'generation_config.json': { eos_token_id: 5 },
    'model.safetensors': Buffer.concat([length, text, data]),
  });
}

const refusal = async (load: Promise<unknown>) => {
  const error = await load.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return thrownCode(() => {
    throw error;
  });
};

describe('quantizing while loading', () => {
  test.each(['8', '6', '5', '4', '3', '2', 'mxfp4', 'nvfp4', 'mxfp8'])(
    '%s: what is saved gives the same logits',
    async quantize => {
      const folder = modelFolder();
      const saved = join(tempFolder(), 'deep', 'saved');
      const live = await topLogprobs(folder, { quantize, saveQuantized: saved });
      expect(live).toHaveLength(4 * 20 * 2);
      expect(await topLogprobs(saved)).toEqual(live);
      expect(readdirSync(saved).sort()).toEqual([
        'config.json',
        'generation_config.json',
        'model.safetensors',
      ]);
      expect(await topLogprobs(folder, { quantize })).toEqual(live);
    },
  );

  test('8 bits stay near the original, 2 bits do not', async () => {
    const folder = modelFolder();
    const best = async (quantize?: string) =>
      (await topLogprobs(folder, quantize === undefined ? {} : { quantize }))[1] as number;
    const original = await best();
    expect(Math.abs((await best('8')) - original)).toBeLessThan(0.05);
    expect(await best('2')).not.toBeCloseTo(original, 3);
  });

  test('refusals come before anything is written', async () => {
    const folder = modelFolder();
    const saved = join(tempFolder(), 'saved');
    expect(await refusal(loadEngine(folder, { quantize: '7' }))).toBe('USAGE');
    expect(await refusal(loadEngine(folder, { saveQuantized: saved }))).toBe('USAGE');
    expect(existsSync(saved)).toBe(false);
    mkdirSync(saved);
    await topLogprobs(folder, { quantize: '4', saveQuantized: saved });
    expect(await refusal(loadEngine(folder, { quantize: '4', saveQuantized: saved }))).toBe('USAGE');
    expect(await refusal(loadEngine(saved, { quantize: '4' }))).toBe('USAGE');
  });

  test('a load that fails leaves nothing behind', async () => {
    const folder = modelFolder();
    const path = join(folder, 'config.json');
    writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), num_hidden_layers: 3 }));
    const parent = tempFolder();
    const load = loadEngine(folder, { quantize: '4', saveQuantized: join(parent, 'saved') });
    expect(await refusal(load)).toBe('MODEL_BROKEN');
    expect(readdirSync(parent)).toEqual([]);
  });
});
