import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { inOrder, LONGEST } from '../longest-first.ts';

test('every path in the list is a file', () => {
  const missing = LONGEST.filter(
    path => !existsSync(fileURLToPath(new URL(`../../${path}`, import.meta.url))),
  );
  expect(missing).toEqual([]);
});

test('the longest files start first, the others in the order they had', () => {
  const [longest = '', second = ''] = LONGEST;
  const files = ['test/b.test.ts', second, 'test/a.test.ts', longest];
  expect(inOrder(files, path => path)).toEqual([longest, second, 'test/b.test.ts', 'test/a.test.ts']);
});
