import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readStamp, writeStamp } from '../../lib/build/fingerprint.mjs';
import { hintFor } from '../../lib/hint-for.mjs';
import { withLock } from '../../lib/lock.mjs';
import { vendorDir, wheels } from '../../lib/project.mjs';
import { findPython } from '../../lib/python.mjs';
import { CommandError, runCommand } from '../../lib/run-command.mjs';
import { SetupError } from '../../lib/setup-error.mjs';

const toolsDir = join(vendorDir, 'tools');

/**
 * The folder of tools distributed as Python packages, fetched once: those pinned in scripts/lib/wheels.json under
 * `name`.
 * @param {'cppFormat' | 'cppTidy'} name
 * @returns {Promise<string>}
 */
export async function pipTools(name) {
  const packages = wheels[name];
  const dir = join(toolsDir, name);
  const ready = () => readStamp(name)?.packages === JSON.stringify(packages) && existsSync(dir);
  if (ready()) return dir;
  mkdirSync(toolsDir, { recursive: true });
  await withLock(join(toolsDir, `.${name}.lock`), async () => {
    if (ready()) return;
    rmSync(dir, { recursive: true, force: true });
    await installPackages(packages, dir);
    writeStamp(name, { packages: JSON.stringify(packages) });
  });
  return dir;
}

/**
 * Installs pinned Python packages, without dependencies, into a separate folder.
 * @param {Readonly<Record<string, string>>} packages versions by name
 * @param {string} dir
 */
export async function installPackages(packages, dir) {
  const { command } = await findPython();
  const pinned = Object.entries(packages).map(([name, version]) => `${name}==${version}`);
  const args = ['--quiet', '--no-input', '--disable-pip-version-check', '--no-deps', '--only-binary=:all:'];
  try {
    await runCommand(command, ['-m', 'pip', 'install', ...args, '--target', dir, ...pinned]);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    throw new SetupError(`${pinned.join(' and ')} could not be installed`, {
      output: error.tail(),
      hint: hintFor(error.output),
    });
  }
}
