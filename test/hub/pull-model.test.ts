import { existsSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cachedModels } from '../../src/hub/cached-models.ts';
import { parseHubId } from '../../src/hub/hub-id.ts';
import { removeModel } from '../../src/hub/remove-model.ts';
import { missingFiles } from '../../src/hub/snapshot-state.ts';
import { gitSha1, pseudoRandomBytes, repository, sha256 } from '../fixtures/hub/hub-stand-in.mjs';
import { CONFIG, contentOf, hubPlace, MODEL_FILES, tree, WEIGHTS } from './hub-place.ts';

const REPO = 'models--org--model';

test("the needed files, in Python's layout", async () => {
  const { hub, cache, pull } = await hubPlace();
  const { commit } = hub.repositories['org/model'] as { commit: string };
  const pulled = await pull();
  const config = gitSha1(Buffer.from(CONFIG));
  const tokenizer = gitSha1(Buffer.from(MODEL_FILES['tokenizer.json']));
  const template = gitSha1(Buffer.from(MODEL_FILES['chat_template.jinja']));
  expect(tree(cache)).toEqual(
    [
      'CACHEDIR.TAG',
      ...[config, tokenizer, template, sha256(WEIGHTS)].map(hash => `${REPO}/blobs/${hash}`),
      `${REPO}/refs/main`,
      `${REPO}/snapshots/${commit}/chat_template.jinja -> ../../blobs/${template}`,
      `${REPO}/snapshots/${commit}/config.json -> ../../blobs/${config}`,
      `${REPO}/snapshots/${commit}/model.safetensors -> ../../blobs/${sha256(WEIGHTS)}`,
      `${REPO}/snapshots/${commit}/tokenizer.json -> ../../blobs/${tokenizer}`,
    ].sort(),
  );
  expect(readFileSync(join(cache, REPO, 'refs/main'), 'utf8')).toBe(commit);
  expect(contentOf(pulled.folder, 'model.safetensors').equals(WEIGHTS)).toBe(true);
  expect(contentOf(pulled.folder, 'config.json').toString()).toBe(CONFIG);
  const bytes = WEIGHTS.length + CONFIG.length + 12 + 14;
  expect(pulled).toMatchObject({ commit, totalBytes: bytes, receivedBytes: bytes });
});

test('a second time asks only what the revision means', async () => {
  const { hub, pull } = await hubPlace();
  await pull();
  hub.requests.length = 0;
  expect((await pull()).receivedBytes).toBe(0);
  expect(hub.requests.map(({ place }) => place)).toEqual(['api', 'api']);
  const { commit } = hub.repositories['org/model'] as { commit: string };
  hub.requests.length = 0;
  await pull(`org/model@${commit}`);
  expect(hub.requests.map(({ place }) => place)).toEqual(['api']);
});

test('a whole file that was not moved into place is checked, not fetched again', async () => {
  const { hub, cache, pull } = await hubPlace();
  const { folder } = await pull();
  const blob = join(cache, REPO, 'blobs', sha256(WEIGHTS));
  const unfinished = `${blob}.llm-host.incomplete`;
  renameSync(blob, unfinished);
  hub.requests.length = 0;
  expect((await pull()).receivedBytes).toBe(0);
  expect(hub.requests.map(({ place }) => place)).toEqual(['api', 'api']);
  expect(contentOf(folder, 'model.safetensors').equals(WEIGHTS)).toBe(true);
  // One that is damaged is.
  rmSync(blob);
  writeFileSync(unfinished, Buffer.alloc(WEIGHTS.length));
  expect((await pull()).receivedBytes).toBe(WEIGHTS.length);
  expect(contentOf(folder, 'model.safetensors').equals(WEIGHTS)).toBe(true);
});

test('the shards of the index, and no others', async () => {
  const index = {
    weight_map: { a: 'model-00001-of-00002.safetensors', b: 'model-00002-of-00002.safetensors' },
  };
  const { cache, pull } = await hubPlace({
    'org/model': repository({
      'config.json': CONFIG,
      'tokenizer.json': '{}',
      'model.safetensors.index.json': JSON.stringify(index),
      'model-00001-of-00002.safetensors': pseudoRandomBytes(5000, 3),
      'model-00002-of-00002.safetensors': pseudoRandomBytes(6000, 4),
      'consolidated.safetensors': pseudoRandomBytes(7000, 5),
    }),
  });
  const { folder } = await pull();
  expect(tree(folder).map(line => line.split(' ')[0])).toEqual([
    'config.json',
    'model-00001-of-00002.safetensors',
    'model-00002-of-00002.safetensors',
    'model.safetensors.index.json',
    'tokenizer.json',
  ]);
  expect(missingFiles(folder)).toEqual([]);
  rmSync(join(folder, 'model-00002-of-00002.safetensors'));
  expect(missingFiles(folder)).toEqual(['model-00002-of-00002.safetensors']);
  expect(cachedModels(cache)[0]?.revisions[0]?.missing).toEqual(['model-00002-of-00002.safetensors']);
  // The blob is still there: only the link is made again.
  expect((await pull()).receivedBytes).toBe(0);
  expect(missingFiles(folder)).toEqual([]);
});

test('long lists in pages, names that need quoting, files in folders, empty files', async () => {
  const { hub, pull } = await hubPlace({
    'org/model': repository({ ...MODEL_FILES, 'some name #1?.json': '{}', 'empty.json': '' }),
  });
  hub.pageSize = 2;
  const { folder } = await pull();
  expect(contentOf(folder, 'some name #1?.json').toString()).toBe('{}');
  expect(contentOf(folder, 'empty.json').length).toBe(0);
  expect(hub.requests.filter(({ path }) => path.includes('cursor=')).length).toBeGreaterThan(2);
});

test('a file of several parts, fetched side by side', async () => {
  const weights = pseudoRandomBytes(34 * 1024 * 1024, 7);
  const { hub, pull } = await hubPlace({
    'org/model': repository({ ...MODEL_FILES, 'model.safetensors': weights }),
  });
  const seen: number[] = [];
  const { folder } = await pull('org/model', { onProgress: ({ doneBytes }) => seen.push(doneBytes) });
  expect(contentOf(folder, 'model.safetensors').equals(weights)).toBe(true);
  expect(hub.requests.filter(({ place }) => place === 'cdn').map(({ range }) => range)).toEqual([
    'bytes=0-16777215',
    'bytes=16777216-33554431',
    'bytes=33554432-35651583',
  ]);
  expect(hub.sent['model.safetensors']).toBe(weights.length);
  expect(seen.at(-1)).toBe(weights.length + CONFIG.length + 26);
});

describe('revisions', () => {
  test('a tag, a branch with a slash, a commit; what is new is fetched, the rest is shared', async () => {
    const { hub, cache, pull } = await hubPlace({
      'org/model': repository(MODEL_FILES, { refs: ['main', 'v1', 'refs/pr/1'] }),
    });
    const first = await pull('org/model@v1');
    expect((await pull('org/model@refs/pr/1')).folder).toBe(first.folder);
    expect(existsSync(join(cache, REPO, 'refs/main'))).toBe(false);
    expect(readFileSync(join(cache, REPO, 'refs/refs/pr/1'), 'utf8')).toBe(first.commit);
    // main moves on: another configuration, the same weights.
    hub.repositories['org/model'] = repository({ ...MODEL_FILES, 'config.json': '{"model_type":"granite"}' });
    const sent = hub.sentBytes;
    const second = await pull();
    expect(hub.sentBytes - sent).toBe('{"model_type":"granite"}'.length);
    expect(second.folder).not.toBe(first.folder);
    // The old one goes, the shared blobs stay.
    const freed = await removeModel(parseHubId('org/model@v1') as never, {
      env: { HF_HUB_CACHE: cache },
      revisionOnly: true,
    });
    expect(freed).toBe(CONFIG.length);
    expect(existsSync(first.folder)).toBe(false);
    expect(existsSync(join(cache, REPO, 'refs/v1'))).toBe(false);
    expect(contentOf(second.folder, 'model.safetensors').equals(WEIGHTS)).toBe(true);
    expect(missingFiles(second.folder)).toEqual([]);
  });
});

test('without a tokenizer it is complete when the Hub has none, and asked again when it was not fetched', async () => {
  const { hub, cache, pull } = await hubPlace({
    'org/model': repository({ 'config.json': CONFIG, 'model.safetensors': WEIGHTS }),
  });
  const { folder } = await pull();
  expect(missingFiles(folder)).toEqual([]);
  rmSync(join(cache, REPO, '.no_exist'), { recursive: true });
  expect(missingFiles(folder)).toEqual(['tokenizer.json']);
  expect(hub.sent['model.safetensors']).toBe(WEIGHTS.length);
});

test('what another tool left is taken: links that lead nowhere are mended', async () => {
  const { pull, cache } = await hubPlace();
  const { folder } = await pull();
  const blob = join(cache, REPO, 'blobs', sha256(WEIGHTS));
  rmSync(blob);
  rmSync(join(folder, 'config.json'));
  symlinkSync('../../blobs/nowhere', join(folder, 'config.json'));
  expect(missingFiles(folder)).toEqual(['config.json', 'model.safetensors']);
  await pull();
  expect(missingFiles(folder)).toEqual([]);
  expect(readFileSync(blob).equals(WEIGHTS)).toBe(true);
  // A blob that something cut is fetched again.
  writeFileSync(blob, 'short');
  await pull();
  expect(readFileSync(blob).equals(WEIGHTS)).toBe(true);
});
