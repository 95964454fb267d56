import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

it('a file that measures times, or uses a port or a browser that others would, runs alone', () => {
  const suspicious = readdirSync(join(ROOT, 'test/e2e'), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.test.ts') && !name.endsWith('.alone.test.ts'))
    .filter(name => {
      const text = readFileSync(join(ROOT, 'test/e2e', name), 'utf8');
      return /(performance|Date)\.now\(\)|chromium|listen\(\d{4}|--port[ ',]+[1-9]/i.test(text);
    });
  expect(suspicious).toEqual([]);
});
