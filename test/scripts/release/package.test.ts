import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const read = (name: string) => readFileSync(new URL(`../../../${name}`, import.meta.url), 'utf8');

it('the lock file names no registry', () => {
  expect(read('package-lock.json')).not.toMatch(/"resolved"|https?:\/\/[^"]*registry/);
});

it('npm neither builds nor downloads anything when it installs the package', () => {
  const { gypfile, scripts, binary } = JSON.parse(read('package.json'));
  expect(gypfile).toBe(false);
  expect(binary.napi_versions).toEqual([8]);
  for (const name of ['preinstall', 'install', 'postinstall', 'prepare'])
    expect(scripts).not.toHaveProperty(name);
});

it('what the package names is there after a build: the library with its types first, a program that starts by itself', () => {
  const { bin, exports, files } = JSON.parse(read('package.json'));
  expect(Object.keys(exports['.'])).toEqual(['types', 'default']);
  for (const path of [...Object.values<string>(exports['.']), ...Object.values<string>(bin)]) {
    expect(existsSync(new URL(`../../../${path}`, import.meta.url)), path).toBe(true);
    expect(files).toContain(path.replace(/^\.\//, '').split('/')[0]);
  }
  expect(read(bin['llm-host'])).toMatch(/^#!\/usr\/bin\/env node\n/);
});

it('the package has what `bench --compare` runs, which needs nothing else of the checkout', () => {
  expect(JSON.parse(read('package.json')).files).toContain('peers');
  const named = ['src/bench/peers.ts', 'src/bench/clients/peer-servers.ts'].flatMap(path =>
    [...read(path).matchAll(/join\(RUNNERS, '([^']+)'\)/g)].map(([, name]) => name as string),
  );
  expect(readdirSync(new URL('../../../peers', import.meta.url)).sort()).toEqual([...new Set(named)].sort());
  for (const name of named) expect(read(`peers/${name}`)).not.toMatch(/\.\.\//);
});

it('the peers have the MLX of the program and the mlx-lm of the reference values', () => {
  const install = read('peers/install.mjs');
  expect(install).toContain(`const MLX = '${JSON.parse(read('scripts/lib/wheels.json')).mlx.version}'`);
  expect(install).toContain(`'${/^mlx-lm==.+$/m.exec(read('scripts/goldens/requirements.txt'))?.[0]}'`);
});
