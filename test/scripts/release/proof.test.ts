import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import {
  installedPeers,
  keptProofs,
  type Proof,
  proofLine,
  proofPage,
} from '../../../scripts/release/proof.mjs';
import { tempFolder } from '../../model/temp-folder.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

const proof: Proof = {
  date: '2030-01-02',
  commit: '0123456789abcdef',
  platform: 'darwin-arm64',
  system: '26.2',
  chip: 'Apple M5',
  cores: 10,
  memoryGB: 32,
  node: '22.0.0',
  mlx: { version: '0.32.4', wheel: 'macosx_26_0_arm64' },
  steps: [
    { name: 'set-up', ok: true, seconds: 60 },
    { name: 'goldens', ok: true, seconds: 9, counts: { passed: 40, failed: 0, skipped: 1 } },
  ],
};

it('a page tells the machine, each step, and the failures with their output', () => {
  expect(proofPage(proof)).toContain('| goldens | ok | 40 passed, 0 failed, 1 skipped | 9 s |');
  expect(proofPage(proof)).toContain('Apple M5, macOS 26.2, 2030-01-02: all 2 steps passed. 10 cores, 32 GB');
  const failing = { name: 'demo', ok: false, seconds: 1, error: 'no answer', output: 'Metal: out of memory' };
  const failed = { ...proof, steps: [...proof.steps, failing] };
  expect(proofLine(failed)).toBe('Apple M5, macOS 26.2, 2030-01-02: failed: demo');
  expect(proofPage(failed)).toContain('## demo\n\n```text\nno answer\nMetal: out of memory\n```');
});

it('compares with the peers that are installed', () => {
  const cache = tempFolder({});
  expect(installedPeers(cache)).toEqual([]);
  mkdirSync(join(cache, 'bench-peers/venv'), { recursive: true });
  expect(installedPeers(cache)).toEqual(['mlx-lm']);
});

it('README tells what the kept proofs of Macs say, and that there is none', () => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  const [, column] = readme.match(/\| set-up, build, all tests, the demo \|.*\|([^|]*)\|\n/) ?? [];
  const lines = keptProofs(join(root, 'docs/proofs'), 'darwin-arm64').map(proofLine);
  expect(column?.trim()).toBe(lines.length === 0 ? 'not run' : lines.join('<br>'));
});
