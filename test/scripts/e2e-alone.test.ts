import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { ALONE } from '../../scripts/lib/test/e2e-alone.mjs';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

it('what runs alone is there', () => {
  expect(ALONE.filter(path => !existsSync(join(ROOT, path)))).toEqual([]);
});

it('a file that measures times, or uses a port or a browser that others would, runs alone', () => {
  const suspicious = readdirSync(join(ROOT, 'test/e2e'), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.test.ts'))
    .map(name => `test/e2e/${name}`)
    .filter(path => {
      const text = readFileSync(join(ROOT, path), 'utf8');
      return /(performance|Date)\.now\(\)|chromium|listen\(\d{4}|--port[ ',]+[1-9]/i.test(text);
    });
  const runsAlone = (path: string) => ALONE.some(alone => path === alone || path.startsWith(`${alone}/`));
  expect(suspicious.filter(path => !runsAlone(path))).toEqual([]);
});
