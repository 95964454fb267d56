import { statSync } from 'node:fs';
import { basename, isAbsolute, resolve } from 'node:path';
import { ownArguments } from '../config/own-command.ts';
import type { ServerConfig, StdioServerConfig } from '../config/types.ts';

/** The facts by which a call is judged destructive or not. */
export interface CallInQuestion {
  /** The server's own name for the tool. */
  readonly tool: string;
  readonly annotations: ToolAnnotations | undefined;
  readonly server: ServerConfig;
  readonly arguments: Readonly<Record<string, unknown>>;
}

export interface ToolAnnotations {
  readonly readOnlyHint?: boolean | undefined;
  readonly destructiveHint?: boolean | undefined;
}

const DESTRUCTIVE = new Set(
  'delete del remove drop overwrite erase destroy wipe purge truncate unlink rm rmdir uninstall'.split(' '),
);
/** With one of these, `drop` is what a mouse does, or a list. */
const NOT_DROPPING = new Set(['drag', 'down']);

/** Whether the call may delete or overwrite something, by what the server declares, the tool's name and the files named. */
export function isDestructive({ tool, annotations, server, arguments: args }: CallInQuestion): boolean {
  const { readOnlyHint, destructiveHint } = annotations ?? {};
  if (readOnlyHint === true && destructiveHint !== true) return false;
  if (namesDestruction(tool)) return true;
  const overwrites = overwritesFile({ tool, server, arguments: args });
  return overwrites ?? destructiveHint === true;
}

/** Whether a word of the name means destruction: `delete_file`, `deleteFile`, `file-delete`, `DB.dropTable`. */
export function namesDestruction(name: string): boolean {
  const words = wordsOf(name);
  return words.some(
    word => DESTRUCTIVE.has(word) && !(word === 'drop' && words.some(other => NOT_DROPPING.has(other))),
  );
}

/** The words of a name in camelCase, PascalCase, snake_case or kebab-case, in lower case. */
export function wordsOf(name: string): string[] {
  return name
    .normalize('NFKC')
    .replaceAll(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .filter(word => word !== '');
}

const WRITES = new Set(
  'write save create put store export copy move rename download replace edit update patch'.split(' '),
);
/** Words of an argument that says which file is written. */
const TARGETS = new Set(['path', 'file', 'filename', 'filepath', 'destination', 'dest', 'target', 'output']);
const FOLDERS = new Set(['directory', 'dir', 'folder']);
/** Arguments that a copy or a move only reads. */
const SOURCES = new Set(['source', 'src', 'from', 'input', 'old']);

/**
 * Whether a tool that writes names a file that is there already. undefined: unknown, since the tool does not write files
 * by its name, or its server is elsewhere. Only the bundled `files` server's paths are known for sure; for it, a file that
 * is not there makes the write harmless.
 */
function overwritesFile(call: {
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
