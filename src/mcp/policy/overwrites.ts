import { statSync } from 'node:fs';
import { basename, isAbsolute, resolve } from 'node:path';
import { ownArguments } from '../config/own-command.ts';
import type { ServerConfig, StdioServerConfig } from '../config/types.ts';
import { wordsOf } from './destructive.ts';

const WRITES = new Set([
  ...['write', 'save', 'create', 'put', 'store', 'export', 'copy', 'move', 'rename', 'download', 'replace'],
  ...['edit', 'update', 'patch'],
]);
/** Words of an argument that says which file is written. */
const TARGETS = new Set(['path', 'file', 'filename', 'filepath', 'destination', 'dest', 'target', 'output']);
const FOLDERS = new Set(['directory', 'dir', 'folder']);
/** Of a copy or a move, these are only read. */
const SOURCES = new Set(['source', 'src', 'from', 'input', 'old']);

/**
 * Whether a tool that writes names a file that is there already. undefined: unknown, since the tool does not write files
 * by its name, or its server is elsewhere. Only the bundled `files` server's paths are known for sure; for it, a file that
 * is not there makes the write harmless.
 */
export function overwritesFile(call: {
  readonly tool: string;
  readonly server: ServerConfig;
  readonly arguments: Readonly<Record<string, unknown>>;
}): boolean | undefined {
  const { tool, server, arguments: args } = call;
  if (server.transport !== 'stdio' || !wordsOf(tool).some(word => WRITES.has(word))) return undefined;
  const root = bundledRoot(server);
  const bases = root === undefined ? basesOf(server) : [root];
  const folders = ['', ...textsOf(args, FOLDERS)];
  const found = textsOf(args, TARGETS).some(path =>
    bases.some(base => folders.some(folder => isFile(resolve(base, folder, path)))),
  );
  return found || (root === undefined ? undefined : false);
}

/** The `--root` of a bundled `files` server. */
function bundledRoot(server: StdioServerConfig): string | undefined {
  const [verb, name, option, root] = ownArguments(server) ?? [];
  const isFiles = verb === 'server' && name === 'files' && option === '--root';
  return isFiles && root !== undefined ? resolve(server.cwd, root) : undefined;
}

/** Where a server may look for relative paths: its folder, and the folders that its arguments name. */
function basesOf({ args, cwd }: StdioServerConfig): string[] {
  const named = args.flatMap(argument => {
    const path = argument.replace(/^--?[\w-]+=/, '');
    return isAbsolute(path) || path.startsWith('.') ? [resolve(cwd, path)] : [];
  });
  return [cwd, ...named];
}

function textsOf(args: Readonly<Record<string, unknown>>, words: ReadonlySet<string>): string[] {
  return Object.entries(args).flatMap(([key, value]) => {
    const parts = wordsOf(key);
    const matches = parts.some(part => words.has(part)) && !parts.some(part => SOURCES.has(part));
    if (!matches) return [];
    return [value]
      .flat()
      .filter(one => typeof one === 'string' && one !== '' && one.length < 4096) as string[];
  });
}

function isFile(path: string): boolean {
  try {
    return basename(path) !== '' && statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  } catch {
    // A path that the system does not take, or a folder that may not be read.
    return false;
  }
}
