import { existsSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { hintFor } from '../hint-for.mjs';
import { withLock } from '../lock.mjs';
import { root, vendorDir } from '../project.mjs';
import { CommandError, runCommand } from '../run-command.mjs';
import { SetupError } from '../setup-error.mjs';

/** npm's own list of what it installed, written last: without it node_modules is incomplete. */
const INSTALLED = 'node_modules/.package-lock.json';

/** The build needs all kinds, whatever NODE_ENV or npm's configuration would leave out. */
const ALL_KINDS = ['--include=dev', '--include=optional'];

/** True if node_modules holds exactly the packages in package-lock.json, apart from those for other platforms. */
export function packagesReady() {
  const wanted = packagesIn('package-lock.json');
  const installed = packagesIn(INSTALLED);
  if (!wanted || !installed) return false;
  return Object.entries(wanted).every(([path, entry]) => {
    if (path === '' || entry.optional || entry.devOptional) return true;
    return installed[path]?.version === entry.version && existsSync(join(root, path, 'package.json'));
  });
}

/** Runs npm ci unless node_modules matches package-lock.json. Runs no install scripts. */
export async function setupPackages() {
  if (packagesReady()) return;
  await withLock(join(vendorDir, '.npm.lock'), async () => {
    if (packagesReady()) return;
    await npmCi();
    if (packagesReady()) return;
    throw new SetupError('npm ci ended without an error, but packages of package-lock.json are missing', {
      hint: 'Look for settings that leave packages out, such as dry-run: npm config ls',
    });
  });
}

function packagesIn(file) {
  try {
    return JSON.parse(readFileSync(join(root, file), 'utf8')).packages;
  } catch (error) {
    if (error.code === 'ENOENT' || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

async function npmCi() {
  rmSync(join(root, INSTALLED), { force: true }); // npm ci leaves it in place until it writes the new one.
  const [command, ...before] = npm();
  try {
    await runCommand(
      command,
      [...before, 'ci', ...ALL_KINDS, '--ignore-scripts', '--no-audit', '--no-fund'],
      {
        cwd: root,
      },
    );
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    throw new SetupError(error.notFound ? 'npm was not found' : 'npm ci failed', {
      output: error.tail(),
      hint: error.notFound ? 'npm comes with Node: reinstall Node 22.13 or newer.' : hintFor(error.output),
    });
  }
}

/** The npm that runs this script, otherwise the one on PATH. */
function npm() {
  const own = process.env.npm_execpath;
  return own && basename(own) === 'npm-cli.js' ? [process.execPath, own] : ['npm'];
}
