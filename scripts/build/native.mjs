import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import { findBuildTools } from '../lib/build/build-tools.mjs';
import { compileJobs, runCMake } from '../lib/build/cmake.mjs';
import { findCompiler } from '../lib/build/compiler.mjs';
import { fingerprint, listFiles, readStamp, writeStamp } from '../lib/build/fingerprint.mjs';
import { withLock } from '../lib/lock.mjs';
import { addonPath, buildDir, isMain, root, vendorDir } from '../lib/project.mjs';
import { runMain, SetupError } from '../lib/setup-error.mjs';
import { findMlx, setupMlx } from './mlx.mjs';

const nativeDir = join(root, 'native');

/**
 * True when the addon (and the C++ tests, if asked for) is built from the current sources.
 * @param {{ tests?: boolean }} [options]
 */
export function nativeReady({ tests = false } = {}) {
  const mlx = findMlx();
  const stamp = readStamp('native');
  if (!mlx || !stamp || !existsSync(addonPath)) return false;
  if (tests && !(stamp.tests && stamp.root === root)) return false; // The tests hold absolute paths.
  return (
    stamp.fingerprint === inputsOf({ tests: stamp.tests, mlx, compiler: compilerVersion() ?? stamp.compiler })
  );
}

/**
 * Builds build/Release/llm_host.node with CMake through cmake-js, unless it is up to date.
 * @param {{ tests?: boolean, onProgress?: (progress: string) => void }} [options]
 *   tests: also the C++ unit tests (run by ctest in build/); onProgress: progress as '12/40'
 */
export async function buildNative(options = {}) {
  if (nativeReady(options)) return;
  await withLock(join(vendorDir, '.build.lock'), async () => {
    if (!nativeReady(options)) await build(options);
  });
}

async function build({ tests = false, onProgress = () => {} }) {
  const mlx = await setupMlx();
  const compiler = findCompiler();
  const before = inputsOf({ tests, mlx, compiler: compiler.version });
  const tools = await findBuildTools();
  const options = { MLX_ROOT: mlx.root, LLM_HOST_TESTS: tests ? 'ON' : 'OFF' };
  if (tools.make) options.CMAKE_MAKE_PROGRAM = tools.make;
  const setting = { compiler: compiler.version, generator: tools.generator, mlx: portable(mlx.root) };
  dropOtherBuild(setting);
  writeStamp('native', setting); // Not ready yet, but a build that fails need not start from nothing again.

  const cmake = cmakeJs({ tools, compiler, options });
  const [command, ...configure] = await cmake.getConfigureCommand();
  const place = ['-S', nativeDir, '-B', buildDir];
  const configured = await runCMake('configured', command, [...place, ...configure.slice(1)]);
  const [, ...compile] = await cmake.getBuildCommand();
  const built = await runCMake('compiled', command, compile, onProgress);
  writeFileSync(join(buildDir, 'build.log'), `${configured}\n${built}\n`);
  if (!existsSync(addonPath)) throw new SetupError(`the build ended without ${addonPath}`);
  writeStamp('native', { ...setting, root, tests, fingerprint: before });
}

/** Undefined without a compiler: an existing build still runs. */
function compilerVersion() {
  try {
    return findCompiler().version;
  } catch (error) {
    if (error instanceof SetupError) return undefined;
    throw error;
  }
}

/** cmake-js gives the command lines; they run here so that their output is shown only on failure. */
function cmakeJs({ tools, compiler, options }) {
  const require = createRequire(import.meta.url);
  let CMake;
  try {
    ({ CMake } = require('cmake-js'));
  } catch (error) {
    throw new SetupError('cmake-js is not installed', { hint: 'Run npm ci first.', cause: error });
  }
  return new CMake({
    directory: nativeDir,
    out: buildDir,
    config: 'Release',
    cmakePath: tools.cmake,
    generator: tools.generator,
    cppCompilerPath: compiler.command,
    cCompilerPath: compiler.command, // cmake-js wants both; nothing here is C.
    // N-API headers come from node-api-headers in node_modules: nothing is downloaded.
    isNodeApi: true,
    noLog: true,
    parallel: compileJobs(),
    cMakeOptions: options,
  });
}

/** CMake refuses a build folder of another path or generator; builds of different compilers or MLX must not mix. */
function dropOtherBuild(now) {
  const cache = join(buildDir, 'CMakeCache.txt');
  if (!existsSync(cache)) return;
  const [, home] = readFileSync(cache, 'utf8').match(/^CMAKE_HOME_DIRECTORY:INTERNAL=(.*)$/m) ?? [];
  const stamp = readStamp('native');
  const same = stamp && Object.entries(now).every(([key, value]) => stamp[key] === value);
  if (home !== nativeDir.replace(/\/$/, '') || !same) rmSync(buildDir, { recursive: true, force: true });
}

/** Everything that determines the addon: not where the checkout lies, since the addon finds its MLX from its own place. */
function inputsOf({ tests, mlx, compiler }) {
  const sources = listFiles('native', path => tests || !path.startsWith('native/test/'));
  return fingerprint(
    [...sources, 'package-lock.json'],
    [tests, { ...mlx, root: portable(mlx.root) }, compiler, process.arch],
  );
}

/** A path inside the checkout without the checkout's own place. */
function portable(path) {
  const inside = relative(root, path);
  return inside.startsWith('..') ? path : inside;
}

if (isMain(import.meta.url)) {
  await runMain(async () => {
    await buildNative({ tests: process.argv.includes('--tests') });
    console.error(`native addon: ${addonPath}`);
  });
}
