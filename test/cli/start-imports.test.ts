import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { expect, it } from 'vitest';

const IMPORT = /^(?:import|export)\s+(?!type\b)[^'"]*?from\s*['"]([^'"]+)['"]|^import\s*['"]([^'"]+)['"]/gm;

/** The packages and our own files that are loaded before any command runs. */
function closure(main: string): { packages: Set<string>; files: Set<string> } {
  const packages = new Set<string>();
  const files = new Set<string>();
  const visit = (file: string): void => {
    if (files.has(file)) return;
    files.add(file);
    for (const [, from, alone] of readFileSync(file, 'utf8').matchAll(IMPORT)) {
      const name = from ?? alone ?? '';
      if (name.startsWith('.')) visit(resolve(dirname(file), name));
      else if (!name.startsWith('node:')) packages.add(name);
    }
  };
  visit(main);
  return { packages, files };
}

// Each bundled server starts by the same file, so that what it imports is paid three times in the demo.
it('loads no library but the one that reads the command line before it knows the command', () => {
  const { packages, files } = closure(resolve(import.meta.dirname, '../../src/cli/main.ts'));
  expect([...packages].filter(name => !name.startsWith('yargs'))).toEqual([]);
  expect([...files].some(file => file.endsWith('src/cli/options/command-line.ts'))).toBe(true);
  expect(files.size).toBeLessThan(60);
});
