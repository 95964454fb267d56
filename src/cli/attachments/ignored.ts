import type { Dirent } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { matchesGlob } from '../../text/files/glob.ts';
import { readTextFile } from '../../text/files/read-text-file.ts';

/** Folders that tools make, whether or not .gitignore names them. */
const NOISE = new Set(['node_modules', '.git', '.hg', '.svn', '__pycache__', '.venv', '.DS_Store']);
/** Files that an `@path` cannot attach. */
const NOT_TEXT =
  /\.(?:png|jpe?g|gif|webp|bmp|tiff?|ico|heic|avif|pdf|zip|gz|tgz|bz2|xz|zst|7z|mp[34]|wav|ogg|flac|mov|mkv|avi|o|a|so|dylib|dll|exe|class|pyc|node|wasm|safetensors|gguf|woff2?|ttf|otf)$/i;
const MAX_BYTES = 64 * 1024;

/** What the menu of files leaves out; typed in full it can be attached all the same. */
export class Ignored {
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
