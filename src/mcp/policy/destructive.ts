import type { ServerConfig } from '../config/types.ts';
import { overwritesFile } from './overwrites.ts';

/** What decides whether a call may destroy something. */
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

const DESTRUCTIVE = new Set([
  ...['delete', 'del', 'remove', 'drop', 'overwrite', 'erase', 'destroy', 'wipe', 'purge', 'truncate'],
  ...['unlink', 'rm', 'rmdir', 'uninstall'],
]);
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
