import { type Dirent, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { visible } from '../../text/clean/visible.ts';
import { Ignored } from './ignored.ts';

/** Options in the menu, which shows a few of them at a time. */
const MAX_OPTIONS = 50;
/** Entries that a search below the working folder looks at. */
const MAX_SEARCHED = 5000;
/** Milliseconds for which the result of a search is used again: every key asks. */
const FRESH_MS = 3000;

/** The paths that complete an `@path`, for the menu. */
export class FileNames {
  readonly #cwd: string;
  #found: { readonly at: number; readonly paths: readonly string[] } | undefined;

  constructor(cwd: string) {
    this.#cwd = cwd;
  }

  /**
   * The entries of the typed folder that begin as typed, folders with a slash at their end, then files deeper below the
   * working folder whose names do. Hidden ones only if a dot is typed.
   */
  complete(typed: string): string[] {
    const slash = typed.lastIndexOf('/') + 1;
    const [folder, start] = [typed.slice(0, slash), typed.slice(slash).toLowerCase()];
    const path = folder.startsWith('~/') ? join(homedir(), folder.slice(2)) : resolve(this.#cwd, folder);
    const ignored = new Ignored(this.#cwd);
    const here = entriesOf(path)
      .filter(entry => offered(entry, start) && !ignored.has(path, entry))
      .map(entry => `${folder}${entry.name}${entry.isDirectory() ? '/' : ''}`)
      .sort((a, b) => a.localeCompare(b, 'en'));
    const deeper =
      slash > 0 || start === '' ? [] : this.#search(ignored).filter(found => nameOf(found).startsWith(start));
    return [...here, ...deeper].slice(0, MAX_OPTIONS);
  }

  /** The files in folders below the working folder, the shallow ones first. */
  #search(ignored: Ignored): readonly string[] {
    const now = performance.now();
    if (this.#found && now - this.#found.at < FRESH_MS) return this.#found.paths;
    const paths: string[] = [];
    let seen = 0;
    let level = [''];
    while (level.length > 0 && seen < MAX_SEARCHED) {
      const next: string[] = [];
      for (const folder of level) {
        const path = resolve(this.#cwd, folder);
        const entries = entriesOf(path).filter(entry => offered(entry, '') && !ignored.has(path, entry));
        seen += entries.length;
        for (const entry of entries) {
          if (entry.isDirectory()) next.push(`${folder}${entry.name}/`);
          else if (folder !== '') paths.push(folder + entry.name);
        }
        if (seen >= MAX_SEARCHED) break;
      }
      level = next;
    }
    this.#found = { at: now, paths };
    return paths;
  }
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1).toLowerCase();

/** Names with control characters cannot be typed. */
function offered(entry: Dirent, start: string): boolean {
  const name = entry.name.toLowerCase();
  if (!entry.isFile() && !entry.isDirectory() && !entry.isSymbolicLink()) return false;
  return name.startsWith(start) && (!name.startsWith('.') || start.startsWith('.')) && visible(name) === name;
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return []; // missing, or not readable: nothing to offer
  }
}
