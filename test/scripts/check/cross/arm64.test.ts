import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { tempFolder } from '../../../model/temp-folder.ts';
import { runScript } from '../../run-script.ts';

const load = (name: string) =>
  import(new URL(`../../../../scripts/check/cross/${name}.mjs`, import.meta.url).href);

/** What is printed from now on, until the test ends. */
function printed(): string[] {
  const lines: string[] = [];
  const log = vi.spyOn(console, 'log').mockImplementation(line => void lines.push(line));
  onTestFinished(() => log.mockRestore());
  return lines;
}

it('refuses before work without the cross compiler, and says how to get it', async () => {
  const bin = tempFolder({});
  symlinkSync(process.execPath, join(bin, 'node'));
  const run = await runScript('check/cross/arm64.mjs', [], { PATH: bin });
  expect(run).toMatchObject({ status: 1, stdout: '' });
  expect(run.stderr).toBe(
    'Error: aarch64-linux-gnu-g++ was not found\n' +
      'Install it with: sudo apt-get install g++-aarch64-linux-gnu qemu-user-static (Debian 12, Ubuntu 24.04).\n',
  );
});

it('finds symbols of a newer C or C++ library than libmlx asks for, and those that it does not know', async () => {
  const { reportVersions } = await load('elf-symbols');
  const lines = printed();
  const mlx = { versions: { GLIBC: '2.35', GLIBCXX: '3.4.30' } };
  expect(reportVersions({ versions: { GLIBC: '2.4', GLIBCXX: '3.4.30' } }, mlx, 'libmlx.so')).toEqual([]);
  const newer = { versions: { GLIBC: '2.38', GLIBCXX: '3.4.9', CXXABI: '1.3' } };
  expect(reportVersions(newer, mlx, 'libmlx.so')).toEqual(['GLIBC', 'CXXABI']);
  expect(lines[1]).toBe(
    "needs GLIBC_2.38 (libmlx.so: 2.35), GLIBCXX_3.4.9 (libmlx.so: 3.4.30), CXXABI_1.3 (libmlx.so: none); newer than libmlx.so's: 2",
  );
});

it('names the MLX symbols that are missing', async () => {
  const { reportMlxSymbols } = await load('mlx-symbols');
  const lines = printed();
  const imports = ['_ZN3mlx4core3addE', '_ZN3mlx4core4goneE', 'malloc'];
  expect(reportMlxSymbols(imports, ['_ZN3mlx4core3addE'], 'libmlx.so')).toEqual(['_ZN3mlx4core4goneE']);
  expect(lines).toEqual(['mlx::core symbols imported: 2, missing in libmlx.so: 1', '  _ZN3mlx4core4goneE']);
});
