import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cacheStore } from '../../src/cli/http-api/start-http-api.ts';
import { cachedModels } from '../../src/hub/cached-models.ts';
import { tempFolder } from '../model/temp-folder.ts';

const COMMIT = '0123456789abcdef0123456789abcdef01234567';

/** A cache with one complete model, in the layout of the Hub's own client. */
function cacheWithModel() {
  const cache = tempFolder({});
  const repo = join(cache, 'models--org--name');
  const snapshot = join(repo, 'snapshots', COMMIT);
  for (const folder of ['blobs', 'refs', `snapshots/${COMMIT}`])
    mkdirSync(join(repo, folder), { recursive: true });
  for (const [index, name] of ['config.json', 'model.safetensors', 'tokenizer.json'].entries()) {
    writeFileSync(join(repo, 'blobs', `hash${index}`), `content of ${name}`);
    symlinkSync(`../../blobs/hash${index}`, join(snapshot, name));
  }
  writeFileSync(join(repo, 'blobs/hash9.llm-host.incomplete'), 'half');
  writeFileSync(join(repo, 'refs/main'), COMMIT);
  let changes = 0;
  const store = cacheStore({ HF_HUB_CACHE: cache }, () => {
    changes += 1;
  });
  return { cache, store, repo, changes: () => changes };
}

it('a copy is a model of its own that takes no room, and outlives the first', async () => {
  const { cache, store, repo, changes } = cacheWithModel();
  await store.copy('org/name', 'mine');
  const [copy] = cachedModels(cache).filter(model => model.repo === 'local/mine');
  expect(copy?.revisions).toMatchObject([{ commit: COMMIT, refs: ['main'], missing: [] }]);
  expect(copy?.partialBytes).toBe(0);
  const file = join('snapshots', COMMIT, 'model.safetensors');
  const inode = (folder: string) => statSync(join(folder, file)).ino;
  expect(inode(join(cache, 'models--local--mine'))).toBe(inode(repo));
  await store.remove('org/name');
  expect(existsSync(repo)).toBe(false);
  expect(readFileSync(join(cache, 'models--local--mine', file), 'utf8')).toBe('content of model.safetensors');
  expect(changes()).toBe(2);
});

it.each([
  ['org/gone', 'mine', "Model 'org/gone' is not in the cache"],
  ['org/name', 'org/name', "Model 'org/name' already exists"],
  ['org/name', '../out', "'../out' is not the name of a model"],
  ['org/name', 'a b', "'local/a b' is not the name of a model"],
  ['org/name', 'mine@v1', "'mine@v1': a name cannot have a revision"],
  ['demo', 'mine', "'demo' is not the name of a model"],
])('%s as %s is refused', async (from, to, message) => {
  const { cache, store, changes } = cacheWithModel();
  await expect(store.copy(from, to)).rejects.toThrow(message);
  expect(cachedModels(cache).map(({ repo }) => repo)).toEqual(['org/name']);
  expect(changes()).toBe(0);
});
