import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { tempFolder } from '../../model/temp-folder.ts';
import { runNode } from '../../run-node.ts';

const KNIP = fileURLToPath(new URL('../../../node_modules/knip/bin/knip.js', import.meta.url));
/** The project's own configuration. */
const { knip } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
const packageJson = (...names: readonly string[]) =>
  JSON.stringify({ name: 'sound', dependencies: Object.fromEntries(names.map(name => [name, '1'])), knip });

const SOUND = {
  'package.json': packageJson('used'),
  'src/index.ts': "export { a } from './a.ts';\nexport const whole = 1;\n",
  'src/a.ts':
    "import { used } from 'used/part';\nexport function a() { return used; }\nexport interface Shape {}\n",
  'src/cli/main.ts': "const { b } = await import('../b.ts');\nb();\n",
  'src/b.ts': 'export async function b() {}\n',
  'src/tested.ts': 'export const tested = 1;\n',
  'scripts/run.mjs': '',
  'test/a.test.ts': "import { tested } from '../src/tested.ts';\ntested;\nimport '../src/only-a-test.ts';\n",
  'src/only-a-test.ts': '',
};

const check = (files: Readonly<Record<string, string>>) =>
  runNode([KNIP, '--no-progress', '--no-config-hints', '--directory', tempFolder({ ...SOUND, ...files })]);

it('finds nothing where everything is used, if only by a test; types and what an entry exports are left out', async () => {
  expect(await check({})).toMatchObject({ status: 0, stdout: '', stderr: '' });
});

it.each([
  ['src/b.ts', 'export async function b() {}\nexport const c = 2;\n', /Unused exports \(1\)\nc +src\/b\.ts/],
  ['src/c.ts', 'a();\n', /Unused files \(1\)\nsrc\/c\.ts/],
  ['scripts/lib/c.mjs', 'a();\n', /Unused files \(1\)\nscripts\/lib\/c\.mjs/],
  ['package.json', packageJson('used', 'us'), /Unused dependencies \(1\)\nus +package\.json/],
])('says what is wrong with %s', async (path, text, message) => {
  const { status, stdout } = await check({ [path]: text });
  expect(status).toBe(1);
  expect(stdout).toMatch(message);
});
