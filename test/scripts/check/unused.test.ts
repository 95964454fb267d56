import { expect, it } from 'vitest';
import { tempFolder } from '../../model/temp-folder.ts';
import { runScript } from '../run-script.ts';

const SOUND = {
  'package.json': '{ "dependencies": { "used": "1" } }',
  'src/index.ts': "export { a } from './a.ts';\nexport const whole = 1;\n",
  'src/a.ts':
    "import { used } from 'used/part';\nexport function a() { return used; }\nexport interface Shape {}\n",
  'src/cli/main.ts': "const { b } = await import('../b.ts');\nb();\n",
  'src/b.ts': 'export async function b() {}\n',
  'scripts/run.mjs': '',
  'test/a.test.ts': '',
};

const check = (files: Readonly<Record<string, string>>) =>
  runScript('check/unused.mjs', [tempFolder({ ...SOUND, ...files })]);

it('finds nothing where everything is used; types and what an entry exports are left out', async () => {
  expect(await check({})).toMatchObject({ status: 0, stderr: '' });
});

it.each([
  ['src/b.ts', 'export const b = 1;\nexport const c = 2;\n', 'src/b.ts: no other file uses c: no export'],
  ['src/c.ts', 'a();\n', 'src/c.ts: reached from nowhere'],
  ['package.json', '{ "dependencies": { "used": "1", "us": "1" } }', 'package.json: src does not import us'],
])('%s: %j', async (path, text, message) => {
  expect(await check({ [path]: text })).toMatchObject({ status: 1, stderr: `${message}\n` });
});
