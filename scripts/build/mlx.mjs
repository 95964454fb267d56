import { existsSync, readFileSync } from 'node:fs';
import { release } from 'node:os';
import { join, resolve } from 'node:path';
import { readStamp, writeStamp } from '../lib/build/fingerprint.mjs';
import { placeMlx } from '../lib/build/mlx-wheel.mjs';
import { withLock } from '../lib/lock.mjs';
import { isMain, vendorDir, wheels } from '../lib/project.mjs';
import { runMain, SetupError } from '../lib/setup-error.mjs';
import { chosenBackend } from './cuda.mjs';

/** The only MLX this program compiles against: its C++ interface changes in patch releases. */
export const mlxVersion = wheels.mlx.version;

const cudaWheel = { ...wheels.cuda.mlx, os: 'linux', cpu: 'x64' };
const wheelRoot = join(vendorDir, 'mlx');
const ownMlxHint = `Or set MLX_ROOT to the folder of an MLX ${mlxVersion} that you built (with include/ and lib/ in it).`;

/**
 * The MLX to build against, without downloading anything; undefined if set-up has not fetched it yet.
 * @returns {{ root: string, version: string, source: 'MLX_ROOT' | 'homebrew' | 'wheel', sha256?: string } | undefined}
 */
export function findMlx() {
  if (process.env.MLX_ROOT) return checked(resolve(process.env.MLX_ROOT), 'MLX_ROOT');
  if (process.env.LLM_HOST_USE_BREW === '1') return checked(brewPrefix(), 'homebrew');
  const wheel = wheelForThisMachine();
  if (!wheel) return checked(brewPrefix(), 'homebrew');
  if (readStamp('mlx')?.sha256 !== wheel.sha256 || !existsSync(join(wheelRoot, 'lib'))) return undefined;
  return { root: wheelRoot, version: mlxVersion, source: 'wheel', sha256: wheel.sha256 };
}

/**
 * Makes MLX ready to build against: fetches the pinned wheel into vendor/ unless it is present or another MLX is given.
 */
export async function setupMlx() {
  const ready = findMlx();
  if (ready) return ready;
  return withLock(
    join(vendorDir, '.mlx.lock'),
    async () => findMlx() ?? (await fetchWheel(wheelForThisMachine())),
  );
}

async function fetchWheel(wheel) {
  await placeMlx({ ...wheel, version: mlxVersion }, vendorDir, mlx => {
    checked(mlx, 'wheel');
    writeStamp('mlx', {});
  });
  writeStamp('mlx', { version: mlxVersion, platform: wheel.platform, sha256: wheel.sha256 });
  return findMlx();
}

/** The newest wheel for the chosen backend that this machine can run; undefined if there is none for its platform. */
function wheelForThisMachine() {
  const all = chosenBackend() === 'cuda' ? [cudaWheel] : wheels.mlx.wheels;
  const rows = all.filter(row => row.os === process.platform && row.cpu === process.arch);
  if (rows.length === 0 || isMusl()) return undefined;
  const wheel = rows.find(row => runsHere(row));
  if (wheel) return wheel;
  const needed = rows.at(-1).minGlibc ? `glibc ${rows.at(-1).minGlibc}` : 'macOS 14';
  throw new SetupError(`MLX ${mlxVersion} needs ${needed} or newer; this system has ${systemVersion()}`, {
    hint: `Use a newer system (Ubuntu 22.04, Debian 12, Fedora 36, macOS 14).\n${ownMlxHint}`,
  });
}

function runsHere(row) {
  if (row.minGlibc) return atLeast(glibcVersion(), row.minGlibc);
  return atLeast(release(), row.minDarwin);
}

/** Dotted version of the GNU C library; undefined with another one (musl). */
function glibcVersion() {
  process.report.excludeNetwork = true; // The report would look up host names.
  return process.report.getReport().header.glibcVersionRuntime;
}

const isMusl = () => process.platform === 'linux' && glibcVersion() === undefined;
const systemVersion = () =>
  process.platform === 'linux' ? `glibc ${glibcVersion()}` : `Darwin ${release()}`;

/** True when dotted version `have` is `want` or newer. */
function atLeast(have, want) {
  const [a, b] = [have, want].map(version => version.split('.').map(Number));
  return a[0] !== b[0] ? a[0] > b[0] : (a[1] ?? 0) >= (b[1] ?? 0);
}

function brewPrefix() {
  const prefixes = [process.env.HOMEBREW_PREFIX, '/opt/homebrew', '/usr/local', '/home/linuxbrew/.linuxbrew'];
  const found = prefixes.find(prefix => prefix && existsSync(join(prefix, 'include/mlx/version.h')));
  if (found) return found;
  throw new SetupError(`no MLX for ${process.platform} ${process.arch}`, {
    hint:
      'Wheels exist for Linux (glibc) on x86-64 and arm64, and for macOS on Apple silicon.\n' +
      `With Homebrew: brew install mlx. ${ownMlxHint}`,
  });
}

/** Checks that a folder holds MLX of exactly our version. */
function checked(root, source) {
  const header = join(root, 'include/mlx/version.h');
  let text;
  try {
    text = readFileSync(header, 'utf8');
  } catch (error) {
    throw new SetupError(`no MLX in ${root} (${source}): ${error.message}`, {
      hint: 'The folder must hold include/mlx/ and lib/.',
      cause: error,
    });
  }
  const version = ['MAJOR', 'MINOR', 'PATCH']
    .map(part => text.match(new RegExp(`MLX_VERSION_${part}\\s+(\\d+)`))?.[1])
    .join('.');
  if (version !== mlxVersion) {
    throw new SetupError(
      `MLX in ${root} (${source}) is ${version}; this program is written for ${mlxVersion}`,
      {
        hint: `Unset ${source === 'homebrew' ? 'LLM_HOST_USE_BREW' : 'MLX_ROOT'} to use the pinned build, or give one of version ${mlxVersion}.`,
      },
    );
  }
  const library = process.platform === 'darwin' ? 'libmlx.dylib' : 'libmlx.so';
  if (!existsSync(join(root, 'lib', library))) {
    throw new SetupError(`MLX in ${root} (${source}) has no lib/${library}`, {
      hint: 'A static MLX does not work: build it with -DBUILD_SHARED_LIBS=ON.',
    });
  }
  return { root, version, source };
}

if (isMain(import.meta.url)) {
  await runMain(async () => {
    const mlx = await setupMlx();
    console.error(`MLX ${mlx.version} (${mlx.source}): ${mlx.root}`);
  });
}
