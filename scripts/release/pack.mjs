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
import { demoWeightsPath } from '../build/demo-weights.mjs';
import { findMlx } from '../build/mlx.mjs';
import { isCrossBuilt } from '../lib/cross-built.mjs';
import { addonPath, arm64Dir, buildDir, isMain, root, vendorDir } from '../lib/project.mjs';
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
  'darwin-arm64': ['IN-MLX.txt', 'Apache-2.0.txt'],
};
const PLATFORMS = Object.keys(LICENCES);

const OWN = `${process.platform}-${process.arch}`;
/** Addons for other platforms, and what makes them; this machine's own is built anew where it is out of date. */
const CROSS_BUILT = {
  'linux-arm64': { addon: join(arm64Dir, 'build/Release/llm_host.node'), by: 'npm run check:arm64' },
  'darwin-arm64': { addon: join(vendorDir, 'darwin', 'llm_host.node'), by: 'npm run check:darwin' },
};
const isCross = name => name !== OWN && Object.hasOwn(CROSS_BUILT, name);

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

/** What this machine can make, by name: each fills a folder. */
function stagesHere() {
  const crossStages = { 'linux-arm64': stageArm64, 'darwin-arm64': stageMac };
  const there = Object.entries(crossStages).filter(
    ([name]) => isCross(name) && existsSync(CROSS_BUILT[name].addon),
  );
  return {
    'llm-host': stageMain,
    'demo-weights': stageWeights,
    [OWN]: stageOwnPlatform,
    ...Object.fromEntries(there),
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
  copy(demoWeightsPath(), join(dir, basename(demoWeightsPath())));
  copy(join(root, 'models', 'demo', 'LICENSE-SmolLM2'), join(dir, 'LICENSE'));
}

function stageOwnPlatform(dir) {
  if (!PLATFORMS.includes(OWN)) throw new SetupError(`there is no platform package for ${OWN}`);
  if (findMlx()?.source !== 'wheel')
    throw new SetupError('packages must be made with the pinned MLX wheel', {
      hint: 'Unset MLX_ROOT and LLM_HOST_USE_BREW.',
    });
  stagePlatform(dir, OWN, addonPath, vendorDir);
}

function stageArm64(dir) {
  stagePlatform(dir, 'linux-arm64', CROSS_BUILT['linux-arm64'].addon, join(arm64Dir, 'vendor'));
}

/** `vendor`: the folder with what the wheel of MLX holds. */
function stagePlatform(dir, key, addon, vendor) {
  fillFrom(key, dir);
  copy(addon, join(dir, 'build/Release/llm_host.node'));
  copy(join(vendor, 'mlx/lib'), join(dir, 'vendor/mlx/lib'));
  const libraries = join(vendor, 'mlx_cpu.libs');
  if (existsSync(libraries)) copy(libraries, join(dir, 'vendor/mlx_cpu.libs'));
  addLicences(dir, join(vendor, 'mlx'), LICENCES[key]);
}

function stageMac(dir) {
  fillFrom('darwin-arm64', dir);
  const mlx = join(vendorDir, 'darwin', 'mlx');
  copy(CROSS_BUILT['darwin-arm64'].addon, join(dir, 'build/Release/llm_host.node'));
  for (const name of ['libmlx.dylib', 'mlx.metallib'])
    copy(join(mlx, 'lib', name), join(dir, 'vendor/mlx/lib', name));
  addLicences(dir, join(vendorDir, 'mlx'), LICENCES['darwin-arm64']);
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
  const output = await runCommand('npm', ['pack', '--json', '--silent', '--pack-destination', to], {
    cwd: dir,
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
        `${name.padEnd(24)}${megabytes(bytes).padStart(9)}, unpacked ${megabytes(unpackedBytes).padStart(9)}  ${file}`,
      );
    }
    console.log(`${packed.length} ${packed.length === 1 ? 'package' : 'packages'} in ${to}`);
  });
}
