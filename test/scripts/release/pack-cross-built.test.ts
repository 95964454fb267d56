import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { tempFolder } from '../../model/temp-folder.ts';
import { runNode } from '../../run-node.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** A checkout with one native source and an addon that was, as it were, cross-built for another platform. */
function checkout() {
  const root = tempFolder({});
  const fixtures = ['test/fixtures/make.mjs', 'test/fixtures/seeded'];
  for (const name of ['scripts', 'packages', 'package.json', 'package-lock.json', 'LICENSE', ...fixtures])
    cpSync(join(ROOT, name), join(root, name), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  const write = (path: string, text = path) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  write('native/CMakeLists.txt');
  write('native/engine/one.cc');
  for (const path of Object.values(ADDONS)) write(path);
  write('vendor/arm64/vendor/mlx/lib/libmlx.so');
  write('vendor/arm64/vendor/mlx/dist-info/licenses/LICENSE');
  write('vendor/arm64/vendor/mlx_cpu.libs/libblas.so');
  for (const build of ['darwin-arm64', 'darwin-arm64-macos26']) {
    for (const name of ['libmlx.dylib', 'libjaccl.dylib', 'mlx.metallib'])
      write(`vendor/darwin/${build}/mlx/lib/${name}`);
    write(`vendor/darwin/${build}/mlx/dist-info/licenses/LICENSE`);
  }
  return { root, write };
}

const ADDONS = {
  'linux-arm64': 'vendor/arm64/build/Release/llm_host.node',
  'darwin-arm64': 'vendor/darwin/llm_host.node',
  'darwin-arm64-macos26': 'vendor/darwin/llm_host.node',
};
const COMMANDS = {
  'linux-arm64': 'npm run check:arm64',
  'darwin-arm64': 'npm run check:darwin',
  'darwin-arm64-macos26': 'npm run check:darwin',
};
const own = `${process.platform}-${process.arch}`;
const others = (['linux-arm64', 'darwin-arm64', 'darwin-arm64-macos26'] as const).filter(
  name => name !== own,
);

/** As the cross-build does when it begins, and, with `end`, when its checks have passed. */
function build(root: string, addon: string, end: boolean) {
  const script = `const { beginCrossBuild } = await import('${join(root, 'scripts/lib/build/cross-built.mjs')}');
    const end = beginCrossBuild('${join(root, addon)}'); ${end ? 'end();' : ''}`;
  return runNode(['--input-type=module', '-e', script]);
}

/** Packs without set-up. */
function pack(root: string, ...names: string[]) {
  const script = `const { packAll } = await import('${join(root, 'scripts/release/pack.mjs')}');
    const { runMain } = await import('${join(root, 'scripts/lib/setup-error.mjs')}');
    await runMain(async () => { for (const one of await packAll({ only: ${JSON.stringify(names)} })) console.log(one.name); });`;
  return runNode(['--input-type=module', '-e', script]);
}

it.each(others)(
  'an addon for %s that is not of these sources is not packed',
  { timeout: 120_000 },
  async name => {
    const { root, write } = checkout();
    const refusal =
      `Error: the addon for ${name} was not built and checked from these sources\n` +
      `Run ${COMMANDS[name]}, or leave it out: npm run pack:all -- llm-host demo-weights ${own}\n`;
    // Of unknown age; the command refuses before it sets anything up.
    const command = await runNode([join(root, 'scripts/release/pack.mjs'), name]);
    expect(command).toMatchObject({ status: 1, stdout: '', stderr: refusal });
    await build(root, ADDONS[name], true);
    expect(await pack(root, name)).toMatchObject({ status: 0, stdout: `@llm-host/${name}\n`, stderr: '' });
    write('native/test/one_test.cc');
    expect(await pack(root, name)).toMatchObject({ status: 0 });
    for (const path of ['native/engine/two.cc', 'native/engine/one.cc', 'native/CMakeLists.txt']) {
      write(path, 'other');
      expect(await pack(root, name), path).toMatchObject({ status: 1, stderr: refusal });
      await build(root, ADDONS[name], true);
    }
    // Begun and never finished, or its checks failed.
    await build(root, ADDONS[name], false);
    expect(await pack(root, name)).toMatchObject({ status: 1, stderr: refusal });
    expect(readFileSync(join(root, ADDONS[name]), 'utf8')).toBe(ADDONS[name]);
  },
);

it('packing everything is refused too, an unknown package by its name', async () => {
  const { root } = checkout();
  const first = others[0] as (typeof others)[number];
  expect((await pack(root)).stderr).toContain(`the addon for ${first} was not built`);
  expect((await pack(root, 'llm-hosts')).stderr).toContain(
    "there is no package 'llm-hosts' to make here\nThere are: ",
  );
});
