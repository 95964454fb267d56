import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const read = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');

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
