import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { cpus } from 'node:os';
import { basename, join } from 'node:path';
import { beginCrossBuild } from '../../lib/build/cross-built.mjs';
import { fingerprint, listFiles, readStamp, writeStamp } from '../../lib/build/fingerprint.mjs';
import { MAC_BUILDS } from '../../lib/build/mac-builds.mjs';
import { mlxWheelFor, placeMlx } from '../../lib/build/mlx-wheel.mjs';
import { setupPackages } from '../../lib/build/npm-packages.mjs';
import { withLock } from '../../lib/lock.mjs';
import { darwinDir, isMain, root, vendorDir, wheels } from '../../lib/project.mjs';
import { findPython } from '../../lib/python.mjs';
import { CommandError, runCommand } from '../../lib/run-command.mjs';
import { runMain, SetupError } from '../../lib/setup-error.mjs';
import { checkMacho } from './macho.mjs';
import { installPackages } from './pip-tools.mjs';

const TARGET = 'aarch64-macos.14.0';
/** The run path in the platform's package, as on Linux; no path of this machine is in the file. */
const PLACES = ['-Wl,-rpath,@loader_path/../../vendor/mlx/lib', '-Wl,-install_name,@rpath/llm_host.node'];
/**
 * The cross compiler's libc++ is newer than macOS 14's and assumes its own features. With availability annotations it
 * restricts itself to what that system has.
 */
const OF_ITS_TIME = [
  '-U_LIBCPP_HAS_VENDOR_AVAILABILITY_ANNOTATIONS',
  '-D_LIBCPP_HAS_VENDOR_AVAILABILITY_ANNOTATIONS=1',
];
const FLAGS = [
  ...['-std=c++20', '-O2', '-fPIC', '-fvisibility=hidden', '-fvisibility-inlines-hidden'],
  ...OF_ITS_TIME,
];
const objectDir = join(darwinDir, 'obj');
const toolDir = join(darwinDir, 'py');
/** MLX's headers and exports are the same in all builds (checked), so that one addon serves them. */
const mlxDir = join(darwinDir, MAC_BUILDS[0].package, 'mlx');
const addon = join(darwinDir, 'llm_host.node');

/** True when the cross compiler and MLX for macOS are there, so that the check costs no download. */
export const darwinCheckReady = () => readStamp('darwin')?.tools === toolsWanted() && existsSync(mlxDir);

/**
 * Compiles and links the addon for macOS on Apple silicon, on any machine, and checks it with each build of MLX that
 * a package holds (see checkMacho). It is not run, since that needs a Mac.
 * @returns {Promise<string[]>} what is wrong
 */
async function checkDarwin() {
  return withLock(join(vendorDir, '.darwin.lock'), async () => {
    await setupPackages();
    if (!darwinCheckReady()) await fetchTools();
    const noteSources = beginCrossBuild(addon);
    await compileAndLink();
    const faults = await checkMacho({ addon, builds: MAC_BUILDS, darwinDir, toolDir });
    if (faults.length === 0) noteSources();
    return faults;
  });
}

const toolsWanted = () => JSON.stringify([wheels.darwinCheck, wheels.mlx.version, macWheels()]);
const macWheels = () => MAC_BUILDS.map(({ platform }) => mlxWheelFor(platform).sha256);

async function fetchTools() {
  console.error(`fetching MLX ${wheels.mlx.version} for macOS and a cross compiler (230 MB) ...`);
  for (const build of MAC_BUILDS) {
    mkdirSync(join(darwinDir, build.package), { recursive: true });
    await placeMlx(mlxWheelFor(build.platform), join(darwinDir, build.package));
  }
  rmSync(toolDir, { recursive: true, force: true });
  await installPackages(wheels.darwinCheck, toolDir);
  writeStamp('darwin', { tools: toolsWanted() });
}

async function compileAndLink() {
  mkdirSync(objectDir, { recursive: true });
  const build = readCMake();
  const headers = fingerprint(
    listFiles('native', path => path.endsWith('.h')),
    [toolsWanted(), build.definitions, FLAGS],
  );
  const waiting = [...build.sources];
  const objects = [];
  let compiled = 0;
  const worker = async () => {
    for (let source = waiting.shift(); source; source = waiting.shift()) {
      const object = join(
        objectDir,
        `${basename(source, '.cc')}-${fingerprint([source], [headers]).slice(0, 16)}.o`,
      );
      if (!existsSync(object)) {
        await compile(source, object, build.definitions);
        compiled += 1;
      }
      objects.push(object);
    }
  };
  await Promise.all(Array.from({ length: Math.min(2, cpus().length) }, worker));
  console.error(`compiled ${compiled} of ${objects.length} sources for ${TARGET}`);
  // The C driver: the C++ driver would link a second libc++, and exceptions could not cross to libmlx.
  const library = join(mlxDir, 'lib', 'libmlx.dylib');
  await zig(
    'cc',
    ['-shared', '-o', addon, ...objects.sort(), library, '-Wl,-undefined,dynamic_lookup', ...PLACES],
    'linked',
  );
}

async function compile(source, object, definitions) {
  const includes = [
    'native',
    join(mlxDir, 'include'),
    'node_modules/node-api-headers/include',
    'node_modules/node-addon-api',
  ];
  const args = [...FLAGS, ...definitions.map(name => `-D${name}`), ...includes.map(path => `-I${path}`)];
  await zig('c++', [...args, '-c', source, '-o', `${object}.part`], `compiled: ${source}`);
  renameSync(`${object}.part`, object);
}

async function zig(driver, args, what) {
  const { command } = await findPython();
  const cache = join(darwinDir, 'cache');
  const env = {
    ...process.env,
    PYTHONPATH: toolDir,
    ZIG_GLOBAL_CACHE_DIR: cache,
    ZIG_LOCAL_CACHE_DIR: cache,
  };
  try {
    await runCommand(command, ['-m', 'ziglang', driver, '-target', TARGET, ...args], { cwd: root, env });
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    throw new SetupError(`the addon for macOS could not be ${what}`, { output: error.tail(40) });
  }
}

/** The sources and definitions as native/CMakeLists.txt has them, so that there is one list. */
function readCMake() {
  const text = readFileSync(join(root, 'native/CMakeLists.txt'), 'utf8');
  const patterns = [...text.matchAll(/file\(GLOB \w+ CONFIGURE_DEPENDS ([^)]*)\)/g)].flatMap(([, list]) =>
    words(list),
  );
  const sources = listFiles('native', path => path.endsWith('.cc')).filter(path =>
    patterns.some(pattern => matchesGlob(path, `native/${pattern}`)),
  );
  const definitions = [
    ...text.matchAll(/target_compile_definitions\(\S+ (?:PRIVATE|PUBLIC) ([^)]*)\)/g),
  ].flatMap(([, list]) => words(list));
  if (sources.length === 0) throw new SetupError('native/CMakeLists.txt has no file(GLOB ...) with sources');
  return { sources, definitions };
}

/** As CMake's GLOB: a star stands for any characters of one name. */
function matchesGlob(path, pattern) {
  const [parts, wanted] = [path.split('/'), pattern.split('/')];
  return (
    parts.length === wanted.length &&
    wanted.every((name, i) =>
      new RegExp(`^${name.replaceAll('.', '\\.').replaceAll('*', '.*')}$`).test(parts[i]),
    )
  );
}

const words = text => text.trim().split(/\s+/);

if (isMain(import.meta.url)) {
  await runMain(async () => {
    const faults = await checkDarwin();
    for (const fault of faults) console.error(`WRONG: ${fault}`);
    if (faults.length > 0) process.exitCode = 1;
  });
}
