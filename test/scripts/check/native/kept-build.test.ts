import { existsSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { tempFolder } from '../../../model/temp-folder.ts';

const load = (name: string) =>
  import(new URL(`../../../../scripts/check/native/${name}.mjs`, import.meta.url).href);

afterEach(() => vi.unstubAllEnvs());

it('keeps a build folder in the same setting, and empties it in another', async () => {
  const { keepBuild } = await load('kept-build');
  const dir = join(tempFolder({}), 'deep', 'obj');
  const object = join(dir, 'a.o');
  const kept = (setting: unknown) => {
    keepBuild(dir, setting);
    const there = existsSync(object);
    writeFileSync(object, '');
    return there;
  };
  expect(kept(['g++ 12.2.0'])).toBe(false);
  expect(kept(['g++ 12.2.0'])).toBe(true);
  expect(kept(['g++ 12.3.0'])).toBe(false);
  expect(kept(['g++ 12.3.0'])).toBe(true);
  vi.stubEnv('CXXFLAGS', '-O0');
  expect(kept(['g++ 12.3.0'])).toBe(false);
});

it('gives a new time to sources with other bytes, whatever their time, and to no others', async () => {
  const { keepBuild, touchChanged } = await load('kept-build');
  const dir = tempFolder({ 'a.cc': 'a', 'b.h': 'b' });
  const [a, b, added] = ['a.cc', 'b.h', 'c.h'].map(name => join(dir, name)) as [string, string, string];
  const old = new Date('2001-02-03');
  const write = (path: string, text: string) => {
    writeFileSync(path, text);
    utimesSync(path, old, old);
  };
  const obj = join(dir, 'obj');
  const touched = (...paths: string[]) => {
    for (const path of paths) utimesSync(path, old, old);
    touchChanged(obj, paths);
    return paths.filter(path => statSync(path).mtimeMs !== old.getTime());
  };
  keepBuild(obj, 1);
  expect(touched(a, b)).toEqual([]);
  write(b, 'other');
  expect(touched(a, b)).toEqual([b]);
  expect(touched(a, b)).toEqual([]);
  write(added, 'new');
  expect(touched(a, b, added)).toEqual([added]);
  expect(readFileSync(b, 'utf8')).toBe('other');
});

it('names what a compiler works with', async () => {
  const { findCompiler, toolchainOf } = await import(
    new URL('../../../../scripts/lib/build/compiler.mjs', import.meta.url).href
  );
  const { command } = findCompiler();
  const files = toolchainOf(command) as [string, number?, number?][];
  // Another compiler than GNU's may have none of a name: then that is what is noted.
  expect(files.map(([path]) => path).join(' ')).toMatch(/cc1plus .*as .*ld .*libc\.so\.6 .*libstdc\+\+\.so/);
  for (const [path, size] of files) expect(size, path).toBe(statSync(path, { throwIfNoEntry: false })?.size);
  expect(toolchainOf(command)).toEqual(files);
});
