import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { folderWeights } from '../../src/model/weights-manifest.ts';
import { MODELS, safetensors, vector } from './model-files.ts';
import { tempFolder } from './temp-folder.ts';
import { thrown } from './thrown.ts';

const shard = (...names: string[]) =>
  safetensors(Object.fromEntries(names.map((name, i) => [name, vector(4 * i, 1)])), 4 * names.length);
const index = (weight_map: unknown) => ({ metadata: { total_size: 1 }, weight_map });
const refusal = (files: Parameters<typeof tempFolder>[0]) => thrown(() => folderWeights(tempFolder(files)));

describe('folderWeights', () => {
  test('one file', () => {
    const folder = tempFolder({ 'model.safetensors': shard('a', 'b'), 'other.safetensors': 'junk' });
    const { files, tensors } = folderWeights(folder);
    expect(files).toEqual([join(folder, 'model.safetensors')]);
    expect(tensors.map(t => [t.name, t.file])).toEqual([
      ['a', 0],
      ['b', 0],
    ]);
  });

  test('a single shard without an index', () => {
    const folder = tempFolder({ 'model-00001-of-00001.safetensors': shard('a') });
    expect(folderWeights(folder).tensors).toHaveLength(1);
  });

  test('the files and tensors of the index, and no other files', () => {
    const folder = tempFolder({
      'model.safetensors.index.json': index({ a: 'one.safetensors', c: 'two.safetensors' }),
      'one.safetensors': shard('a'),
      'two.safetensors': shard('c'),
      'model-stray.safetensors': 'junk',
    });
    const { files, tensors } = folderWeights(folder);
    expect(files).toEqual([join(folder, 'one.safetensors'), join(folder, 'two.safetensors')]);
    expect(tensors.map(t => [t.name, t.file])).toEqual([
      ['a', 0],
      ['c', 1],
    ]);
  });

  test('no weights, or shards without an index', () => {
    expect(refusal({ 'pytorch_model.bin': '' })).toMatch(/^MODEL_BROKEN: no model\.safetensors in /);
    const shards = { 'model-1.safetensors': shard('a'), 'model-2.safetensors': shard('b') };
    expect(refusal(shards)).toMatch(/^MODEL_BROKEN: 2 safetensors files but no index in /);
  });

  test('an index that names files or tensors that are not there', () => {
    const one = { 'one.safetensors': shard('a') };
    const files = { a: 'one.safetensors', b: 'two.safetensors', c: 'three.safetensors' };
    expect(refusal({ ...one, 'model.safetensors.index.json': index(files) })).toBe(
      'MODEL_BROKEN: model.safetensors.index.json names files that are not in the folder: two.safetensors, three.safetensors. Download them again.',
    );
    expect(refusal({ ...one, 'model.safetensors.index.json': index({ z: 'one.safetensors' }) })).toMatch(
      /^MODEL_BROKEN: one\.safetensors has no tensor z, though the index says so/,
    );
  });

  test('a tensor of a shard that the index does not name, or names in another file', () => {
    const shards = { 'one.safetensors': shard('a', 'b'), 'two.safetensors': shard('c') };
    for (const map of [
      { a: 'one.safetensors', c: 'two.safetensors' },
      { a: 'one.safetensors', b: 'two.safetensors', c: 'two.safetensors' },
    ]) {
      expect(refusal({ ...shards, 'model.safetensors.index.json': index(map) })).toBe(
        'MODEL_BROKEN: one.safetensors has tensor b, which the index does not name as its own. Download both again.',
      );
    }
  });

  test('a shard of the same set that the index does not name', () => {
    const [one, two, old] = [
      'model-00001-of-00002.safetensors',
      'model-00002-of-00002.safetensors',
      'model-00001-of-00003.safetensors',
    ] as const;
    const files = { 'model.safetensors.index.json': index({ a: one }), [one]: shard('a') };
    expect(refusal({ ...files, [two]: shard('b') })).toBe(
      `MODEL_BROKEN: model.safetensors.index.json does not name the shard ${two}. Download it again.`,
    );
    // Left over from a conversion into another number of shards.
    expect(folderWeights(tempFolder({ ...files, [old]: shard('b') })).tensors).toHaveLength(1);
  });

  test('an index that is broken or leads out of the folder', () => {
    const refused = (content: string | object) => refusal({ 'model.safetensors.index.json': content });
    expect(refused('{"weight_map": {')).toMatch(
      /model\.safetensors\.index\.json is not valid JSON: .* at 1:17$/,
    );
    expect(refused({})).toMatch(/has no weight_map$/);
    expect(refused(index({}))).toMatch(/has no weight_map$/);
    for (const file of ['../x.safetensors', '/x.safetensors', 'x.bin', 7]) {
      expect(refused(index({ a: file }))).toMatch(/names a broken file for tensor a/);
    }
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    expect(refused(`{"weight_map":{"a":${deep}}}`)).toMatch(/tensor a: a value that is nested too deep$/);
  });

  test('a shard that was cut off is named', () => {
    const source = join(MODELS, 'tiny-mistral');
    const names = [
      'model-00001-of-00002.safetensors',
      'model-00002-of-00002.safetensors',
      'model.safetensors.index.json',
    ];
    const [one, two, list] = names.map(name => readFileSync(join(source, name))) as [Buffer, Buffer, Buffer];
    const files = {
      [names[0] as string]: one,
      [names[1] as string]: two.subarray(0, -1),
      [names[2] as string]: list,
    };
    expect(refusal(files)).toMatch(
      /^MODEL_BROKEN: model-00002-of-00002\.safetensors is truncated \(tensor .+\): needs \d+ bytes, file has \d+\. Download it again\.$/,
    );
  });
});
