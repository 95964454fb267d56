import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runNode } from '../../run-node.ts';

const LIB = fileURLToPath(new URL('../../../scripts/lib', import.meta.url));
/** Of a checkout that needs one package. */
const LOCK = '{ "packages": { "": {}, "node_modules/a": { "version": "1.0.0", "dev": true } } }';

let checkout: string;

beforeEach(() => {
  checkout = realpathSync(mkdtempSync(join(tmpdir(), 'packages-')));
  cpSync(LIB, join(checkout, 'scripts', 'lib'), { recursive: true });
  writeFileSync(join(checkout, 'package-lock.json'), LOCK);
});

afterEach(() => rmSync(checkout, { recursive: true }));

/** Sets the packages up with an npm that notes its arguments, then runs `work`. */
async function setUp(work: string) {
  const npm = join(checkout, 'bin', 'npm');
  mkdirSync(dirname(npm));
  writeFileSync(npm, `#!/bin/sh\necho "$@" >> npm-was-given\n${work}\n`);
  chmodSync(npm, 0o755);
  const script = pathToFileURL(join(checkout, 'scripts/lib/build/npm-packages.mjs')).href;
  const code = `try {
    await (await import(${JSON.stringify(script)})).setupPackages();
  } catch ({ name, message, hint }) { console.log(JSON.stringify({ name, message, hint })); }`;
  const PATH = `${dirname(npm)}${delimiter}${process.env.PATH}`;
  const run = await runNode(['--input-type=module', '-e', code], { PATH, npm_execpath: undefined });
  expect(run.stderr).toBe('');
  return { said: run.stdout, given: readFileSync(join(checkout, 'npm-was-given'), 'utf8').split(/\s/) };
}

test('npm is told to leave nothing out', async () => {
  const { said, given } = await setUp(
    "mkdir -p node_modules/a; echo '{}' > node_modules/a/package.json; cp package-lock.json node_modules/.package-lock.json",
  );
  expect(said).toBe('');
  expect(given).toEqual(
    expect.arrayContaining(['ci', '--include=dev', '--include=optional', '--ignore-scripts']),
  );
});

test('what npm leaves out all the same is an error that says where to look', async () => {
  const { said } = await setUp('true');
  expect(JSON.parse(said)).toEqual({
    name: 'SetupError',
    message: 'npm ci ended without an error, but packages of package-lock.json are missing',
    hint: 'Look for settings that leave packages out, such as dry-run: npm config ls',
  });
});
