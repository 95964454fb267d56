import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { ALONE, MACHINES } from '../../scripts/lib/test/e2e-alone.mjs';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

const APART = [...ALONE, ...MACHINES];

it('what runs apart from the others is there', () => {
  expect(APART.filter(path => !existsSync(join(ROOT, path)))).toEqual([]);
});

it('a file that measures times, or uses a port or a browser that others would, runs apart', () => {
  const suspicious = readdirSync(join(ROOT, 'test/e2e'), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.test.ts'))
    .map(name => `test/e2e/${name}`)
    .filter(path => {
      const text = readFileSync(join(ROOT, path), 'utf8');
      return /(performance|Date)\.now\(\)|chromium|listen\(\d{4}|--port[ ',]+[1-9]/i.test(text);
    });
  const runsApart = (path: string) => APART.some(apart => path === apart || path.startsWith(`${apart}/`));
  expect(suspicious.filter(path => !runsApart(path))).toEqual([]);
});
