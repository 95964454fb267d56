import { cpSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { inspect } from '../../src/cli/commands/inspect.ts';
import type { CommandContext } from '../../src/cli/options/command.ts';
import { loadEngine } from '../../src/engine/load-engine.ts';
import { inspectModel } from '../../src/model/inspect.ts';
import { readSafetensorsHeader } from '../../src/model/weights/safetensors.ts';
import { loadAddon } from '../../src/native/load-addon.ts';
import { MODELS, safetensors, vector } from './model-files.ts';
import { tempFolder } from './temp-folder.ts';

const FAMILIES = fileURLToPath(new URL('../fixtures/families/', import.meta.url));
const ENCODERS = fileURLToPath(new URL('../fixtures/encoders/', import.meta.url));
const OPTIONS = { contextLength: 0, cwd: MODELS, env: {} };

/** A copy of a tiny model with other entries in config.json. */
function changed(name: string, changes: object = {}): string {
  const folder = tempFolder();
  cpSync(join(MODELS, name), folder, { recursive: true });
  const path = join(folder, 'config.json');
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), ...changes }));
  return folder;
}

const runInspect = async (args: object) => inspect.run(args, {} as CommandContext);

/** What the command prints. */
async function printed(args: object): Promise<string> {
  let text = '';
  vi.spyOn(process.stdout, 'write').mockImplementation(chunk => {
    text += chunk;
    return true;
  });
  expect(await runInspect(args)).toBe(0);
  vi.restoreAllMocks();
  return text;
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe('what is said of a model is what loading makes of it', () => {
  const tiny = readdirSync(MODELS).filter(name => !/-adapter$|\.json$/.test(name));
  const families = readdirSync(FAMILIES).flatMap(family => {
    const variant = readdirSync(join(FAMILIES, family))[0] as string;
    return [join(FAMILIES, family, variant)];
  });

  test.each([...tiny.map(name => join(MODELS, name)), ...families])('%s', async path => {
    const said = JSON.parse(await printed({ model: path, json: true }));
    const engine = await loadEngine(path, { contextLength: 64 });
    const { modelType, parameters, weightBytes } = engine.info;
    await engine.close();
    expect(said).toMatchObject({ family: modelType, parameters, memory: { weightBytes } });
    const exact = await loadEngine(path, { contextLength: 64, exact: true });
    const { inspection } = inspectModel(path, { ...OPTIONS, exact: true });
    expect(inspection.memory.weightBytes).toBe(exact.info.weightBytes);
    await exact.close();
  });

  test.each(readdirSync(ENCODERS))('of the encoder %s', async name => {
    const path = join(ENCODERS, name);
    // BERT's heads for other tasks are counted, though they are left aside.
    for (const exact of /bert-|roberta/.test(name) ? [] : [false, true]) {
      const { inspection, read } = inspectModel(path, { ...OPTIONS, exact });
      const model = await loadAddon().load(read.spec, () => {});
      const { modelType: family, parameters, weightBytes } = model.info;
      await model.close();
      expect(inspection).toMatchObject({ family, parameters, memory: { weightBytes, kvBytes: 0 } });
    }
    expect(await printed({ model: path })).toMatch(/use +(vectors of texts|ranks texts)/);
  });

  test('quantized while loading', async () => {
    const { inspection } = inspectModel('tiny-bf16', { ...OPTIONS, quantize: 'mxfp4' });
    expect(inspection.quantization).toBe('mxfp4, 4 bits, groups of 32, done while loading');
    const engine = await loadEngine(join(MODELS, 'tiny-bf16'), { quantize: 'mxfp4' });
    const { weightBytes } = engine.info;
    await engine.close();
    expect(inspection.memory.weightBytes).toBe(weightBytes);
    expect(weightBytes).toBeLessThan(inspectModel('tiny-bf16', OPTIONS).inspection.memory.weightBytes);
  });
});

describe('inspectModel', () => {
  test('counts the memory of the context that is asked for', () => {
    const kv = (contextLength: number) =>
      inspectModel('tiny-f32', { ...OPTIONS, contextLength }).inspection.memory;
    expect(kv(100).kvBytes * 2).toBe(kv(200).kvBytes);
    expect(kv(0).contextLength).toBe(512);
    const { totalBytes, weightBytes, kvBytes, workingSetBytes } = kv(100);
    expect(totalBytes).toBe(weightBytes + kvBytes + workingSetBytes);
  });

  test('positions that are stretched lengthen the context', () => {
    const rope_scaling = { rope_type: 'yarn', factor: 4, original_max_position_embeddings: 512 };
    expect(inspectModel(changed('tiny-f32', { rope_scaling }), OPTIONS).inspection.contextLength).toBe(2048);
  });

  test('reads headers only: the values of the weights are never looked at', () => {
    const folder = changed('tiny-f32');
    const path = join(folder, 'model.safetensors');
    const before = inspectModel(folder, OPTIONS).inspection;
    const file = readFileSync(path);
    const start = Math.min(...readSafetensorsHeader(path).tensors.map(({ offset }) => offset));
    writeFileSync(path, file.fill(0xff, start));
    const { name, parameters, memory } = inspectModel(folder, OPTIONS).inspection;
    expect([name, parameters, memory.weightBytes]).toEqual([
      before.name,
      before.parameters,
      before.memory.weightBytes,
    ]);
  });

  test('a model that does not fit is described, not refused', () => {
    const folder = tempFolder({
      'config.json': { model_type: 'llama', hidden_size: 2 ** 20, num_hidden_layers: 1000 },
      'model.safetensors': safetensors({ a: vector(0, 1) }, 4),
    });
    const { memory } = inspectModel(folder, { ...OPTIONS, contextLength: 2 ** 20 }).inspection;
    expect(memory.fits).toBe(false);
  });

  test('a template and its tool format', () => {
    const folder = changed('tiny-f32');
    writeFileSync(
      join(folder, 'chat_template.jinja'),
      '{% for t in tools or [] %}{{ t | tojson }}{% endfor %}{% for m in messages %}{{ m.role }}: {{ m.content }}{% for c in m.tool_calls or [] %}<tool_call>{{ c.function | tojson }}</tool_call>{% endfor %}{% endfor %}',
    );
    const { template, toolFormat } = inspectModel(folder, OPTIONS).inspection;
    expect(template).toMatchObject({ rendersTools: true, rendersCalls: true, systemRole: true });
    expect(toolFormat).toBe('hermes');
    for (const [own, format] of [
      [{ tool_parser_type: 'mistral' }, 'mistral-v13'],
      [{ response_template: { fields: { content: {} } } }, 'response_template'],
    ] as const) {
      writeFileSync(join(folder, 'tokenizer_config.json'), JSON.stringify(own));
      expect(inspectModel(folder, OPTIONS).inspection.toolFormat).toBe(format);
    }
  });
});

describe('llm-host inspect', () => {
  test('lines', async () => {
    const text = await printed({ model: join(MODELS, 'tiny-q4'), context: 64 });
    expect(text).toMatch(/^parameters +82,240$/m);
    expect(text).toMatch(/^quantization +affine, 4 bits, groups of 64$/m);
    expect(text).toMatch(/^chat template none: a base model$/m);
    expect(text).toMatch(/KV cache for 64 tokens/);
    expect(text).toMatch(/^speed +at most [\d,.]+ tok\/s, predicted from \d+ GB\/s/m);
  });

  test('--json: every field, numbers as numbers', async () => {
    const found = JSON.parse(await printed({ model: join(MODELS, 'tiny-f32'), context: 64, json: true }));
    expect(found).toEqual({
      name: 'tiny-f32',
      family: 'llama',
      parameters: 22688,
      quantization: 'F32',
      layers: 2,
      contextLength: 512,
      memory: {
        storedBytes: 4 * 22688,
        weightBytes: expect.any(Number),
        contextLength: 64,
        kvBytes: expect.any(Number),
        workingSetBytes: expect.any(Number),
        totalBytes: expect.any(Number),
        availableBytes: expect.any(Number),
        fits: true,
      },
      prediction: {
        tokensPerSecond: expect.any(Number),
        bandwidth: { bytesPerSecond: expect.any(Number), origin: expect.any(String) },
      },
    });
  });

  test.each([
    ['an unknown family', { model_type: 'gpt2' }, 'MODEL_UNSUPPORTED', /"gpt2".*qwen3_moe/],
    ['an unknown kind of positions', { rope_scaling: { rope_type: 'spiral' } }, /^MODEL_/, /spiral/],
    ['impossible shapes', { num_attention_heads: 3 }, 'MODEL_BROKEN', /num_attention_heads/],
    ['an unknown quantization', { quantization: { bits: 7, group_size: 64 } }, 'MODEL_UNSUPPORTED', /7 bits/],
  ])('%s is refused', async (_, changes, code, message) => {
    const run = runInspect({ model: changed('tiny-f32', changes) });
    await expect(run).rejects.toMatchObject({
      code: expect.stringMatching(code),
      message: expect.stringMatching(message),
    });
  });

  test('missing tensors: a shard that is not there, and a file cut short', async () => {
    const folder = changed('tiny-f32');
    const path = join(folder, 'model.safetensors');
    truncateSync(path, 20_000);
    await expect(runInspect({ model: folder })).rejects.toMatchObject({ code: 'MODEL_BROKEN' });
    const weight_map = { 'model.norm.weight': 'model-00002-of-00002.safetensors' };
    const sharded = changed('tiny-f32');
    writeFileSync(join(sharded, 'model.safetensors.index.json'), JSON.stringify({ weight_map }));
    await expect(runInspect({ model: sharded })).rejects.toMatchObject({
      code: 'MODEL_BROKEN',
      message: expect.stringContaining('model-00002-of-00002.safetensors'),
    });
  });

  test.each([-1, 1.5, Number.NaN, 513])('--ctx %s is refused', async context => {
    const run = runInspect({ model: join(MODELS, 'tiny-f32'), context });
    await expect(run).rejects.toMatchObject({ code: 'USAGE' });
  });

  test('the name of a model cannot steer the terminal', async () => {
    const folder = tempFolder();
    const hostile = join(folder, 'a\u001b]0;owned\u0007');
    cpSync(join(MODELS, 'tiny-f32'), hostile, { recursive: true });
    const text = await printed({ model: hostile });
    expect(text).not.toContain('\u001b');
    expect(text).not.toContain('\u0007');
  });
});
