import { type Dirent, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, relative, resolve, sep } from 'node:path';
import { visible } from '../../text/clean/visible.ts';
import { matchesGlob } from '../../text/files/glob.ts';
import { readTextFile } from '../../text/files/read-text-file.ts';

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

/** Folders that tools make, whether or not .gitignore names them. */
const NOISE = new Set(['node_modules', '.git', '.hg', '.svn', '__pycache__', '.venv', '.DS_Store']);
/** Files that an `@path` cannot attach. */
const NOT_TEXT =
  /\.(?:png|jpe?g|gif|webp|bmp|tiff?|ico|heic|avif|pdf|zip|gz|tgz|bz2|xz|zst|7z|mp[34]|wav|ogg|flac|mov|mkv|avi|o|a|so|dylib|dll|exe|class|pyc|node|wasm|safetensors|gguf|woff2?|ttf|otf)$/i;
const MAX_BYTES = 64 * 1024;

/** Files that the menu leaves out; typed in full they can be attached all the same. */
class Ignored {
  readonly #root: string;
  readonly #patterns: readonly string[];

  /** Reads the `.gitignore` of the working folder. Its exceptions (`!pattern`) and those of other folders do not count. */
  constructor(root: string) {
    this.#root = root;
    this.#patterns = readPatterns(join(root, '.gitignore'));
  }

  has(folder: string, entry: Dirent): boolean {
    const { name } = entry;
    if (NOISE.has(name) || (!entry.isDirectory() && NOT_TEXT.test(name))) return true;
    const path = relative(this.#root, join(folder, name)).split(sep).join('/');
    return this.#patterns.some(pattern => {
      if (pattern.endsWith('/')) return entry.isDirectory() && matches(pattern.slice(0, -1), path, name);
      return matches(pattern, path, name);
    });
  }
}

/** A pattern with a slash is about the path, any other about the name at every depth. */
function matches(pattern: string, path: string, name: string): boolean {
  if (!pattern.includes('/')) return matchesGlob(pattern, name);
  return matchesGlob(pattern.replace(/^\//, '').replaceAll('**', '*'), path);
}

function readPatterns(path: string): string[] {
  let text: string;
  try {
    text = readTextFile(path, MAX_BYTES);
  } catch {
    return []; // most folders have none
  }
  const lines = text.split('\n').map(line => line.trim());
  return lines.filter(line => line !== '' && !line.startsWith('#') && !line.startsWith('!'));
}
