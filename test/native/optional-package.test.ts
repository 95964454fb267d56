import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { platformPackages } from '../../src/native/optional-package.ts';
import { ROOT, runProgram, workplace } from '../e2e/program.ts';

const PLATFORM = `${process.platform}-${process.arch}`;

/** dist/ as npm installs it: in node_modules, without sources; with the given platform package. */
function installed(addon?: string) {
  const { dir, env } = workplace({ 'package.json': '{}' });
  const main = join(dir, 'node_modules', 'llm-host');
  mkdirSync(main, { recursive: true });
  for (const name of ['package.json', 'dist/native', 'dist/errors.js']) {
    cpSync(join(ROOT, name), join(main, name), { recursive: true });
  }
  const folder = join(dir, 'node_modules', '@llm-host', PLATFORM, 'build', 'Release');
  if (addon !== undefined) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, '..', '..', 'package.json'), '{ "version": "0.1.0" }');
    writeFileSync(join(folder, 'llm_host.node'), addon);
  }
  const script = join(dir, 'try.mjs');
  writeFileSync(
    script,
    `import { addonCandidates, loadAddon } from 'llm-host-load';
     console.log(JSON.stringify(addonCandidates()));
     try { loadAddon(); } catch (error) { console.log(error.code, error.message, error.hint); }`.replace(
      'llm-host-load',
      join(main, 'dist/native/load-addon.js'),
    ),
  );
  return { script, folder, main, options: { cwd: dir, env } };
}

test('the platform package is taken, and nothing else is tried', async () => {
  const { script, folder, options } = installed('not an addon');
  const { stdout } = await runProgram(script, [], options);
  expect(JSON.parse(stdout.split('\n')[0] as string)).toEqual([join(folder, 'llm_host.node')]);
  expect(stdout).toContain('ENGINE_UNAVAILABLE the native engine could not be loaded.');
  expect(stdout).toContain('Remove node_modules, then install again: npm install');
});

test('without it: how to install it', async () => {
  const { script, main, options } = installed();
  const { stdout } = await runProgram(script, [], options);
  expect(JSON.parse(stdout.split('\n')[0] as string)).toEqual([join(main, 'build/Release/llm_host.node')]);
  expect(stdout).toContain(`Install it: npm install @llm-host/${PLATFORM} (npm leaves it out`);
});

test.each([
  ['darwin', 'arm64', '23.6.0', ['darwin-arm64']],
  ['darwin', 'arm64', '25.1.0', ['darwin-arm64']],
  ['darwin', 'arm64', '25.2.0', ['darwin-arm64-macos26', 'darwin-arm64']],
  ['darwin', 'arm64', '26.0.0', ['darwin-arm64-macos26', 'darwin-arm64']],
  ['darwin', 'x64', '25.2.0', ['darwin-x64']],
  ['linux', 'x64', '6.1.0', ['linux-x64-cuda', 'linux-x64']],
  ['linux', 'arm64', '6.1.0', ['linux-arm64']],
])('on %s %s %s the packages are %s', (platform, arch, system, names) => {
  expect(platformPackages(platform, arch, system)).toEqual(names.map(name => `@llm-host/${name}`));
});

test('a better package that does not load is named, and the general one runs', async () => {
  const addon = 'module.exports = { versions: { mlxBuilt: "1", mlxLoaded: "1" }, shutdown() {} };';
  const { main, options, script } = installed(addon);
  const platform = join(main, '..', '@llm-host', PLATFORM);
  cpSync(platform, `${platform}-better`, { recursive: true });
  const failing = 'throw new Error("libcublasLt.so.13: cannot open shared object file")';
  writeFileSync(join(`${platform}-better`, 'build/Release/llm_host.node'), failing);
  const own = join(main, 'dist/native/optional-package.js');
  const list = `[\`@llm-host/${PLATFORM}-better\`, \`@llm-host/${PLATFORM}\`]`;
  writeFileSync(
    own,
    readFileSync(own, 'utf8').replace(/PLATFORM_PACKAGES = .*;/, `PLATFORM_PACKAGES = ${list};`),
  );
  writeFileSync(
    script,
    `import { createRequire } from 'node:module';
     createRequire(import.meta.url).extensions['.node'] = createRequire(import.meta.url).extensions['.js'];
     const { addonNotices, loadAddon } = await import(${JSON.stringify(join(main, 'dist/native/load-addon.js'))});
     console.log(loadAddon().versions.mlxBuilt, addonNotices());`,
  );
  const { stdout } = await runProgram(script, [], options);
  expect(stdout).toContain('A faster build of the engine does not load; a plainer one runs.');
  expect(stdout).toContain(`python3 -m pip install --no-deps --target ${platform}-better/vendor`);
});
