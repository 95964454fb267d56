import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, test } from 'vitest';
import { chooseBackend, nvidiaRequirements } from '../../../scripts/build/cuda.mjs';
import { tempFolder } from '../../model/temp-folder.ts';
import { runNode } from '../../run-node.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

it('refuses a backend that does not exist', () => {
  expect(() => chooseBackend('rocm')).toThrow("there is no backend 'rocm'");
});

it("NVIDIA's libraries are pinned, each with its hash", () => {
  const lines = nvidiaRequirements().trimEnd().split('\n');
  expect(lines.length).toBeGreaterThan(6);
  for (const line of lines) expect(line).toMatch(/^nvidia-[\w-]+==[\d.]+ --hash=sha256:[0-9a-f]{64}$/);
});

/** A checkout without vendor/, and a Python whose pip fails. */
function checkout() {
  const dir = tempFolder({});
  const fixtures = ['test/fixtures/make.mjs', 'test/fixtures/seeded'];
  for (const path of ['scripts', 'native', 'package.json', 'package-lock.json', ...fixtures])
    cpSync(join(ROOT, path), join(dir, path), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(dir, 'node_modules'));
  mkdirSync(join(dir, 'vendor'));
  const python = join(dir, 'python');
  writeFileSync(
    python,
    '#!/bin/sh\ncase "$*" in *"pip download"*|*"pip install"*) exit 1;; esac\nexec python3 "$@"\n',
    { mode: 0o755 },
  );
  const env = { PYTHON: python, MLX_ROOT: undefined };
  const bootstrap = (...args: string[]) => runNode([join(dir, 'scripts/bootstrap.mjs'), ...args], env);
  const mlx = () => runNode([join(dir, 'scripts/build/mlx.mjs')], env);
  return { bootstrap, mlx };
}

const hasWheel = process.platform === 'linux' && process.arch === 'x64';

test('npm run bootstrap -- --backend cuda: asks for MLX for CUDA, and is remembered', {
  timeout: 60_000,
  skip: !hasWheel,
}, async () => {
  const { bootstrap, mlx } = checkout();
  expect((await mlx()).stderr).toContain('pip could not download mlx-cpu');
  expect((await bootstrap('--backend', 'cuda')).status).toBe(1);
  expect((await mlx()).stderr).toContain('pip could not download mlx-cuda-13');
  expect((await bootstrap('--backend', 'cpu')).status).toBe(1);
  expect((await mlx()).stderr).toContain('pip could not download mlx-cpu');
});

it.runIf(!hasWheel)('is refused elsewhere (needs a machine for which there is no wheel)', () => {
  expect(() => chooseBackend('cuda')).toThrow('for Linux on x86-64');
});
