// Installs the packed packages into an empty folder, with nothing in PATH but node, npm and a shell, then cuts the network,
// talks to the demo, and compiles and runs a stranger's programs, those for the AI SDK with each of its versions. Usage: node scripts/release/prove-install.mjs   (npm's registry is needed for the dependencies)
import { spawnSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { runMain, SetupError } from '../lib/setup-error.mjs';
import { packAll } from './pack.mjs';
import { proveAiSdk, proveStranger } from './stranger.mjs';

const PROMPT = 'What is 17 plus 25?';
const ANSWER = /\b42\b/;
/** Packages that a program in TypeScript has besides the library. */
const FOR_PROGRAMS = ['typescript', 'zod', '@types/node', '@types/json-schema'];
const AI_SDKS = ['ai@6', 'ai@7'];

await runMain(async () => {
  const packed = await packAll({ only: ['llm-host', 'demo-weights', `${process.platform}-${process.arch}`] });
  const files = packed.map(({ file }) => file);
  const top = mkdtempSync(join(tmpdir(), 'llm-host-install-'));
  try {
    prove(top, files);
  } finally {
    rmSync(top, { recursive: true, force: true });
  }
});

function prove(top, files) {
  const [folder, home, bin] = ['app', 'home', 'bin'].map(name => join(top, name));
  for (const dir of [folder, home, bin]) mkdirSync(dir);
  const npm = dirname(realpathSync(which('npm')));
  symlinkSync(process.execPath, join(bin, 'node'));
  for (const name of ['npm', 'npx']) symlinkSync(join(npm, `${name}-cli.js`), join(bin, name));
  for (const name of ['sh', 'env']) symlinkSync(which(name), join(bin, name));
  const env = {
    PATH: bin,
    HOME: home,
    ...Object.fromEntries(
      Object.entries(process.env).filter(([name]) =>
        /^(npm_config_|https?_proxy|no_proxy|node_extra_ca|ssl_cert)/i.test(name),
      ),
    ),
  };
  if (process.env.HOME) env.npm_config_userconfig = join(process.env.HOME, '.npmrc');
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');

  const absent = [
    'cc',
    'gcc',
    'g++',
    'c++',
    'clang',
    'cmake',
    'make',
    'ninja',
    'python',
    'python3',
    'git',
  ].filter(name => run('sh', ['-c', `command -v ${name}`], { env, cwd: folder }).status === 0);
  if (absent.length > 0) throw new SetupError(`these must not be in PATH: ${absent.join(', ')}`);
  timed('npm install', () =>
    run('npm', ['install', '--no-audit', '--no-fund', ...files], { env, cwd: folder }),
  );
  const scripts = JSON.parse(
    run(
      'npm',
      ['query', ':attr(scripts, [install]), :attr(scripts, [postinstall]), :attr(scripts, [preinstall])'],
      { env, cwd: folder },
    ).stdout,
  );
  console.log(
    `packages: ${readdirSync(join(folder, 'node_modules/@llm-host')).join(', ')}; with an install script: ${scripts.length}`,
  );
  console.log(`node_modules: ${(bytesBelow(join(folder, 'node_modules')) / 1e6).toFixed(0)} MB`);

  timed('npm install, for the programs', () =>
    run('npm', ['install', '--no-audit', '--no-fund', ...FOR_PROGRAMS, AI_SDKS[0]], { env, cwd: folder }),
  );

  const offline = cutNetwork();
  const checked = run(
    offline[0],
    [
      ...offline.slice(1),
      process.execPath,
      '-e',
      "require('dns').lookup('registry.npmjs.org', e => process.exit(e ? 0 : 1))",
    ],
    { env, cwd: folder },
  );
  if (checked.status !== 0) throw new SetupError('the network is still reachable');
  const { stdout } = timed('npx llm-host demo, without a network', () =>
    run(offline[0], [...offline.slice(1), join(bin, 'npx'), '--offline', 'llm-host', 'demo', '-p', PROMPT], {
      env,
      cwd: folder,
    }),
  );
  console.log(`${PROMPT} -> ${stdout.trim()}`);
  if (!ANSWER.test(stdout)) throw new SetupError('unexpected answer');
  const node = args =>
    run(offline[0], [...offline.slice(1), process.execPath, ...args], { env, cwd: folder });
  proveStranger(folder, node);
  for (const version of AI_SDKS) {
    timed(`npm install ${version}`, () =>
      run('npm', ['install', '--no-audit', '--no-fund', version], { env, cwd: folder }),
    );
    proveAiSdk(folder, node);
  }
}

/** A network namespace without any network, with the rights of root or of a user of its own. */
function cutNetwork() {
  const found = [
    ['unshare', '-n'],
    ['unshare', '-rn'],
  ].find(([command, flag]) => run(which(command), [flag, 'true'], { env: process.env }).status === 0);
  if (!found) throw new SetupError('the network cannot be cut: unshare is not permitted here');
  return [which(found[0]), found[1]];
}

function which(name) {
  const found = process.env.PATH.split(':')
    .map(dir => join(dir, name))
    .find(path => statSync(path, { throwIfNoEntry: false })?.isFile());
  if (!found) throw new SetupError(`${name} is not in PATH`);
  return found;
}

function run(command, args, options) {
  return spawnSync(command, args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024, ...options });
}

function timed(what, work) {
  const started = performance.now();
  const result = work();
  if (result.status !== 0)
    throw new SetupError(`${what} failed (${result.status ?? result.error?.message})`, {
      output: `${result.stdout}${result.stderr}`,
    });
  console.log(`${what}: ${((performance.now() - started) / 1000).toFixed(1)} s`);
  return result;
}

function bytesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter(entry => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}
