import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { cpus } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { beginCrossBuild } from '../lib/cross-built.mjs';
import { fingerprint, listFiles, readStamp, writeStamp } from '../lib/fingerprint.mjs';
import { withLock } from '../lib/lock.mjs';
import { mlxWheelFor, placeMlx } from '../lib/mlx-wheel.mjs';
import { setupPackages } from '../lib/npm-packages.mjs';
import { isMain, root, vendorDir, wheels } from '../lib/project.mjs';
import { findPython } from '../lib/python.mjs';
import { CommandError, runCommand } from '../lib/run-command.mjs';
import { runMain, SetupError } from '../lib/setup-error.mjs';
import { reportMlxSymbols } from './mlx-symbols.mjs';
import { installPackages } from './pip-tools.mjs';

const TARGET = 'aarch64-macos.14.0';
const PLATFORM = 'macosx_14_0_arm64';
/** The same relative place as on Linux and in the platform's package; no path of this machine in the file. */
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
const darwinDir = join(vendorDir, 'darwin');
const objectDir = join(darwinDir, 'obj');
const toolDir = join(darwinDir, 'py');
const mlxDir = join(darwinDir, 'mlx');
const addon = join(darwinDir, 'llm_host.node');

/** True when the cross compiler and MLX for macOS are there, so that the check costs no download. */
export const darwinCheckReady = () => readStamp('darwin')?.tools === toolsWanted() && existsSync(mlxDir);

/**
 * Compiles and links the addon for macOS on Apple silicon, on any machine, and checks that the MLX of the macOS
 * wheel exports every MLX symbol that the addon imports. It is not run, since that needs a Mac.
 * @returns {Promise<string[]>} the MLX symbols that are missing
 */
async function checkDarwin() {
  return withLock(join(vendorDir, '.darwin.lock'), async () => {
    await setupPackages();
    if (!darwinCheckReady()) await fetchTools();
    const noteSources = beginCrossBuild(addon);
    await compileAndLink();
    const missing = await compareSymbols();
    if (missing.length === 0) noteSources();
    return missing;
  });
}

const toolsWanted = () => JSON.stringify([wheels.darwinCheck, wheels.mlx.version, macWheel().sha256]);
const macWheel = () => mlxWheelFor(PLATFORM);

async function fetchTools() {
  console.error(`fetching MLX ${wheels.mlx.version} for macOS and a cross compiler (150 MB) ...`);
  await placeMlx(macWheel(), darwinDir);
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
  const folders = patterns.map(pattern => pattern.replace(/\/\*\.cc$/, ''));
  const sources = listFiles('native', path => path.endsWith('.cc')).filter(path =>
    folders.includes(dirname(path).slice('native/'.length)),
  );
  const definitions = [
    ...text.matchAll(/target_compile_definitions\(\S+ (?:PRIVATE|PUBLIC) ([^)]*)\)/g),
  ].flatMap(([, list]) => words(list));
  if (sources.length === 0) throw new SetupError('native/CMakeLists.txt has no file(GLOB ...) with sources');
  return { sources, definitions };
}

const words = text => text.trim().split(/\s+/);

async function compareSymbols() {
  const { command } = await findPython();
  const library = join(mlxDir, 'lib', 'libmlx.dylib');
  const script = join(root, 'scripts/check/macho_symbols.py');
  const env = { ...process.env, PYTHONPATH: toolDir };
  const symbols = join(darwinDir, 'symbols.json');
  await runCommand(command, [script, symbols, addon, library], { env });
  const { [addon]: ours, [library]: mlx } = JSON.parse(readFileSync(symbols, 'utf8'));
  if (ours.cpu !== 'ARM64') throw new SetupError(`${addon} is for ${ours.cpu}, not ARM64`);

  reportStandardLibrary(ours, mlx);
  return reportMlxSymbols(ours.imports, mlx.exports, basename(library));
}

function reportStandardLibrary(ours, mlx) {
  const standard = ours.imports.filter(name => /^__Z(NK?|T[ISV]N?)?St/.test(name));
  const known = new Set(mlx.imports);
  console.log(`Mach-O ${ours.cpu} ${ours.type}; libraries: ${ours.libraries.join(', ')}`);
  // libmlx shows what macOS 14 has. The rest needs a person's judgement: the cross compiler's newer headers may need
  // more than Apple's own would.
  console.log(`libc++ symbols imported: ${standard.length}; those that libmlx does not import too:`);
  for (const name of standard.filter(name => !known.has(name))) console.log(`  ${name}`);
}

if (isMain(import.meta.url)) {
  await runMain(async () => {
    const missing = await checkDarwin();
    if (missing.length > 0) process.exitCode = 1;
  });
}
