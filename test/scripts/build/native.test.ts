import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { runNode } from '../../run-node.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const moved = realpathSync(mkdtempSync(join(tmpdir(), 'moved-')));

afterEach(() => rmSync(moved, { recursive: true }));

async function nativeReady(checkout: string): Promise<string> {
  const script = pathToFileURL(join(checkout, 'scripts/build/native.mjs')).href;
  const print = `console.log((await import(${JSON.stringify(script)})).nativeReady())`;
  const run = await runNode(['--input-type=module', '-e', print]);
  expect(run.stderr).toBe('');
  return run.stdout.trim();
}

it('a checkout that was moved needs no new build, one with changed sources does', async () => {
  expect(await nativeReady(root)).toBe('true');
  for (const path of ['scripts', 'native', 'package.json', 'package-lock.json', 'vendor/.stamps'])
    cpSync(join(root, path), join(moved, path), { recursive: true });
  mkdirSync(join(moved, 'build/Release'), { recursive: true });
  for (const path of ['node_modules', 'vendor/mlx', 'build/Release/llm_host.node'])
    symlinkSync(join(root, path), join(moved, path));

  expect(await nativeReady(moved)).toBe('true');
  writeFileSync(join(moved, 'native/addon/new.cc'), '');
  expect(await nativeReady(moved)).toBe('false');
});
