// Installs what `llm-host bench --compare` compares with: mlx-lm and xllamacpp (llama.cpp's server, for --clients) into
// a virtual environment and node-llama-cpp, with its prebuilt library, into node_modules, all in the user's cache folder.
// Usage: node scripts/measure/peers/install.mjs
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheDir, root, wheels } from '../../lib/project.mjs';
import { checkPip, findPython } from '../../lib/python.mjs';
import { CommandError, runCommand } from '../../lib/run-command.mjs';
import { runMain, SetupError } from '../../lib/setup-error.mjs';

/** The mlx-lm that the goldens are made with. */
const mlxLm = readFileSync(join(root, 'scripts/goldens/requirements.txt'), 'utf8').match(/^mlx-lm==.+$/m)[0];
const mlx = process.platform === 'darwin' ? 'mlx' : 'mlx[cpu]';
const NODE_LLAMA_CPP = '3.22.1';
const XLLAMACPP = 'xllamacpp==2026.10.11549';

const folder = join(cacheDir(), 'bench-peers');

async function run(command, args, what) {
  try {
    await runCommand(command, args, { cwd: folder });
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    throw new SetupError(`${what} could not be installed in ${folder}`, { output: error.tail() });
  }
}

async function installPythonPeers() {
  await checkPip();
  const { command } = await findPython();
  const python = join(folder, 'venv', 'bin', 'python');
  await run(command, ['-m', 'venv', join(folder, 'venv')], 'a virtual environment');
  const packages = [`${mlx}==${wheels.mlx.version}`, mlxLm, XLLAMACPP];
  const quiet = ['--quiet', '--no-input', '--disable-pip-version-check', '--progress-bar', 'off'];
  await run(python, ['-m', 'pip', 'install', ...quiet, ...packages], packages.join(' '));
  console.log(`${packages.join(' ')} in ${join(folder, 'venv')}`);
}

/** Without its install scripts, which would download or compile: the prebuilt library is a package of its own. */
async function installNodeLlamaCpp() {
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  const name = `node-llama-cpp@${NODE_LLAMA_CPP}`;
  // Only the packages for this CPU: those for GPUs take gigabytes.
  const library = `@node-llama-cpp/${systemName()}@${NODE_LLAMA_CPP}`;
  const quiet = ['--no-audit', '--no-fund', '--ignore-scripts', '--omit=optional'];
  await run('npm', ['install', ...quiet, name, library], name);
  console.log(`${name} in ${join(folder, 'node_modules')}`);
}

function systemName() {
  if (process.platform !== 'darwin') return `linux-${process.arch}`;
  return process.arch === 'arm64' ? 'mac-arm64-metal' : 'mac-x64';
}

await runMain(async () => {
  mkdirSync(folder, { recursive: true });
  await installNodeLlamaCpp();
  await installPythonPeers();
});
