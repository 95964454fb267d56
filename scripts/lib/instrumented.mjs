import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { setupMlx } from '../setup-mlx.mjs';
import { findBuildTools } from './build-tools.mjs';
import { findCompiler } from './compiler.mjs';
import { withLock } from './lock.mjs';
import { setupPackages } from './npm-packages.mjs';
import { buildDir, root, vendorDir } from './project.mjs';
import { CommandError, runCommand } from './run-command.mjs';
import { SetupError } from './setup-error.mjs';

/** Where each kind is built, in build/. */
const FOLDERS = { address: 'asan', thread: 'tsan', coverage: 'coverage' };
const JOBS = Math.min(2, cpus().length);

/**
 * Builds a part of native/ with the compiler's checks or counters, in a folder of its own in build/. What is up to date
 * there is kept.
 * @param {'address' | 'thread' | 'coverage'} kind
 * @param {readonly string[]} targets of CMake: 'unit_tests', 'llm_host'
 * @returns {Promise<{ dir: string, ctest: string, compiler: string }>}
 */
export async function buildInstrumented(kind, targets) {
  await setupPackages();
  const mlx = await setupMlx();
  const tools = await findBuildTools();
  const compiler = findCompiler();
  const dir = join(buildDir, FOLDERS[kind]);
  await withLock(join(vendorDir, `.build-${FOLDERS[kind]}.lock`), async () => {
    keepFor(dir, JSON.stringify([compiler, tools.generator, mlx.root]));
    const options = [
      ...[`-DLLM_HOST_INSTRUMENT=${kind}`, '-DLLM_HOST_TESTS=ON', `-DMLX_ROOT=${mlx.root}`],
      `-DCMAKE_CXX_COMPILER=${compiler.command}`,
      ...(tools.make ? [`-DCMAKE_MAKE_PROGRAM=${tools.make}`] : []),
    ];
    await step(tools.cmake, ['-S', join(root, 'native'), '-B', dir, '-G', tools.generator, ...options]);
    console.error(`compiling with ${compiler.version} in build/${FOLDERS[kind]} ...`);
    await step(tools.cmake, ['--build', dir, '--parallel', String(JOBS), '--target', ...targets]);
  });
  return { dir, ctest: tools.ctest, compiler: compiler.command };
}

/** CMake refuses a folder of another generator, and must not mix compilers. */
function keepFor(dir, setting) {
  const note = join(dir, 'setting.json');
  if (!existsSync(note) || readFileSync(note, 'utf8') !== setting)
    rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir, { recursive: true });
  writeFileSync(note, setting);
}

async function step(command, args) {
  try {
    await runCommand(command, args, { cwd: root });
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    throw new SetupError(`the instrumented build failed: ${error.message}`, { output: error.tail(40) });
  }
}
