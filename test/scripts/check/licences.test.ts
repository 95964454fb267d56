import { expect, it } from 'vitest';
import { tempFolder } from '../../model/temp-folder.ts';
import { runScript } from '../run-script.ts';

const check = (packages: object, files: Readonly<Record<string, string>> = {}) =>
  runScript('check/licences.mjs', [
    tempFolder({ 'package-lock.json': JSON.stringify({ packages: { '': {}, ...packages } }), ...files }),
  ]);

it('takes licences that only ask to be named, one of several, and all of development', async () => {
  const packages = {
    'node_modules/a': { license: 'MIT' },
    'node_modules/b': { license: '(GPL-3.0 OR ISC)' },
    'node_modules/c': { license: 'Apache-2.0 AND BSD-3-Clause' },
    'node_modules/d': { license: 'GPL-3.0', dev: true },
  };
  expect(await check(packages)).toMatchObject({ status: 0, stderr: '' });
});

it('refuses others, what says nothing, and believes the installed package', async () => {
  const packages = {
    'node_modules/a': { license: 'MIT AND GPL-3.0' },
    'node_modules/b': {},
    'node_modules/c': { license: 'MIT' },
    'node_modules/d': { license: 'GPL-3.0' },
  };
  const files = {
    'node_modules/c/package.json': '{ "license": "LGPL-2.1" }',
    'node_modules/d/package.json': '{ "licenses": [{ "type": "MIT" }] }',
  };
  const { status, stderr } = await check(packages, files);
  expect(status).toBe(1);
  expect(stderr.trim().split('\n')).toEqual([
    'node_modules/a: MIT AND GPL-3.0',
    'node_modules/b: no licence',
    'node_modules/c: LGPL-2.1',
  ]);
});
