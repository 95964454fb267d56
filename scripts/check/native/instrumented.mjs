import { join } from 'node:path';
import { makeWeights } from '../../../test/fixtures/make.mjs';
import { setupMlx } from '../../build/mlx.mjs';
import { findBuildTools } from '../../lib/build/build-tools.mjs';
import { compileJobs, runCMake } from '../../lib/build/cmake.mjs';
import { findCompiler } from '../../lib/build/compiler.mjs';
import { setupPackages } from '../../lib/build/npm-packages.mjs';
import { withLock } from '../../lib/lock.mjs';
import { buildDir, root, vendorDir } from '../../lib/project.mjs';
import { keepBuild } from './kept-build.mjs';

/** Where each kind is built, in build/. */
const FOLDERS = { address: 'asan', thread: 'tsan', coverage: 'coverage', fuzz: 'libfuzzer' };

/**
 * Builds a part of native/ with the compiler's sanitizers or counters, in its own folder in build/, incrementally.
 * @param {'address' | 'thread' | 'coverage' | 'fuzz'} kind
 * @param {readonly string[]} targets of CMake: 'unit_tests', 'llm_host', 'fuzz_targets'
 * @param {{ command: string, version: string }} [compiler] default: the one that makes the addon
 * @returns {Promise<{ dir: string, ctest: string, compiler: string }>}
 */
export async function buildInstrumented(kind, targets, compiler = findCompiler()) {
  makeWeights();
  await setupPackages();
  const mlx = await setupMlx();
  const tools = await findBuildTools();
  const dir = join(buildDir, FOLDERS[kind]);
  await withLock(join(vendorDir, `.build-${FOLDERS[kind]}.lock`), async () => {
    keepBuild(dir, [compiler, tools.generator, mlx.root]);
    const options = [
      ...[`-DLLM_HOST_INSTRUMENT=${kind}`, '-DLLM_HOST_TESTS=ON', `-DMLX_ROOT=${mlx.root}`],
      `-DCMAKE_CXX_COMPILER=${compiler.command}`,
      ...(tools.make ? [`-DCMAKE_MAKE_PROGRAM=${tools.make}`] : []),
    ];
    const place = ['-S', join(root, 'native'), '-B', dir, '-G', tools.generator];
    await runCMake('configured', tools.cmake, [...place, ...options]);
    console.error(`compiling with ${compiler.version} in build/${FOLDERS[kind]} ...`);
    const jobs = ['--parallel', `${compileJobs()}`];
    await runCMake('compiled', tools.cmake, ['--build', dir, ...jobs, '--target', ...targets]);
  });
  return { dir, ctest: tools.ctest, compiler: compiler.command };
}
