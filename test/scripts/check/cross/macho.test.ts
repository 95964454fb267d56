import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import {
  addonFaults,
  libraryFaults,
  objcFaults,
  occurrences,
} from '../../../../scripts/check/cross/macho.mjs';
import { tempFolder } from '../../../model/temp-folder.ts';

vi.spyOn(console, 'log').mockReturnValue();

const addon = {
  cpu: 'ARM64',
  type: 'DYLIB',
  name: '@rpath/llm_host.node',
  rpaths: ['@loader_path/../../vendor/mlx/lib'],
  minimum: '14.0',
  signed: true,
  libraries: ['@rpath/libmlx.dylib'],
  imports: ['_napi_throw', '__ZN3mlx4core5arrayC1Ev'],
};

describe('the addon for macOS', () => {
  it('is right as it is', () => expect(addonFaults(addon)).toEqual([]));

  it.each([
    [{ cpu: 'X86_64' }, 'cpu is "X86_64", not "ARM64"'],
    [{ name: '/tmp/llm_host.node' }, 'name is "/tmp/llm_host.node"'],
    [{ rpaths: ['/vendor/mlx/lib'] }, 'rpaths is ["/vendor/mlx/lib"]'],
    [{ minimum: '26.2' }, 'minimum is "26.2", not "14.0"'],
    [{ signed: false }, 'signed is false'],
    [{ imports: ['__ZN8llm_host4HostC1Ev'] }, 'imports __ZN8llm_host4HostC1Ev, which is ours'],
  ])('with %o is refused', (change, words) => {
    expect(addonFaults({ ...addon, ...change })).toEqual([expect.stringContaining(words)]);
  });
});

it('a library that loads another one from its package must find it there', () => {
  const library = { cpu: 'ARM64', name: '@rpath/libmlx.dylib', minimum: '26.2', signed: true };
  const described = { ...library, libraries: ['/usr/lib/libc++.1.dylib', '@rpath/libjaccl.dylib'] };
  const build = { package: 'p', platform: 'x', minimum: '26.2', neuralAccelerators: true };
  const packed = { ...build, libraries: ['libmlx.dylib', 'libjaccl.dylib'] };
  expect(libraryFaults(described, 'libmlx.dylib', packed)).toEqual([]);
  expect(libraryFaults(described, 'libmlx.dylib', { ...packed, libraries: ['libmlx.dylib'] })).toEqual([
    'libmlx.dylib of p loads @rpath/libjaccl.dylib, which is not packed',
  ]);
});

it('what the addon imports from Objective-C must come with libmlx', () => {
  const uses = { imports: ['_objc_autoreleasePoolPush', '_napi_throw'] };
  const [brings, lacks] = [['/usr/lib/libobjc.A.dylib'], ['/usr/lib/libc++.1.dylib']];
  expect(objcFaults(uses, { libraries: brings }, { package: 'p' })).toEqual([]);
  expect(objcFaults({ imports: [] }, { libraries: lacks }, { package: 'p' })).toEqual([]);
  expect(objcFaults(uses, { libraries: lacks }, { package: 'p' })).toEqual([
    'libmlx.dylib of p does not load /usr/lib/libobjc.A.dylib, which has _objc_autoreleasePoolPush',
  ]);
});

it('counts a text in a large file, also across the borders of chunks', async () => {
  const path = join(tempFolder({}), 'large');
  writeFileSync(path, `${'x'.repeat((1 << 20) - 1)}naxnax${'y'.repeat(1 << 20)}na`);
  expect(await occurrences(path, 'nax')).toBe(2);
});
