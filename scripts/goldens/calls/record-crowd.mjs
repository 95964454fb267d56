// Records the tools of real MCP servers as test/fixtures/crowd/tools.json: what each answers to tools/list, with its
// package, version and licence. Their packages come from npm and PyPI into a temporary folder; install scripts do not run,
// and no server gets a key that works.
// Usage: node scripts/goldens/calls/record-crowd.mjs [--folder KEPT]
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { runCommand } from '../../lib/run-command.mjs';

const START_LIMIT_MS = 60_000;
const OUTPUT = new URL('../../../test/fixtures/crowd/tools.json', import.meta.url);
const SOURCES = JSON.parse(readFileSync(new URL('crowd-servers.json', import.meta.url), 'utf8'));

const { values } = parseArgs({ options: { folder: { type: 'string' } } });
const folder = values.folder ?? mkdtempSync(join(tmpdir(), 'crowd-'));
const home = join(folder, 'home');
mkdirSync(home, { recursive: true });

const servers = [];
for (const registry of ['npm', 'pypi']) {
  for (const [name, source] of Object.entries(SOURCES[registry])) {
    try {
      servers.push(await recorded(registry, name, source));
    } catch (error) {
      process.stderr.write(`${name}: left out: ${error.message.split('\n')[0]}\n`);
    }
  }
}
writeFileSync(OUTPUT, formatted(servers));
if (values.folder === undefined) rmSync(folder, { recursive: true, force: true });
const tools = servers.reduce((sum, server) => sum + server.tools.length, 0);
process.stdout.write(`${servers.length} servers, ${tools} tools\n`);
process.exit(0);

async function recorded(registry, packageName, source) {
  const installed = registry === 'npm' ? await fromNpm(packageName) : await fromPypi(packageName, source);
  const { name, args = [], env = {} } = source;
  const { version, licence, command, launchArgs, launchEnv } = installed;
  const transport = new StdioClientTransport({
    command,
    args: [...launchArgs, ...args.map(arg => arg.replace('FOLDER', home))],
    env: { PATH: process.env.PATH, HOME: home, ...launchEnv, ...env },
    cwd: home,
    stderr: 'ignore',
  });
  const client = new Client({ name: 'record-crowd', version: '1' });
  try {
    await client.connect(transport, { timeout: START_LIMIT_MS });
    const { tools } = await client.listTools({}, { timeout: START_LIMIT_MS });
    const kept = tools.map(({ name: tool, description, inputSchema }) => ({
      name: tool,
      description,
      inputSchema,
    }));
    process.stdout.write(`${name}: ${kept.length} tools (${packageName} ${version}, ${licence})\n`);
    return { name, registry, package: packageName, version, licence, tools: kept };
  } finally {
    await client.close();
  }
}

async function fromNpm(name) {
  const prefix = join(folder, 'npm');
  const at = join(prefix, 'node_modules', name);
  const read = () => JSON.parse(readFileSync(join(at, 'package.json'), 'utf8'));
  let about;
  try {
    about = read();
  } catch {
    mkdirSync(prefix, { recursive: true });
    const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--legacy-peer-deps'];
    await runCommand('npm', ['install', '--prefix', prefix, ...flags, name]);
    about = read();
  }
  const program = typeof about.bin === 'string' ? about.bin : Object.values(about.bin)[0];
  const launch = { command: process.execPath, launchArgs: [join(at, program)], launchEnv: {} };
  return { version: about.version, licence: about.license ?? 'not stated', ...launch };
}

async function fromPypi(name, { command = name, with: others = [] }) {
  const target = join(folder, 'py', name);
  const information = () => {
    const plain = name.replaceAll('-', '_').toLowerCase();
    const found = readdirSync(target).find(
      entry =>
        entry.endsWith('.dist-info') && entry.toLowerCase().replaceAll('-', '_').startsWith(`${plain}_`),
    );
    return readFileSync(join(target, found, 'METADATA'), 'utf8');
  };
  let metadata;
  try {
    metadata = information();
  } catch {
    await runCommand('python3', ['-m', 'pip', 'install', '-q', '--target', target, name, ...others]);
    metadata = information();
  }
  const field = key => new RegExp(`^${key}: (.*)$`, 'm').exec(metadata)?.[1];
  const classified = /^Classifier: License :: OSI Approved :: (.*)$/m.exec(metadata)?.[1];
  const licence = field('License-Expression') ?? classified ?? field('License') ?? 'not stated';
  const launch = { command: 'python3', launchArgs: [join(target, 'bin', command)] };
  return { version: field('Version'), licence, ...launch, launchEnv: { PYTHONPATH: target } };
}

/** One tool a line, so that a change is readable. */
function formatted(list) {
  const blocks = list.map(({ tools: listed, ...about }) => {
    const lines = listed.map(tool => `    ${JSON.stringify(tool)}`).join(',\n');
    return `  {"server": ${JSON.stringify(about)}, "tools": [\n${lines}\n  ]}`;
  });
  return `[\n${blocks.join(',\n')}\n]\n`;
}
