// Installs what `llm-host bench --compare` compares with: mlx-lm and xllamacpp (llama.cpp's server, for --clients) into
// a virtual environment and node-llama-cpp, with its prebuilt library, into node_modules, all in the user's cache folder.
// Usage: node peers/install.mjs   ($PYTHON: another python3)
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** The program's own MLX, and the mlx-lm that its reference values are made with. */
const MLX = '0.32.4';
const MLX_LM = 'mlx-lm==0.32.2';
const XLLAMACPP = 'xllamacpp==2026.10.11549';
const NODE_LLAMA_CPP = '3.22.1';

const { XDG_CACHE_HOME: xdg, PYTHON = 'python3' } = process.env;
const folder = join(xdg && isAbsolute(xdg) ? xdg : join(homedir(), '.cache'), 'llm-host', 'bench-peers');

function run(command, args, what) {
  const { status, error } = spawnSync(command, args, { cwd: folder, stdio: ['ignore', 2, 2] });
  if (status === 0) return;
  console.error(`${what} could not be installed in ${folder}${error ? `: ${error.message}` : ''}`);
  process.exit(1);
}

function installPythonPeers() {
  const python = join(folder, 'venv', 'bin', 'python');
  run(PYTHON, ['-m', 'venv', join(folder, 'venv')], 'a virtual environment');
  const packages = [`${process.platform === 'darwin' ? 'mlx' : 'mlx[cpu]'}==${MLX}`, MLX_LM, XLLAMACPP];
  const quiet = ['--quiet', '--no-input', '--disable-pip-version-check', '--progress-bar', 'off'];
  run(python, ['-m', 'pip', 'install', ...quiet, ...packages], packages.join(' '));
  console.log(`${packages.join(' ')} in ${join(folder, 'venv')}`);
}

/** Without its install scripts, which would download or compile: the prebuilt library is a package of its own. */
function installNodeLlamaCpp() {
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  const name = `node-llama-cpp@${NODE_LLAMA_CPP}`;
  // Only the packages for this CPU: those for GPUs take gigabytes.
  const library = `@node-llama-cpp/${systemName()}@${NODE_LLAMA_CPP}`;
  const quiet = ['--no-audit', '--no-fund', '--ignore-scripts', '--omit=optional'];
  run('npm', ['install', ...quiet, name, library], name);
  console.log(`${name} in ${join(folder, 'node_modules')}`);
}

function systemName() {
  if (process.platform !== 'darwin') return `linux-${process.arch}`;
  return process.arch === 'arm64' ? 'mac-arm64-metal' : 'mac-x64';
}

mkdirSync(folder, { recursive: true });
installNodeLlamaCpp();
installPythonPeers();
