import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { filesOf, type LocateOptions, localSource, repoInCache } from '../../src/model/model-source.ts';
import { tempFolder } from './temp-folder.ts';
import { thrown, thrownHint } from './thrown.ts';

const COMMIT = '0123456789abcdef0123456789abcdef01234567';

const locate = (name: string, options: LocateOptions) => filesOf(localSource(name, options), options);

describe('a model', () => {
  test('demo, a folder, a GGUF file, absolute or not', () => {
    const cwd = tempFolder({ 'some/model/config.json': {}, 'Small.Q4_0.GGUF': '' });
    const options = { cwd, env: {} };
    expect(locate('demo', options)).toEqual({ kind: 'demo', name: 'demo' });
    const folder = { kind: 'folder', name: 'model', path: join(cwd, 'some/model') };
    expect(locate('some/model', options)).toEqual(folder);
    expect(locate(`${cwd}/some/model/`, options)).toEqual(folder);
    const file = { kind: 'gguf', name: 'Small.Q4_0', path: join(cwd, 'Small.Q4_0.GGUF') };
    expect(locate('./Small.Q4_0.GGUF', options)).toEqual(file);
  });

  test('a Hub id in the cache: by main, by another ref, by commit', () => {
    const repo = 'models--ibm-granite--granite-4.0-1b';
    const cache = tempFolder({
      [`${repo}/refs/main`]: `${COMMIT}\n`,
      [`${repo}/refs/refs/pr/1`]: COMMIT,
      [`${repo}/snapshots/${COMMIT}/config.json`]: {},
    });
    const options = { cwd: tempFolder(), env: { HF_HUB_CACHE: cache } };
    const path = join(cache, repo, 'snapshots', COMMIT);
    const id = 'ibm-granite/granite-4.0-1b';
    for (const source of [id, `${id}@main`, `${id}@refs/pr/1`, `${id}@${COMMIT}`]) {
      expect(locate(source, options)).toEqual({ kind: 'folder', name: source, path });
    }
    expect(thrown(() => locate(`${id}@v2`, options))).toBe(
      `MODEL_NOT_FOUND: Model '${id}@v2' not found or not accessible`,
    );
  });

  test('the repository of a name, and of a path into the cache, by whatever link', () => {
    const cache = tempFolder({
      'models--org--tiny/blobs/1': '',
      [`models--org--tiny/snapshots/${COMMIT}/config.json`]: {},
    });
    const snapshot = join(cache, 'models--org--tiny/snapshots', COMMIT);
    symlinkSync('../../blobs/1', join(snapshot, 'tiny.gguf'));
    const outside = tempFolder({ 'x.gguf': '' });
    symlinkSync(join(outside, 'x.gguf'), join(snapshot, 'shared.gguf'));
    const cwd = tempFolder({ 'own/config.json': {} });
    symlinkSync(snapshot, join(cwd, 'link'));
    const linkedCache = join(cwd, 'hub');
    symlinkSync(cache, linkedCache);
    for (const place of [cache, linkedCache]) {
      const options = { cwd, env: { HF_HUB_CACHE: place } };
      const paths = [snapshot, join(snapshot, 'tiny.gguf'), join(snapshot, 'shared.gguf'), './link'];
      for (const source of ['org/tiny', 'org/tiny@v1', ...paths])
        expect([source, repoInCache(source, options)]).toEqual([source, 'org/tiny']);
      for (const source of ['demo', './own', outside, cache, cwd, '/no/such', 'ollama:x', ''])
        expect([source, repoInCache(source, options)]).toEqual([source, undefined]);
    }
  });

  test('not found: says where it looked', () => {
    const options = { cwd: '/nowhere', env: { HF_HOME: '/cache' } };
    expect(thrown(() => locate('org/name', options))).toBe(
      "MODEL_NOT_FOUND: Model 'org/name' not found or not accessible",
    );
    expect(thrownHint(() => locate('org/name', options))).toBe(
      'No such folder or file: /nowhere/org/name, and it is not in the Hugging Face cache (/cache/hub). Get it with: llm-host pull org/name',
    );
    expect(thrownHint(() => locate('./x/y/z', options))).toBe('No such folder or file: /nowhere/x/y/z');
  });

  test('names that no model has, or that would leave the cache', () => {
    const cache = tempFolder({ 'models--a--b/refs/main': '../../../etc', 'etc/config.json': {} });
    const options = { cwd: tempFolder(), env: { HF_HUB_CACHE: cache } };
    for (const source of [
      '',
      'a\0b',
      'a/b',
      '../no-such-model',
      'a/b@../../../etc',
      'a/b@',
      'a/b/c',
      'x'.repeat(300),
    ]) {
      expect(thrown(() => locate(source, options))).toBe(
        `MODEL_NOT_FOUND: Model '${source}' not found or not accessible`,
      );
    }
  });

  test('a file that is no model, a link that leads nowhere', () => {
    const cwd = tempFolder({ 'model.safetensors': '' });
    symlinkSync('loop', join(cwd, 'loop'));
    const options = { cwd, env: {} };
    expect(thrown(() => locate('model.safetensors', options))).toBe(
      'MODEL_UNSUPPORTED: model.safetensors is neither a model folder nor a .gguf file',
    );
    expect(thrownHint(() => locate('loop', options))).toMatch(/ELOOP/);
  });
});
