import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { removeLeftovers } from './harness/temp-file.ts';

test('the files of killed fuzz processes are removed, those of running ones stay', () => {
  const parent = mkdtempSync(join(tmpdir(), 'leftovers-'));
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }));
  const ended = spawnSync(process.execPath, ['-e', '0']).pid;
  const [gone, ours, strange] = [
    `llm-host-fuzz-${ended}-a`,
    `llm-host-fuzz-${process.pid}-b`,
    'other-1-c',
  ].map(name => join(parent, name)) as [string, string, string];
  for (const folder of [gone, ours, strange]) mkdirSync(join(folder, 'inner'), { recursive: true });
  removeLeftovers(parent);
  expect([gone, ours, strange].map(folder => existsSync(folder))).toEqual([false, true, true]);
});
