import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { demoWeightsPath } from '../../src/model/demo-model.ts';
import { ROOT } from '../docs/command-lines.ts';

/** What set-up makes, and git's own. */
const NOT_COPIED = [
  '.git',
  'node_modules',
  'build',
  'dist',
  'vendor',
  '__pycache__',
  'config.json',
  'mcp.json',
];
/** What npm and vitest say to their children. */
const OURS = /^(npm_|INIT_CWD$|VITEST|NODE_ENV$|TEST$|NODE_PATH$)/;
/** npm's settings, as against what it says about the script that it runs. */
const SETTINGS = /^npm_config_(?!local_prefix|global_prefix|user_agent|npm_version|node_gyp|noproxy$)/;

/** The environment in which a person runs a line. */
export function ownEnvironment(): NodeJS.ProcessEnv {
  const entries = Object.entries(process.env);
  return Object.fromEntries(entries.filter(([name]) => !OURS.test(name) || SETTINGS.test(name)));
}

/** A checkout as it is cloned, in `folder`; what set-up has made there stays. */
export function makeCopy(folder: string): void {
  const root = join(ROOT, '.');
  cpSync(root, folder, {
    recursive: true,
    filter: path => !NOT_COPIED.includes(basename(path)) || path.includes(join(root, 'test')),
  });
  // The cross compiler is a download of 150 MB, and as old as its pin.
  const [tools, stamp] = ['darwin', '.stamps/darwin.json'].map(name => join('vendor', name));
  if (!tools || !stamp || !existsSync(join(ROOT, stamp)) || existsSync(join(folder, stamp))) return;
  mkdirSync(join(folder, 'vendor', '.stamps'), { recursive: true });
  symlinkSync(join(ROOT, tools), join(folder, tools));
  cpSync(join(ROOT, stamp), join(folder, stamp));
}

/** The packages, MLX, the addon and dist/ of a copy. */
export function setUp(copy: string): void {
  execFileSync('npm', ['run', 'bootstrap'], { cwd: copy, env: ownEnvironment(), stdio: 'inherit' });
}

/** A folder in which the lines about models and servers of one's own run, with the program of a copy in the PATH. */
export function makePlace(copy: string, place: string): NodeJS.ProcessEnv {
  const env = ownEnvironment();
  const bin = join(place, 'bin');
  const python = join(place, 'python');
  if (!existsSync(place)) {
    mkdirSync(bin, { recursive: true });
    const program = `#!/bin/sh\nexec "${process.execPath}" "${join(copy, 'dist/cli/main.js')}" "$@"\n`;
    writeFileSync(join(bin, 'llm-host'), program);
    chmodSync(join(bin, 'llm-host'), 0o755);
    for (const name of ['scripts', 'dist']) symlinkSync(join(copy, name), join(place, name));
    symlinkSync(demoWeightsPath(process.env), join(place, 'model.gguf'));
    writeFileSync(join(place, 'key.txt'), 'a-key-of-the-test');
    writeFileSync(join(place, 'config.json'), '{ "SystemPrompt": "Be brief." }');
    writeFileSync(join(place, 'mcp.json'), '{ "servers": {} }');
    execFileSync('python3', ['-m', 'venv', python], { stdio: 'inherit' });
  }
  const states = { XDG_STATE_HOME: join(place, 'state'), XDG_CONFIG_HOME: join(place, 'config') };
  return { ...env, ...states, PATH: `${bin}:${join(python, 'bin')}:${env.PATH}` };
}
