import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { COMPUTING_VARIABLES, ownEnvironment } from '../../../src/cli/bench/bench-arguments.ts';
import { ROOT } from '../../docs/command-lines.ts';

/** Those that are read and do not change how anything computes. */
const OTHERS = ['API_KEY', 'ARXIV_URL', 'BENCH_PEERS', 'SERVER', 'TRUST_MCP'].map(name => `LLM_HOST_${name}`);

test('a report has the variables that change how the program computes, and no key', () => {
  const env = { LLM_HOST_API_KEY: 'k', LLM_HOST_INPUT_TOKEN: 't', LLM_HOST_THREADS: '2', HOME: '/h' };
  expect(ownEnvironment(env)).toEqual({ LLM_HOST_THREADS: '2' });
});

test('every variable that the sources read is a computing one, or one of the others', () => {
  const sources = ['src', 'native', 'peers'].flatMap(folder =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter(path => /\.(tsx?|cc|h|mjs)$/.test(path) && !path.startsWith('test'))
      .map(path => readFileSync(join(ROOT, folder, path), 'utf8')),
  );
  const read = [...sources.join('\n').matchAll(/(?:["']|env\.)(LLM_HOST_[A-Z0-9_]*[A-Z0-9])\b/g)];
  const names = new Set(read.map(([, name]) => name));
  expect([...names].sort()).toEqual([...COMPUTING_VARIABLES, ...OTHERS].sort());
});
