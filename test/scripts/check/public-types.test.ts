import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tempFolder } from '../../model/temp-folder.ts';
import { runScript } from '../run-script.ts';

const ENTRY = `import { type B } from './b.ts';
export { type A, make as made } from './a.ts';
export type { B } from './b.ts';
interface hidden {
}
export declare class Kept {
    #private;
    private constructor();
    /** Not A's. */
    hidden(hidden: 'Hidden'): B;
}
`;
const FILES = {
  'dist/index.d.ts': ENTRY,
  'dist/library/ai-sdk/models.d.ts': 'export declare function model(): import("../../b.ts").B;\n',
  'dist/a.d.ts': `import type { B } from './b.ts';
import type { Other } from 'package';
export interface A extends Other {
    /** A comment. */
    readonly b: B;
}
export declare function make(): A;
export declare function make(of: A): A;
`,
  'dist/b.d.ts': 'export type B = string;\n',
  'docs/library-types.md': '',
};

function checked(files: Readonly<Record<string, string>>) {
  const folder = tempFolder({ ...FILES, ...files });
  return { folder, run: (...args: string[]) => runScript('check/public-types.mjs', [...args, folder]) };
}

it('writes every exported name with its type, and finds nothing afterwards', async () => {
  const { folder, run } = checked({});
  expect(await run('--write')).toMatchObject({ status: 0, stderr: '' });
  const page = readFileSync(join(folder, 'docs/library-types.md'), 'utf8');
  const [, first = '', second = ''] = page.split(/^## /m);
  expect(first).toContain(
    'interface A extends Other {\n    readonly b: B;\n}\n\ntype B = string;\n\nclass Kept {\n    private constructor();\n',
  );
  expect(first).toContain('function make(): A;\nfunction make(of: A): A;\n');
  expect(second).toContain('function model(): B;');
  expect(await run()).toMatchObject({ status: 0, stderr: '' });
});

it('a change that nobody has written down fails, with what differs', async () => {
  const { folder, run } = checked({});
  await run('--write');
  const page = readFileSync(join(folder, 'docs/library-types.md'), 'utf8');
  const { run: again } = checked({
    'docs/library-types.md': page,
    'dist/b.d.ts': 'export type B = number;\n',
  });
  const { status, stderr } = await again();
  expect(status).toBe(1);
  expect(stderr).toContain('- type B = string;\n+ type B = number;\n');
  expect(stderr).toContain('--write');
});

it.each([
  [
    'a',
    'dist/a.d.ts',
    'type Inner = string;\nexport interface A {\n    readonly a: Inner;\n}\nexport declare function make(): A;\n',
  ],
  ['an imported', 'dist/b.d.ts', "import type { Inner } from './c.ts';\nexport type B = readonly Inner[];\n"],
  ['a type imported in place', 'dist/b.d.ts', 'export type B = import("./c.ts").Inner | string;\n'],
])('%s type that appears and is not exported fails', async (_, path, text) => {
  const { run } = checked({ 'dist/c.d.ts': 'export type Inner = 1;\n', [path]: text });
  const { status, stderr } = await run('--write');
  expect([status, stderr]).toEqual([1, expect.stringMatching(/^Inner appears in [AB] and is not exported/)]);
});
