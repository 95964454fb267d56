import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readStamp, writeStamp } from '../lib/build/fingerprint.mjs';
import { hintFor } from '../lib/hint-for.mjs';
import { vendorDir, wheels } from '../lib/project.mjs';
import { findPython } from '../lib/python.mjs';
import { CommandError, runCommand } from '../lib/run-command.mjs';
import { SetupError } from '../lib/setup-error.mjs';

const BACKENDS = ['cpu', 'cuda'];
/** Where libmlx.so of the wheel looks: next to the folder `mlx`. */
const nvidiaDir = join(vendorDir, 'nvidia');

/** The backend that this checkout's MLX was chosen for: 'cpu' (on macOS: Metal) unless `chooseBackend` said 'cuda'. */
export const chosenBackend = () => readStamp('backend')?.backend ?? 'cpu';

/**
 * Remembers the backend for this checkout.
 * @param {string} backend
 */
export function chooseBackend(backend) {
  if (!BACKENDS.includes(backend))
    throw new SetupError(`there is no backend '${backend}'`, { hint: `There are: ${BACKENDS.join(', ')}.` });
  if (backend === 'cuda' && !(process.platform === 'linux' && process.arch === 'x64'))
    throw new SetupError('the backend cuda is for Linux on x86-64', { hint: 'Leave --backend out.' });
  writeStamp('backend', { backend });
}

/** True on a machine with an NVIDIA driver, which the backend cuda needs. */
export const hasNvidiaDriver = () => existsSync('/proc/driver/nvidia/version');

/** pip's requirements for NVIDIA's libraries for MLX: pinned, each with its hash. */
export function nvidiaRequirements() {
  return Object.entries(wheels.cuda.nvidia)
    .map(([name, { version, sha256 }]) => `${name}==${version} --hash=sha256:${sha256}\n`)
    .join('');
}

/** True if NVIDIA's libraries are in place, or are not needed by the chosen backend. */
export const nvidiaReady = () =>
  chosenBackend() !== 'cuda' ||
  (existsSync(nvidiaDir) && readStamp('nvidia')?.requirements === nvidiaRequirements());

/** Fetches NVIDIA's libraries (2.0 GB) into vendor/nvidia. They keep NVIDIA's licences and are never packed. */
export async function setupNvidia() {
  const temp = join(vendorDir, '.nvidia-new');
  rmSync(temp, { recursive: true, force: true });
  mkdirSync(temp, { recursive: true });
  const list = join(temp, 'requirements.txt');
  writeFileSync(list, nvidiaRequirements());
  const { command } = await findPython();
  const args = ['--quiet', '--no-input', '--disable-pip-version-check', '--no-deps', '--only-binary=:all:'];
  try {
    await runCommand(command, ['-m', 'pip', 'install', ...args, '--target', temp, '-r', list]);
  } catch (error) {
    rmSync(temp, { recursive: true, force: true });
    if (!(error instanceof CommandError)) throw error;
    throw new SetupError("NVIDIA's libraries could not be installed", {
      output: error.tail(),
      hint: hintFor(error.output),
    });
  }
  rmSync(nvidiaDir, { recursive: true, force: true });
  renameSync(join(temp, 'nvidia'), nvidiaDir);
  rmSync(temp, { recursive: true, force: true });
  writeStamp('nvidia', { requirements: nvidiaRequirements() });
}
