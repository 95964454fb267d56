import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runScript } from '../run-script.ts';

let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'mlx-'));
});

afterEach(() => rmSync(dir, { recursive: true }));

function writeVersion(patch: number) {
  mkdirSync(join(dir, 'include/mlx'), { recursive: true });
  const lines = ['MAJOR 0', 'MINOR 32', `PATCH ${patch}`].map(part => `#define MLX_VERSION_${part}\n`);
  writeFileSync(join(dir, 'include/mlx/version.h'), lines.join(''));
}

const setup = () => runScript('build/mlx.mjs', [], { MLX_ROOT: dir });

describe('setup-mlx with MLX_ROOT', () => {
  it('refuses a folder without MLX', async () => {
    const run = await setup();
    expect(run.status).toBe(1);
    expect(run.stderr).toContain(`no MLX in ${dir}`);
  });

  it('refuses another version', async () => {
    writeVersion(2);
    const run = await setup();
    expect(run.status).toBe(1);
    expect(run.stderr).toContain('is 0.32.2; this program is written for 0.32.4');
    expect(run.stderr).toContain('Unset MLX_ROOT');
  });

  it('refuses one without the shared library', async () => {
    writeVersion(4);
    const run = await setup();
    expect(run.status).toBe(1);
    expect(run.stderr).toContain('has no lib/libmlx');
  });

  it('takes one that is whole, and downloads nothing', async () => {
    writeVersion(4);
    mkdirSync(join(dir, 'lib'));
    writeFileSync(join(dir, 'lib', process.platform === 'darwin' ? 'libmlx.dylib' : 'libmlx.so'), '');
    const run = await runScript('build/mlx.mjs', [], { MLX_ROOT: dir, PYTHON: '/nothing-here' });
    expect(run).toMatchObject({ status: 0, stderr: `MLX 0.32.4 (MLX_ROOT): ${dir}\n` });
  });
});
