// Checks the C++ against .clang-format; with `--write` formats it.
import { join } from 'node:path';
import { listFiles } from '../lib/build/fingerprint.mjs';
import { root } from '../lib/project.mjs';
import { CommandError, runCommand } from '../lib/run-command.mjs';
import { runMain } from '../lib/setup-error.mjs';
import { pipTools } from './cross/pip-tools.mjs';

await runMain(async () => {
  const clangFormat = join(await pipTools('cppFormat'), 'clang_format/data/bin/clang-format');
  const mode = process.argv.includes('--write') ? ['-i'] : ['--dry-run', '-Werror'];
  const files = listFiles('native', path => /\.(cc|h)$/.test(path));
  try {
    await runCommand(clangFormat, [...mode, ...files], { cwd: root });
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    const places = new Set(error.output.match(/^native\/\S+?:\d+/gm) ?? [error.tail()]);
    console.error(`${[...places].join('\n')}\nnot formatted; run: npm run format:native`);
    process.exitCode = 1;
  }
});
