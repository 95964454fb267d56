import { join } from 'node:path';
import { findBuildTools } from '../../lib/build/build-tools.mjs';
import { compileJobs, runCMake } from '../../lib/build/cmake.mjs';
import { firstCompiler, toolchainOf } from '../../lib/build/compiler.mjs';
import { beginCrossBuild } from '../../lib/build/cross-built.mjs';
import { listFiles, readStamp, writeStamp } from '../../lib/build/fingerprint.mjs';
import { mlxWheelFor, placeMlx } from '../../lib/build/mlx-wheel.mjs';
import { setupPackages } from '../../lib/build/npm-packages.mjs';
import { withLock } from '../../lib/lock.mjs';
import { arm64Dir, isMain, root, vendorDir } from '../../lib/project.mjs';
import { runMain, SetupError } from '../../lib/setup-error.mjs';
import { keepBuild, touchChanged } from '../native/kept-build.mjs';
import { readElf, reportVersions } from './elf-symbols.mjs';
import { EMULATOR, emulatorVersion, runCppTests, runGoldens } from './emulated-arm64.mjs';
import { reportMlxSymbols } from './mlx-symbols.mjs';

const TRIPLE = 'aarch64-linux-gnu';
const COMPILERS = ['', '-14', '-13', '-12'].map(suffix => `${TRIPLE}-g++${suffix}`);
const HINT = `Install it with: sudo apt-get install g++-${TRIPLE} qemu-user-static (Debian 12, Ubuntu 24.04).`;
const wheel = mlxWheelFor('manylinux_2_35_aarch64');
/** The folders are those of the platform's package, so that the addon finds MLX here as it does there. */
const mlxRoot = join(arm64Dir, 'vendor', 'mlx');
const addonDir = join(arm64Dir, 'build', 'Release');
const addon = join(addonDir, 'llm_host.node');
const objectDir = join(arm64Dir, 'obj');

/**
 * Cross-compiles and links the addon and the C++ unit tests for Linux on arm64; checks that the arm64 wheel's MLX
 * exports what the addon imports, and that the addon runs wherever that MLX does; runs the unit tests and tiny models in
 * an emulator, if there is one.
 * @returns {Promise<boolean>} false: something is missing or failed, as printed
 */
async function checkArm64() {
  const compiler = firstCompiler(COMPILERS, { missing: `${COMPILERS[0]} was not found`, hint: HINT });
  return withLock(join(vendorDir, '.arm64.lock'), async () => {
    await setupPackages();
    await fetchMlx();
    const noteSources = beginCrossBuild(addon);
    await compile(compiler);
    const good = compareSymbols() === 0 && (await runEmulated());
    if (good) noteSources();
    return good;
  });
}

async function fetchMlx() {
  if (readStamp('arm64')?.sha256 === wheel.sha256) return;
  console.error(`fetching MLX ${wheel.version} for Linux on arm64 ...`);
  await placeMlx(wheel, join(arm64Dir, 'vendor'));
  writeStamp('arm64', { sha256: wheel.sha256 });
}

/** The sources, and the headers that come from npm. */
const sourcesOf = () =>
  ['native', 'node_modules/node-addon-api', 'node_modules/node-api-headers/include']
    .flatMap(dir => listFiles(dir, path => /\.(h|cc|txt|cmake)$/.test(path)))
    .map(path => join(root, path));

async function compile(compiler) {
  const tools = await findBuildTools();
  const options = {
    CMAKE_SYSTEM_NAME: 'Linux',
    CMAKE_SYSTEM_PROCESSOR: 'aarch64',
    CMAKE_CXX_COMPILER: compiler.command,
    CMAKE_CROSSCOMPILING_EMULATOR: EMULATOR,
    CMAKE_LIBRARY_OUTPUT_DIRECTORY: addonDir,
    MLX_ROOT: mlxRoot,
    LLM_HOST_TESTS: 'ON',
    ...(tools.make ? { CMAKE_MAKE_PROGRAM: tools.make } : {}),
  };
  const defined = Object.entries(options).map(([name, value]) => `-D${name}=${value}`);
  const setting = [wheel.sha256, compiler, toolchainOf(compiler.command), tools.generator, defined];
  keepBuild(objectDir, setting);
  touchChanged(objectDir, sourcesOf());
  const place = ['-S', join(root, 'native'), '-B', objectDir];
  await runCMake('configured', tools.cmake, ['-G', tools.generator, ...place, ...defined]);
  console.error(`compiling for ${TRIPLE} with ${compiler.version} ...`);
  await runCMake('compiled', tools.cmake, ['--build', objectDir, '--parallel', `${compileJobs()}`]);
}

/** How many symbols or versions the addon asks for in vain. */
function compareSymbols() {
  const ours = readElf(TRIPLE, addon);
  const mlx = readElf(TRIPLE, join(mlxRoot, 'lib', 'libmlx.so'));
  if (ours.machine !== 'AArch64') throw new SetupError(`the addon is for ${ours.machine}, not AArch64`);
  console.log(`ELF ${ours.machine}; libraries: ${ours.libraries.join(', ')}; looks in ${ours.path}`);
  const newer = reportVersions(ours, mlx, 'libmlx.so');
  return newer.length + reportMlxSymbols(ours.imports, mlx.exports, 'libmlx.so').length;
}

async function runEmulated() {
  const version = await emulatorVersion();
  if (!version) {
    console.log(`not run: ${EMULATOR} was not found. ${HINT}`);
    return true;
  }
  console.log(`run under emulation: ${version}`);
  const tests = await runCppTests(objectDir);
  const goldens = await runGoldens(addon);
  return tests && goldens;
}

if (isMain(import.meta.url)) {
  await runMain(async () => {
    if (!(await checkArm64())) process.exitCode = 1;
  });
}
