import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
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
