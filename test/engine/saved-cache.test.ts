import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { GenerateRequest, GenerateResult } from '../../src/engine/engine.ts';
import { MlxEngine } from '../../src/engine/mlx-engine.ts';
import { loadAddon } from '../../src/native/load-addon.ts';
import type { LoadSpec } from '../../src/native/load-types.ts';
import { promptOf } from '../native/tiny/run-job.ts';
import { type TinyOptions, tinyModel } from '../native/tiny/tiny-model.ts';

const folder = mkdtempSync(join(tmpdir(), 'llm-host-saved-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
const newPath = () => join(folder, `cache-${files++}.safetensors`);

/** A sliding layer and a full one. */
const MIXED: TinyOptions = {
  config: { layer_types: ['sliding_attention', 'full_attention'], sliding_window: 8, head_dim: 32 },
};

function open(spec: LoadSpec): Promise<MlxEngine> {
  return MlxEngine.create(loadAddon(), spec, { name: 'tiny', defaultStopIds: [] });
}

async function run(engine: MlxEngine, request: GenerateRequest): Promise<GenerateResult & { ids: number[] }> {
  const ids: number[] = [];
  const stream = engine.generate(request);
  while (true) {
    const step = await stream.next();
    if (step.done) return { ids, ...step.value };
    ids.push(step.value.id);
  }
}

const filesBeside = () => readdirSync(folder).filter(name => name.includes('.part'));

describe('saving', () => {
  test('and loading goes on where it was, in another engine and with other room', async () => {
    for (const kvBits of [0, 4, 8]) {
      const { spec } = tinyModel(MIXED);
      const path = newPath();
      const prompt = promptOf(300);
      await using engine = await open({ ...spec, kvBits });
      const straight = await run(engine, { promptIds: prompt, maxTokens: 12 });
      const saved = await engine.saveCache(path);
      expect(saved.tokens).toBe(311);
      expect(statSync(path).size).toBeGreaterThan(saved.bytes);
      expect(statSync(path).mode & 0o077).toBe(0);
      await using other = await open({ ...spec, kvBits, contextLength: 400 });
      expect(await other.loadCache(path)).toEqual(saved);
      const longer = [...prompt, ...straight.ids];
      const [a, b] = [engine, other].map(one => run(one, { promptIds: longer, maxTokens: 20 }));
      expect(await a).toMatchObject({ cachedTokens: 311 });
      expect((await b)?.cachedTokens).toBe(311);
      expect((await b)?.ids).toEqual((await a)?.ids);
    }
  });

  test('an engine that has read nothing has nothing to save', async () => {
    await using engine = await open(tinyModel().spec);
    await expect(engine.saveCache(newPath())).rejects.toMatchObject({
      code: 'CACHE',
      message: expect.stringContaining('nothing to save'),
    });
  });

  test('waits for the generation that runs, and for each other', async () => {
    await using engine = await open(tinyModel().spec);
    const path = newPath();
    const generation = run(engine, { promptIds: promptOf(10), maxTokens: 50 });
    const saves = await Promise.all([engine.saveCache(path), engine.saveCache(path)]);
    expect((await generation).generatedTokens).toBe(50);
    expect(saves.map(save => save.tokens)).toEqual([59, 59]);
    expect(await engine.loadCache(path)).toEqual(saves[0]);
  });

  test('after a cancel saves what was computed', async () => {
    await using engine = await open(tinyModel().spec);
    const path = newPath();
    for await (const _token of engine.generate({ promptIds: promptOf(200) })) break;
    const { tokens } = await engine.saveCache(path);
    expect(tokens).toBeGreaterThanOrEqual(200);
    await using other = await open(tinyModel().spec);
    await other.loadCache(path);
    const again = await run(other, { promptIds: promptOf(200), maxTokens: 5 });
    expect(again.cachedTokens).toBe(199);
    expect(again.ids).toEqual((await run(engine, { promptIds: promptOf(200), maxTokens: 5 })).ids);
  });

  test('is refused once other weights are in the place of those that were loaded', async () => {
    const { spec } = tinyModel();
    const file = newPath();
    const files = { ...spec, weights: { ...spec.weights, files: [file] } };
    const other = tinyModel({ seed: 2 }).spec.weights.files[0] as string;
    const weights = readFileSync(spec.weights.files[0] as string);
    for (const replace of [() => writeFileSync(file, readFileSync(other)), () => rmSync(file)]) {
      writeFileSync(file, weights);
      await using engine = await open(files);
      await run(engine, { promptIds: [1, 2, 3], maxTokens: 2 });
      replace();
      const changed = { code: 'CACHE', message: expect.stringContaining('have changed since it was loaded') };
      await expect(engine.saveCache(newPath())).rejects.toMatchObject(changed);
      await expect(engine.loadCache(newPath())).rejects.toMatchObject(changed);
    }
    writeFileSync(file, weights);
    await using engine = await open(files);
    await run(engine, { promptIds: [1, 2, 3], maxTokens: 2 });
    const early = newPath();
    await engine.saveCache(early);
    writeFileSync(file, readFileSync(other));
    // It is known by now what was loaded.
    expect((await engine.saveCache(newPath())).tokens).toBe(4);
    await using next = await open(files);
    await expect(next.loadCache(early)).rejects.toThrow('was saved by another model');
  });

  test('is refused by a closed engine', async () => {
    const engine = await open(tinyModel().spec);
    await run(engine, { promptIds: [1, 2, 3], maxTokens: 2 });
    const path = newPath();
    const early = engine.saveCache(path);
    await engine.close();
    expect((await early).tokens).toBe(4);
    await expect(engine.saveCache(path)).rejects.toMatchObject({ code: 'ENGINE' });
    await expect(engine.loadCache(path)).rejects.toMatchObject({ code: 'ENGINE' });
  });

  test.each([
    ['a folder that is not there', () => join(folder, 'nowhere', 'x.safetensors')],
    [
      'a folder',
      () => {
        const path = newPath();
        mkdirSync(path);
        return path;
      },
    ],
  ])('to %s fails and leaves nothing behind', async (_name, target) => {
    await using engine = await open(tinyModel().spec);
    await run(engine, { promptIds: [1, 2, 3], maxTokens: 2 });
    const path = target();
    await expect(engine.saveCache(path)).rejects.toMatchObject({
      code: 'CACHE',
      message: expect.stringContaining(`${path}: cannot be written`),
    });
    expect(filesBeside()).toEqual([]);
    expect((await run(engine, { promptIds: [1, 2, 3], maxTokens: 2 })).cachedTokens).toBe(2);
  });
});

describe('a file that does not fit is refused, and the cache stays as it is', () => {
  const { spec } = tinyModel(MIXED);
  const prompt = promptOf(40);
  let engine: MlxEngine;
  let good: Buffer;
  beforeAll(async () => {
    engine = await open(spec);
    await run(engine, { promptIds: prompt, maxTokens: 4 });
    const path = newPath();
    await engine.saveCache(path);
    good = readFileSync(path);
  });
  afterAll(() => engine.close());

  async function expectRefusal(content: Buffer, message: string): Promise<void> {
    const path = newPath();
    writeFileSync(path, content);
    await expect(engine.loadCache(path)).rejects.toMatchObject({
      code: 'CACHE',
      message: expect.stringContaining(message),
    });
    const { cachedTokens } = await run(engine, { promptIds: prompt, maxTokens: 1 });
    expect(cachedTokens).toBe(39);
  }

  type Header = Record<string, { dtype: string; shape: number[]; data_offsets: number[] }> & {
    __metadata__: Record<string, string>;
  };

  /** The good file with another header; the data stay. */
  function withHeader(change: (header: Header) => void): Buffer {
    const length = Number(good.readBigUInt64LE());
    const header = JSON.parse(good.subarray(8, 8 + length).toString()) as Header;
    change(header);
    return assemble(JSON.stringify(header), good.subarray(8 + length));
  }

  function assemble(header: string, data: Buffer): Buffer {
    const text = Buffer.from(header.padEnd(Math.ceil(header.length / 8) * 8));
    const length = Buffer.alloc(8);
    length.writeBigUInt64LE(BigInt(text.length));
    return Buffer.concat([length, text, data]);
  }

  const tensor = (header: Header, name: string) => {
    const found = header[name];
    if (!found) throw new Error(`no tensor ${name} among ${Object.keys(header)}`);
    return found;
  };

  test('cut short', async () => {
    await expectRefusal(good.subarray(0, good.length - 1), 'is truncated');
    await expectRefusal(good.subarray(0, 20), 'is truncated');
    await expectRefusal(Buffer.alloc(0), 'is truncated');
  });

  // What a value's highest two bytes are: of a float32, a bfloat16 or a float16.
  test.each([
    ['no number', { F32: 0x7fc0, BF16: 0x7fc0, F16: 0x7e00 }],
    ['infinite', { F32: 0xff80, BF16: 0xff80, F16: 0xfc00 }],
  ])('with a value that is %s', async (_what, highest) => {
    const start = 8 + Number(good.readBigUInt64LE());
    const { dtype, data_offsets } = tensor(JSON.parse(good.toString('utf8', 8, start)), 'layers.1.values');
    const broken = Buffer.from(good);
    broken.writeUInt16LE(highest[dtype as keyof typeof highest], start + (data_offsets[1] as number) - 2);
    if (dtype === 'F32') broken.writeUInt16LE(0, start + (data_offsets[1] as number) - 4);
    await expectRefusal(broken, 'tensor layers.1.values has a value that is infinite or not a number');
  });

  test('with a header of endless length', async () => {
    await expectRefusal(Buffer.alloc(64, 0xff), 'its header would have 18446744073709551615 bytes');
  });

  test('that is no cache, or of another version or model', async () => {
    await expectRefusal(
      withHeader(header => {
        header.__metadata__ = {};
      }),
      'is not a saved cache of llm-host',
    );
    await expectRefusal(
      withHeader(header => {
        header.__metadata__.version = '1';
      }),
      'has version "1", this program reads 2',
    );
    await expectRefusal(
      withHeader(header => {
        header.__metadata__.model_hash = 'x';
      }),
      'was saved by another model',
    );
  });

  test('saved by a fine-tune of the same shape, or quantized otherwise', async () => {
    for (const other of [tinyModel({ ...MIXED, seed: 2 }).spec, { ...spec, kvBits: 8 }]) {
      const path = newPath();
      await using saver = await open(other);
      await run(saver, { promptIds: prompt, maxTokens: 2 });
      await saver.saveCache(path);
      await expectRefusal(
        readFileSync(path),
        other.kvBits ? 'layer 1: the keys and values do not fit' : 'was saved by another model',
      );
    }
  });

  test('saved by a fine-tune of which one tensor alone differs', async () => {
    const source = spec.weights.files[0] as string;
    for (const { offset, bytes } of spec.weights.tensors) {
      const weights = readFileSync(source);
      for (let at = offset; at < offset + bytes; at += 4) weights.writeFloatLE(-weights.readFloatLE(at), at);
      const file = newPath();
      writeFileSync(file, weights);
      await using saver = await open({ ...spec, weights: { ...spec.weights, files: [file] } });
      await run(saver, { promptIds: prompt, maxTokens: 2 });
      const path = newPath();
      await saver.saveCache(path);
      await expectRefusal(readFileSync(path), 'was saved by another model');
    }
  });

  test('with a tensor of another type', async () => {
    await expectRefusal(
      withHeader(header => {
        tensor(header, 'ids').dtype = 'F32';
      }),
      'ids must be a list of int32',
    );
    await expectRefusal(
      withHeader(header => {
        tensor(header, 'layers.1.keys').dtype = 'U32';
      }),
      'layer 1: the keys and values do not fit this layer',
    );
    await expectRefusal(
      withHeader(header => {
        tensor(header, 'ids').dtype = 'I64';
      }),
      'type I64, which is not supported',
    );
  });

  test('with a tensor of another shape, too many, or one that is missing', async () => {
    await expectRefusal(
      withHeader(header => {
        tensor(header, 'layers.0.keys').shape.reverse();
      }),
      'layer 0: the keys and values do not fit this layer',
    );
    await expectRefusal(
      withHeader(header => {
        header['layers.7.keys'] = tensor(header, 'layers.1.keys');
        delete header['layers.1.keys'];
      }),
      'has tensor layers.7.keys, which this model does not use',
    );
    await expectRefusal(
      withHeader(header => {
        delete header['layers.1.values'];
      }),
      'layer 1: the keys and values do not fit this layer',
    );
    await expectRefusal(
      withHeader(header => {
        delete header.ids;
      }),
      'holds no token ids',
    );
  });

  test('with ids beyond the vocabulary, or more tokens than the context holds', async () => {
    const ids = good.subarray(0);
    const at = 8 + Number(ids.readBigUInt64LE());
    const header = JSON.parse(good.subarray(8, at).toString()) as Header;
    const wild = Buffer.from(good);
    wild.writeInt32LE(96, at + (tensor(header, 'ids').data_offsets[0] as number));
    await expectRefusal(wild, 'holds 96, which is not a token id of the model');
    await using small = await open({ ...spec, contextLength: 30 });
    const path = newPath();
    writeFileSync(path, good);
    await expect(small.loadCache(path)).rejects.toMatchObject({
      code: 'CACHE',
      message: expect.stringContaining('holds 43 tokens, the context only 30'),
    });
  });

  test('that is missing, or a folder', async () => {
    for (const path of [newPath(), folder]) {
      await expect(engine.loadCache(path)).rejects.toMatchObject({ code: 'CACHE' });
    }
  });
});
