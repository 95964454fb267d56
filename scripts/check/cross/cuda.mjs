import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nvidiaRequirements } from '../../build/cuda.mjs';
import { setupMlx } from '../../build/mlx.mjs';
import { buildNative } from '../../build/native.mjs';
import { findCompiler } from '../../lib/build/compiler.mjs';
import { listFiles, readStamp, writeStamp } from '../../lib/build/fingerprint.mjs';
import { placeMlx } from '../../lib/build/mlx-wheel.mjs';
import { withLock } from '../../lib/lock.mjs';
import { addonPath, cudaDir, isMain, root, vendorDir, wheels } from '../../lib/project.mjs';
import { findPython } from '../../lib/python.mjs';
import { CommandError, runCommand } from '../../lib/run-command.mjs';
import { runMain, SetupError } from '../../lib/setup-error.mjs';
import { readElf, reportVersions } from './elf-symbols.mjs';
import { reportMlxSymbols } from './mlx-symbols.mjs';

const TRIPLE = 'x86_64-linux-gnu';
const ADDON = join('build', 'Release', 'llm_host.node');
const standInDir = join(cudaDir, 'stand-ins');
const library = join(cudaDir, 'vendor', 'mlx', 'lib', 'libmlx.so');
/** The system's libraries; the others that libmlx loads are in the wheel, or NVIDIA's. */
const SYSTEM = /^(lib(stdc\+\+|m|gcc_s|c|pthread|dl|rt)\.so|ld-linux)/;
/** NVIDIA's wheels that compile, or are compiled. */
const COMPILER = /^nvidia-cuda-(nvrtc|runtime|crt)==/;
/** In the sources that libmlx carries as text. */
const INCLUDE = /^#include <([a-z0-9_/.]+)>$/gm;

/**
 * Checks, without a GPU, that this machine's addon also serves MLX for CUDA: the wheel's headers are those that it was
 * compiled with, libmlx exports what it imports, it asks for no newer system, Node loads both, with stand-ins for
 * NVIDIA's libraries, and every header that MLX compiles at its first use is there. Nothing is computed: that needs a GPU.
 * @returns {Promise<string[]>} what is wrong
 */
async function checkCuda() {
  if (process.platform !== 'linux' || process.arch !== 'x64')
    throw new SetupError('MLX for CUDA is for Linux on x86-64; it can be checked only there');
  return withLock(join(vendorDir, '.cuda.lock'), async () => {
    await buildNative();
    await fetchMlx();
    mkdirSync(join(cudaDir, 'build', 'Release'), { recursive: true });
    cpSync(addonPath, join(cudaDir, ADDON));
    const [addon, mlx] = [addonPath, library].map(file => readElf(TRIPLE, file));
    const faults = await headerFaults();
    faults.push(...reportMlxSymbols(addon.imports, mlx.exports, 'libmlx.so').map(name => `no ${name}`));
    faults.push(...reportVersions(addon, mlx, 'libmlx.so').map(name => `needs a newer ${name}`));
    return [...faults, ...(await loadFaults(mlx.libraries)), ...(await missingHeaders())];
  });
}

async function fetchMlx() {
  const wheel = wheels.cuda.mlx;
  if (readStamp('cuda')?.sha256 === wheel.sha256 && existsSync(library)) return;
  console.error(`fetching MLX ${wheel.version} for CUDA (90 MB) ...`);
  await placeMlx(wheel, join(cudaDir, 'vendor'));
  writeStamp('cuda', { sha256: wheel.sha256 });
}

/** Every header that the addon can include must be the same, so that one binary serves both. */
async function headerFaults() {
  const ours = (await setupMlx()).root;
  const headers = listFiles('vendor/mlx/include/mlx').map(path => path.slice('vendor/mlx/'.length));
  const theirs = join(cudaDir, 'vendor', 'mlx');
  const differing = headers.filter(
    path =>
      !existsSync(join(theirs, path)) ||
      !readFileSync(join(ours, path)).equals(readFileSync(join(theirs, path))),
  );
  console.log(`headers compared: ${headers.length}, different: ${differing.length}`);
  return differing.map(path => `${path} differs from the one that the addon was compiled with`);
}

/** Loads the addon in Node with empty libraries under the names of NVIDIA's. */
async function loadFaults(libraries) {
  const bundled = listFiles('vendor/cuda/vendor/mlx_cuda_13.libs').map(path => path.split('/').at(-1));
  const nvidia = libraries.filter(name => !SYSTEM.test(name) && !bundled.includes(name));
  console.log(`NVIDIA's libraries: ${nvidia.join(', ')}`);
  await makeStandIns(nvidia);
  const print = 'console.log(JSON.stringify(require(process.argv[1]).versions))';
  const env = { ...process.env, LD_LIBRARY_PATH: standInDir };
  const printed = await runCommand(process.execPath, ['-e', print, join(cudaDir, ADDON)], { cwd: root, env });
  const { mlxBuilt, mlxLoaded } = JSON.parse(printed);
  console.log(`loaded with stand-ins: MLX ${mlxLoaded}`);
  return mlxBuilt === mlxLoaded ? [] : [`built for MLX ${mlxBuilt}, loaded ${mlxLoaded}`];
}

/** Names headers that libmlx's own sources include and NVIDIA's compiler, of the pinned wheels, does not find. */
async function missingHeaders() {
  const nvidia = join(cudaDir, 'compiler');
  const { command } = await findPython();
  const wanted = nvidiaRequirements()
    .split('\n')
    .filter(line => COMPILER.test(line));
  if (readStamp('cuda-compiler')?.wanted.join() !== wanted.join() || !existsSync(nvidia)) {
    rmSync(nvidia, { recursive: true, force: true });
    const list = join(cudaDir, 'compiler.list');
    writeFileSync(list, `${wanted.join('\n')}\n`);
    const args = ['--quiet', '--no-input', '--disable-pip-version-check', '--no-deps', '--only-binary=:all:'];
    await runCommand(command, ['-m', 'pip', 'install', ...args, '--target', nvidia, '-r', list]);
    writeStamp('cuda-compiler', { wanted });
  }
  const headers = [...new Set(Array.from(readFileSync(library, 'latin1').matchAll(INCLUDE), m => m[1]))];
  const script = join(root, 'scripts', 'check', 'cross', 'compile_headers.py');
  const include = join(cudaDir, 'vendor', 'mlx', 'include');
  try {
    await runCommand(command, [script, join(nvidia, 'nvidia'), include, ...headers]);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return error.output.trim().split('\n');
  }
  console.log(`headers that MLX compiles: ${headers.length}, all there`);
  return [];
}

async function makeStandIns(names) {
  const { command } = findCompiler();
  rmSync(standInDir, { recursive: true, force: true });
  mkdirSync(standInDir, { recursive: true });
  for (const name of names) {
    const args = ['-shared', '-x', 'c++', '/dev/null', '-o', join(standInDir, name), `-Wl,-soname,${name}`];
    await runCommand(command, args);
  }
}

if (isMain(import.meta.url)) {
  await runMain(async () => {
    const faults = await checkCuda();
    for (const fault of faults) console.error(`WRONG: ${fault}`);
    if (faults.length > 0) process.exitCode = 1;
  });
}
