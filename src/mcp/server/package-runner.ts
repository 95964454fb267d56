import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import type { ServerConfig } from '../config/types.ts';

/** Options of the runners that take a value, which is not the package. */
const WITH_VALUE = new Set([
  '-p',
  '--package',
  '-c',
  '--from',
  '--with',
  '--python',
  '--index-url',
  '--registry',
]);

/**
 * Whether the server is started by `npx` or `uvx` and its package is not on this machine yet: it is installed first,
 * which may take minutes.
 */
export function isCold(config: ServerConfig, env: NodeJS.ProcessEnv = process.env): boolean {
  if (config.transport !== 'stdio') return false;
  const runner = basename(config.command).replace(/\.(?:cmd|exe)$/i, '');
  const own = { ...env, ...config.env };
  if (runner === 'npx') return !isInNpx(packageOf(config.args, ['-p', '--package']), own);
  if (runner === 'uvx') return !isInUv(packageOf(config.args, ['--from']), own);
  return false;
}

/** The package of a command line: what `naming` says, else the first word that is no option; without its version. */
function packageOf(args: readonly string[], naming: readonly string[]): string | undefined {
  const named = args.findIndex(arg => naming.includes(arg));
  const first = args.findIndex((arg, at) => !arg.startsWith('-') && !WITH_VALUE.has(args[at - 1] ?? ''));
  const word = named >= 0 ? args[named + 1] : args[first];
  return word?.replace(/(?<=.)(?:@|[=<>~!]=|\[).*$/, '');
}

/** `npx` runs what is in the working folder, installed globally, or in a folder of its cache. */
function isInNpx(
  name: string | undefined,
  env: Readonly<Record<string, string | null | undefined>>,
): boolean {
  // A path or an address: nothing is known about it.
  if (name === undefined || !/^(?:@[\w.-]+\/)?[\w.-]+$/.test(name) || name.startsWith('.')) return true;
  const cache = env.npm_config_cache ?? env.NPM_CONFIG_CACHE ?? join(env.HOME ?? homedir(), '.npm');
  return namesIn(join(cache, '_npx')).some(folder =>
    existsSync(join(cache, '_npx', folder, 'node_modules', name)),
  );
}

function isInUv(name: string | undefined, env: Readonly<Record<string, string | null | undefined>>): boolean {
  if (name === undefined || !/^[\w.-]+$/.test(name) || name.startsWith('.')) return true;
  const home = env.HOME ?? homedir();
  const cache = env.UV_CACHE_DIR ?? join(env.XDG_CACHE_HOME ?? join(home, '.cache'), 'uv');
  const tools = env.UV_TOOL_DIR ?? join(env.XDG_DATA_HOME ?? join(home, '.local', 'share'), 'uv', 'tools');
  const plain = name.toLowerCase().replace(/[-_.]+/g, '-');
  if (existsSync(join(tools, plain))) return true;
  return namesIn(cache)
    .filter(folder => folder.startsWith('wheels-'))
    .some(folder => existsSync(join(cache, folder, 'pypi', plain)));
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // There is no such cache yet.
    return [];
  }
}
