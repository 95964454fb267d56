import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { isNewEnough } from '../../scripts/lib/newer-node.mjs';
import { runNode } from '../run-node.ts';

const MODULE = new URL('../../scripts/lib/newer-node.mjs', import.meta.url).href;

test('the oldest Node is the one that package.json names', () => {
  expect(['22.13.0', '22.14.1', '24.0.0'].map(version => isNewEnough(version))).toEqual([true, true, true]);
  expect(['22.12.9', '20.20.2', '8.0.0'].map(version => isNewEnough(version))).toEqual([false, false, false]);
});

test('an older Node that npm cannot replace is told where to get a newer one', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'node-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  writeFileSync(join(dir, 'npm'), '#!/bin/sh\necho "npm: offline" >&2\nexit 1\n');
  chmodSync(join(dir, 'npm'), 0o755);
  const script = join(dir, 'script.mjs');
  writeFileSync(
    script,
    `Object.defineProperty(process.versions, 'node', { value: '20.0.0' });
     const { runMainUnderNewerNode } = await import(${JSON.stringify(MODULE)});
     await runMainUnderNewerNode(async () => console.log('ran'));`,
  );
  const run = await runNode([script], { PATH: `${dir}:${process.env.PATH}` });
  expect(run.status).toBe(1);
  expect(run.stdout).toBe('');
  expect(run.stderr).toContain('Error: Node 20.0.0 is too old; 22.13 or newer is needed\n  | npm: offline\n');
  expect(run.stderr).toContain('nodejs.org');
});
