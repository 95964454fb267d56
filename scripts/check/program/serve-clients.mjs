// The official openai, anthropic and ollama clients, from npm and from PyPI, unmodified, against `llm-host serve demo` with a key:
// chat, stream, tools of the client and of mcp.json, JSON schema, responses, abort, wrong model, wrong key; what is answered, read strictly
// by their types. Prints a line per check. Then frameworks over those APIs: langchain, litellm, dspy, instructor, smolagents.
// The PyPI packages go into virtual environments in the user's cache folder.
// Usage, after `npm run bootstrap`: node scripts/check/program/serve-clients.mjs
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { makeWeights } from '../../../test/fixtures/make.mjs';
import { cacheDir, distDir, root } from '../../lib/project.mjs';
import { checkPip, findPython } from '../../lib/python.mjs';
import { CommandError, runCommand } from '../../lib/run-command.mjs';
import { serveDemo } from '../../lib/served-demo.mjs';
import { runMain, SetupError } from '../../lib/setup-error.mjs';

const KEY = 'a-key-of-the-check';
/** Turns texts into vectors. */
const EMBEDDER = 'bert-mean';
const scripts = join(root, 'scripts', 'check', 'program', 'serve-clients');

async function run(command, args, what) {
  try {
    await runCommand(command, args, { cwd: root, onText: text => process.stdout.write(text) });
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    throw new SetupError(`${what} failed`, { output: error.tail() });
  }
}

/** The packages of a file get an environment of their own: some want other versions of the same ones. */
async function installPython(name) {
  await checkPip();
  const { command } = await findPython();
  const folder = join(cacheDir(), name);
  const python = join(folder, 'bin', 'python');
  mkdirSync(folder, { recursive: true });
  await run(command, ['-m', 'venv', folder], 'making a virtual environment');
  const quiet = ['--quiet', '--no-input', '--disable-pip-version-check', '--progress-bar', 'off'];
  const file = join(scripts, `${name}.txt`);
  await run(python, ['-m', 'pip', 'install', ...quiet, '-r', file], 'pip install');
  return python;
}

await runMain(async () => {
  const clients = await installPython('serve-clients');
  const frameworks = await installPython('serve-frameworks');
  const agents = await installPython('serve-agents');
  makeWeights();
  const models = ['--models', join(root, 'test/fixtures/encoders', EMBEDDER)];
  const server = await serveDemo(['--api-key', KEY]);
  try {
    console.log('npm:');
    await run(process.execPath, [join(scripts, 'npm.mjs'), server.url, KEY], 'the clients from npm');
    console.log('PyPI:');
    await run(clients, [join(scripts, 'pypi.py'), server.url, KEY], 'the clients from PyPI');
    await run(clients, [join(scripts, 'replies.py'), server.url, KEY], 'the types of the clients from PyPI');
  } finally {
    console.log(`the server ended with ${await server.stop()}`);
  }
  const both = await serveDemo(['--api-key', KEY, ...models]);
  try {
    console.log('frameworks:');
    await run(frameworks, [join(scripts, 'frameworks.py'), both.url, KEY, EMBEDDER], 'the frameworks');
    const program = [process.execPath, join(distDir, 'cli', 'main.js')];
    await run(agents, [join(scripts, 'agents.py'), both.url, KEY, ...program], 'the agents');
  } finally {
    console.log(`the server ended with ${await both.stop()}`);
  }
});
