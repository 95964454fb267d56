import { describe, expect, it } from 'vitest';
import { loadHint } from '../../src/native/load-hint.ts';

const hint = (reason: string, glibc: string | null | undefined = '2.36') =>
  loadHint([{ path: '/x.node', reason }], glibc);

describe('loadHint', () => {
  it.each([
    ['no such file', 'npm run bootstrap'],
    ['libcublasLt.so.13: cannot open shared object file', '--backend cuda'],
    ['libcuda.so.1: cannot open shared object file', 'no NVIDIA driver'],
    ['libmlx.so: cannot open shared object file: No such file or directory', 'MLX library is missing'],
    ['Library not loaded: @rpath/libmlx.dylib', 'MLX library is missing'],
    ["/lib/libc.so.6: version `GLIBC_2.38' not found", 'glibc 2.35'],
    ["libstdc++.so.6: version `GLIBCXX_3.4.32' not found", 'C++ library is older'],
    ['built for MLX 0.32.4, but the MLX found is 0.31.0', 'built for another version of MLX'],
    ['undefined symbol: _ZN3mlx4core4evalE', 'built for another version of MLX'],
    ['/x.node: invalid ELF header', 'another kind of machine'],
    [
      "mach-o file, but is an incompatible architecture (have 'x86_64', need 'arm64')",
      'another kind of machine',
    ],
    ['Module did not self-register', 'Remove the folders build and vendor'],
    ['something nobody has seen yet', 'npm run bootstrap'],
  ])('for "%s" says "%s"', (reason, words) => {
    expect(hint(reason)).toContain(words);
  });

  it('names the C library when it is too old, whatever else was wrong', () => {
    expect(hint('no such file', '2.34')).toBe(
      'This system has glibc 2.34; 2.35 or newer is needed (Ubuntu 22.04, Debian 12, Fedora 36 or newer).',
    );
    expect(hint('no such file', '2.35')).toContain('bootstrap');
  });

  it('says that musl will not do', () => {
    expect(hint('no such file', null)).toContain('musl');
  });

  it('gives each fix once', () => {
    const failures = [1, 2, 3].map(n => ({ path: `/${n}.node`, reason: 'no such file' }));
    expect(loadHint(failures, '2.36')).toBe('Run: npm run bootstrap');
  });
});
