import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const read = (path: string) => JSON.parse(readFileSync(`${root}/${path}`, 'utf8'));

it('all packages have the version of the main one, and say whom they are for', () => {
  const { version } = read('package.json');
  const folders = readdirSync(`${root}/packages`).filter(name => name !== 'licences');
  expect(folders).toEqual([
    'darwin-arm64',
    'darwin-arm64-macos26',
    'demo-weights',
    'linux-arm64',
    'linux-x64',
    'linux-x64-cuda',
  ]);
  for (const folder of folders) {
    const manifest = read(`packages/${folder}/package.json`);
    expect(manifest).toMatchObject({ name: `@llm-host/${folder}`, version });
    expect(manifest.license).toBeTruthy();
    if (folder !== 'demo-weights')
      expect(`${manifest.os[0]}-${manifest.cpu[0]}`).toBe(folder.split('-').slice(0, 2).join('-'));
    expect(manifest).not.toHaveProperty('scripts');
  }
});

it('what is published has no scripts and takes the platform package', () => {
  const script =
    "import('./scripts/release/pack.mjs').then(m => console.log(JSON.stringify(m.publishedManifest())))";
  const manifest = JSON.parse(
    execFileSync(process.execPath, ['-e', script], { cwd: root, encoding: 'utf8' }),
  );
  const { version, dependencies, bin } = read('package.json');
  expect(manifest).toMatchObject({ name: 'llm-host', version, dependencies, bin });
  expect(manifest.optionalDependencies).toEqual({
    '@llm-host/linux-x64': version,
    '@llm-host/linux-arm64': version,
    '@llm-host/darwin-arm64': version,
    '@llm-host/darwin-arm64-macos26': version,
  });
  for (const key of ['scripts', 'devDependencies', 'gypfile']) expect(manifest).not.toHaveProperty(key);
  for (const path of manifest.files.filter((name: string) => !['dist', 'man'].includes(name)))
    expect(existsSync(`${root}/${path}`), path).toBe(true);
  expect(manifest.man).toBe('./man/llm-host.1');
});

it('the licence texts that the packages name are there', () => {
  const platforms = readdirSync(`${root}/packages`).filter(name => /^(linux|darwin)-/.test(name));
  for (const platform of platforms) {
    const named = readFileSync(`${root}/packages/${platform}/README.md`, 'utf8').match(/[\w.-]+\.txt/g) ?? [];
    const own = named.filter(name => !name.startsWith('LICENSE-'));
    for (const name of own) expect(existsSync(`${root}/packages/licences/${name}`), name).toBe(true);
  }
});
