// Packs everything that this machine can publish into build/packages: llm-host, the demo's weights, this machine's
// platform package, and those whose cross-compiled addon is present (npm run check:arm64, npm run check:darwin).
// Usage: npm run pack:all [-- [--to FOLDER] [PACKAGE...]], package names without @llm-host/
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { bootstrap } from '../bootstrap.mjs';
import { chosenBackend, nvidiaRequirements } from '../build/cuda.mjs';
import { demoAdapterPath, demoWeightsPath } from '../build/demo-weights.mjs';
import { findMlx } from '../build/mlx.mjs';
import { isCrossBuilt } from '../lib/build/cross-built.mjs';
import { MAC_BUILDS } from '../lib/build/mac-builds.mjs';
import {
  addonPath,
  arm64Dir,
  buildDir,
  cudaDir,
  darwinDir,
  isMain,
  root,
  vendorDir,
} from '../lib/project.mjs';
import { runCommand } from '../lib/run-command.mjs';
import { runMain, SetupError } from '../lib/setup-error.mjs';
import { manPage } from './man-page.mjs';

const packagesDir = join(root, 'packages');
const licencesDir = join(packagesDir, 'licences');
const packedDir = join(buildDir, 'packages');

const MAN_PAGE = 'man/llm-host.1';
const LINUX_LICENCES = ['IN-MLX.txt', 'LAPACK.txt', 'GPL-3.0.txt', 'GCC-RUNTIME-EXCEPTION.txt'];
/** The texts that each platform's package holds, beside those of this program and of MLX. */
const LICENCES = {
  'linux-x64': [...LINUX_LICENCES, 'LGPL-2.1.txt'], // libquadmath, which arm64 does without.
  'linux-arm64': LINUX_LICENCES,
  ...Object.fromEntries(MAC_BUILDS.map(build => [build.package, ['IN-MLX.txt', 'Apache-2.0.txt']])),
  'linux-x64-cuda': [...LINUX_LICENCES, 'LGPL-2.1.txt', 'IN-MLX-CUDA.txt', 'Apache-2.0.txt'],
};
/** Too large for those without such a GPU: installed by name only. */
const ON_DEMAND = ['linux-x64-cuda'];
const PLATFORMS = Object.keys(LICENCES).filter(name => !ON_DEMAND.includes(name));

const OWN = `${process.platform}-${process.arch}`;
/** Addons for other platforms, and what makes them; this machine's own is built anew where it is out of date. */
const CROSS_BUILT = {
  'linux-arm64': { addon: join(arm64Dir, 'build/Release/llm_host.node'), by: 'npm run check:arm64' },
  ...Object.fromEntries(
    MAC_BUILDS.map(build => [
      build.package,
      { addon: join(darwinDir, 'llm_host.node'), by: 'npm run check:darwin' },
    ]),
  ),
};
/** A Mac's own build has the MLX of its own system, so that there too the packages come from the cross-build. */
const PACKS_OWN = process.platform !== 'darwin';
const isCross = name => !(PACKS_OWN && name === OWN) && Object.hasOwn(CROSS_BUILT, name);

const readJson = path => JSON.parse(readFileSync(path, 'utf8'));

/**
 * package.json as published: without what only a checkout needs, with the manual page (made while packing) and the
 * platform packages (left out of the checkout's package.json so that `npm ci` does not look for them).
 */
export function publishedManifest() {
  const {
    scripts: _scripts,
    devDependencies: _dev,
    binary: _binary,
    gypfile: _gyp,
    ...kept
  } = readJson(join(root, 'package.json'));
  const optionalDependencies = Object.fromEntries(PLATFORMS.map(key => [`@llm-host/${key}`, kept.version]));
  return { ...kept, files: [...kept.files, dirname(MAN_PAGE)], man: `./${MAN_PAGE}`, optionalDependencies };
}

/**
 * @param {{ to?: string, only?: readonly string[] }} [options] to: the folder, build/packages is made anew; only: these packages
 * @returns {Promise<{ name: string, file: string, bytes: number, unpackedBytes: number }[]>}
 */
export async function packAll({ to = packedDir, only = [] } = {}) {
  const stages = stagesHere();
  const names = namesToPack(only);
  if (to === packedDir) rmSync(to, { recursive: true, force: true });
  const packed = [];
  for (const name of names) {
    const dir = join(to, name);
    rmSync(dir, { recursive: true, force: true });
    mkdirSync(dir, { recursive: true });
    await stages[name](dir);
    packed.push(await pack(dir, to));
  }
  return packed;
}

/** The packages to make. Refuses one that cannot be made here, or only from an addon that is out of date. */
function namesToPack(only) {
  const known = Object.keys(stagesHere());
  const unknown = only.find(name => !known.includes(name));
  if (unknown !== undefined)
    throw new SetupError(`there is no package '${unknown}' to make here`, {
      hint: `There are: ${known.join(', ')}.`,
    });
  const names = only.length > 0 ? only : known;
  const stale = names.find(name => isCross(name) && !isCrossBuilt(CROSS_BUILT[name].addon));
  if (stale !== undefined)
    throw new SetupError(`the addon for ${stale} was not built and checked from these sources`, {
      hint: `Run ${CROSS_BUILT[stale].by}, or leave it out: npm run pack:all -- ${known.filter(name => !isCross(name)).join(' ')}`,
    });
  return names;
}

/** The packages that this machine can make, by name: each fills a folder. */
function stagesHere() {
  const crossStages = {
    'linux-arm64': stageArm64,
    ...Object.fromEntries(MAC_BUILDS.map(build => [build.package, dir => stageMac(dir, build)])),
  };
  const there = Object.entries(crossStages).filter(
    ([name]) => isCross(name) && existsSync(CROSS_BUILT[name].addon),
  );
  return {
    'llm-host': stageMain,
    'demo-weights': stageWeights,
    ...(PACKS_OWN ? { [OWN]: stageOwnPlatform } : {}),
    ...Object.fromEntries(there),
    ...(OWN === 'linux-x64' && existsSync(join(cudaDir, 'vendor', 'mlx'))
      ? { 'linux-x64-cuda': stageCuda }
      : {}),
  };
}

async function stageMain(dir) {
  const manifest = publishedManifest();
  const { files } = readJson(join(root, 'package.json'));
  for (const name of [...files, 'README.md', 'CHANGELOG.md']) copy(join(root, name), join(dir, name));
  mkdirSync(join(dir, dirname(MAN_PAGE)));
  writeFileSync(join(dir, MAN_PAGE), await manPage(manifest));
  writeFileSync(join(dir, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

function stageWeights(dir) {
  fillFrom('demo-weights', dir);
  for (const name of ['adapter_config.json', 'adapters.safetensors'])
    copy(join(demoAdapterPath(), name), join(dir, 'adapter', name));
  copy(demoWeightsPath(), join(dir, basename(demoWeightsPath())));
  copy(join(root, 'models', 'demo', 'LICENSE-SmolLM2'), join(dir, 'LICENSE'));
}

function stageOwnPlatform(dir) {
  if (!PLATFORMS.includes(OWN)) throw new SetupError(`there is no platform package for ${OWN}`);
  if (findMlx()?.source !== 'wheel')
    throw new SetupError('packages must be made with the pinned MLX wheel', {
      hint: 'Unset MLX_ROOT and LLM_HOST_USE_BREW.',
    });
  if (chosenBackend() !== 'cpu')
    throw new SetupError(`this checkout has MLX for ${chosenBackend()}, which is not that of ${OWN}`, {
      hint: 'Run: npm run bootstrap -- --backend cpu',
    });
  stagePlatform(dir, OWN, addonPath, vendorDir);
}

function stageArm64(dir) {
  stagePlatform(dir, 'linux-arm64', CROSS_BUILT['linux-arm64'].addon, join(arm64Dir, 'vendor'));
}

/** The addon is this machine's own, which check:cuda has shown to serve MLX for CUDA. */
function stageCuda(dir) {
  stagePlatform(dir, 'linux-x64-cuda', addonPath, join(cudaDir, 'vendor'));
  // MLX compiles kernels at their first use, from these headers.
  const headers = join('mlx', 'include');
  for (const name of ['cccl', 'cute', 'cutlass'])
    copy(join(cudaDir, 'vendor', headers, name), join(dir, 'vendor', headers, name));
  writeFileSync(join(dir, 'nvidia-requirements.list'), nvidiaRequirements());
}

/** `vendor`: the folder with what the wheel of MLX holds. */
function stagePlatform(dir, key, addon, vendor) {
  fillFrom(key, dir);
  copy(addon, join(dir, 'build/Release/llm_host.node'));
  copy(join(vendor, 'mlx/lib'), join(dir, 'vendor/mlx/lib'));
  const libraries = key === 'linux-x64-cuda' ? 'mlx_cuda_13.libs' : 'mlx_cpu.libs';
  copy(join(vendor, libraries), join(dir, 'vendor', libraries));
  addLicences(dir, join(vendor, 'mlx'), LICENCES[key]);
}

function stageMac(dir, build) {
  fillFrom(build.package, dir);
  const mlx = join(darwinDir, build.package, 'mlx');
  copy(CROSS_BUILT[build.package].addon, join(dir, 'build/Release/llm_host.node'));
  for (const name of build.libraries) copy(join(mlx, 'lib', name), join(dir, 'vendor/mlx/lib', name));
  addLicences(dir, mlx, LICENCES[build.package]);
}

/** The addon finds MLX by a path relative to itself, so that the folders keep their names. */
function addLicences(dir, mlxRoot, names) {
  copy(join(root, 'LICENSE'), join(dir, 'licences/LICENSE-llm-host.txt'));
  copy(join(mlxRoot, 'dist-info/licenses/LICENSE'), join(dir, 'licences/LICENSE-MLX.txt'));
  for (const name of names) copy(join(licencesDir, name), join(dir, 'licences', name));
}

function fillFrom(key, dir) {
  cpSync(join(packagesDir, key), dir, { recursive: true });
}

function copy(from, to) {
  mkdirSync(dirname(to), { recursive: true });
  if (statSync(from).isDirectory()) cpSync(from, to, { recursive: true });
  else copyFileSync(from, to);
}

async function pack(dir, to) {
  // It lists every file, which is more than `runCommand` keeps.
  let output = '';
  await runCommand('npm', ['pack', '--json', '--silent', '--pack-destination', to], {
    cwd: dir,
    onText: text => {
      output += text;
    },
  });
  const [{ name, filename, size, unpackedSize }] = JSON.parse(output.slice(output.indexOf('[')));
  return {
    name,
    file: join(to, filename.replace('@', '').replace('/', '-')),
    bytes: size,
    unpackedBytes: unpackedSize,
  };
}

if (isMain(import.meta.url)) {
  await runMain(async () => {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { to: { type: 'string', default: packedDir } },
    });
    namesToPack(positionals); // Refuses before it builds.
    await bootstrap({ quiet: true });
    const to = resolve(values.to);
    const packed = await packAll({ to, only: positionals });
    const megabytes = bytes => `${(bytes / 1e6).toFixed(1)} MB`;
    for (const { name, file, bytes, unpackedBytes } of packed) {
      console.log(
        `${name.padEnd(32)}${megabytes(bytes).padStart(9)}, unpacked ${megabytes(unpackedBytes).padStart(9)}  ${file}`,
      );
    }
    console.log(`${packed.length} ${packed.length === 1 ? 'package' : 'packages'} in ${to}`);
  });
}
