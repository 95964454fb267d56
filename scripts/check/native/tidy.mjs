// Runs clang-tidy (.clang-tidy) over the C++ sources, or over the files named as arguments. Takes minutes, since each
// source reads MLX's headers.
import { cpus } from 'node:os';
import { join, resolve } from 'node:path';
import { setupMlx } from '../../build/mlx.mjs';
import { findBuildTools } from '../../lib/build/build-tools.mjs';
import { runCMake } from '../../lib/build/cmake.mjs';
import { findCompiler } from '../../lib/build/compiler.mjs';
import { listFiles } from '../../lib/build/fingerprint.mjs';
import { setupPackages } from '../../lib/build/npm-packages.mjs';
import { buildDir, root } from '../../lib/project.mjs';
import { CommandError, runCommand } from '../../lib/run-command.mjs';
import { runMain } from '../../lib/setup-error.mjs';
import { pipTools } from '../cross/pip-tools.mjs';

const dir = join(buildDir, 'tidy');
/** The compile commands are of another compiler, which has other warnings. */
const ARGS = ['-p', dir, '--quiet', '--extra-arg=-Wno-unknown-warning-option'];

/** CMake's own list of what is compiled and how; nothing is built. */
async function writeCommands() {
  await setupPackages();
  const mlx = await setupMlx();
  const { cmake, generator, make } = await findBuildTools();
  const options = [
    ...['-DLLM_HOST_TESTS=ON', '-DLLM_HOST_UNITY=OFF', '-DCMAKE_EXPORT_COMPILE_COMMANDS=ON'],
    '-DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON',
    ...[`-DMLX_ROOT=${mlx.root}`, `-DCMAKE_CXX_COMPILER=${findCompiler().command}`],
    ...(make ? [`-DCMAKE_MAKE_PROGRAM=${make}`] : []),
  ];
  await runCMake('configured', cmake, ['-S', join(root, 'native'), '-B', dir, '-G', generator, ...options]);
}

/** clang-tidy's findings in a source and its headers; empty when there are none. */
async function findings(clangTidy, source) {
  try {
    await runCommand(clangTidy, [...ARGS, source], { cwd: root });
    return '';
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return error.output;
  }
}

await runMain(async () => {
  const clangTidy = join(await pipTools('cppTidy'), 'clang_tidy/data/bin/clang-tidy');
  await writeCommands();
  const named = process.argv.slice(2).map(path => resolve(path));
  const waiting = named.length > 0 ? named : listFiles('native', path => path.endsWith('.cc'));
  const total = waiting.length;
  let found = 0;
  const worker = async () => {
    for (let source = waiting.shift(); source; source = waiting.shift()) {
      const text = await findings(clangTidy, source);
      if (text) console.log(text.trimEnd());
      if (text) found += 1;
    }
  };
  await Promise.all(Array.from({ length: Math.min(2, cpus().length) }, worker));
  console.log(`clang-tidy: ${total} sources, findings in ${found}`);
  if (found > 0) process.exitCode = 1;
});
