import { realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { LlmHostError, messageOf } from '../errors.ts';
import { hubCacheFolder } from '../hub/hub-environment.ts';
import { modelNotFound } from '../hub/hub-failure.ts';
import { type HubId, parseHubId } from '../hub/hub-id.ts';
import { RepoFolder, repoOfFolder } from '../hub/repo-folder.ts';
import { modelName } from './gguf/parts.ts';

export interface LocateOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Where a model is. Paths are absolute. */
export type ModelLocation =
  | { readonly kind: 'folder'; readonly name: string; readonly path: string }
  | { readonly kind: 'gguf'; readonly name: string; readonly path: string }
  | { readonly kind: 'demo'; readonly name: string };

/**
 * Finds a model: `demo`, a folder, a `.gguf` file, or a Hub id in Hugging Face's cache.
 * Throws MODEL_NOT_FOUND with the reason as the hint.
 */
export function resolveModel(source: string, options: LocateOptions): ModelLocation {
  if (source === 'demo') return { kind: 'demo', name: 'demo' };
  if (source === '' || source.includes('\0')) throw modelNotFound(source, 'That is not the name of a model.');
  const path = resolve(options.cwd, source);
  const kind = kindOf(path);
  if (kind === 'folder') return { kind, name: basename(path) || path, path };
  if (kind === 'file') return fileLocation(source, path);
  if (kind !== 'missing') throw modelNotFound(source, `${path}: ${kind.unreadable}`);
  const id = parseHubId(source);
  if (!id) throw modelNotFound(source, `No such folder or file: ${path}`);
  const cache = hubCacheFolder(options.env);
  const snapshot = new RepoFolder(cache, id.repo).findSnapshot(id.revision);
  if (snapshot !== undefined) return { kind: 'folder', name: source, path: snapshot };
  throw modelNotFound(
    source,
    `No such folder or file: ${path}, and it is not in the Hugging Face cache (${cache}). Get it with: llm-host pull ${source}`,
  );
}

/** The Hub id of a source; undefined if it names something on this machine. */
export function hubIdOf(source: string, { cwd }: Pick<LocateOptions, 'cwd'>): HubId | undefined {
  const id = source === 'demo' ? undefined : parseHubId(source);
  return id && kindOf(resolve(cwd, source)) === 'missing' ? id : undefined;
}

/** The repository of the Hub's cache that a source's files are in, by name or by path; undefined if they are elsewhere. */
export function repoInCache(source: string, { cwd, env }: LocateOptions): string | undefined {
  const id = hubIdOf(source, { cwd });
  if (id) return id.repo;
  const cache = realPath(hubCacheFolder(env));
  const path = resolve(cwd, source);
  // The file of a snapshot is a link, and may lead out of the cache.
  const places = [realPath(path), join(realPath(dirname(path)), basename(path))];
  return places.map(place => repoOfFolder(relative(cache, place))).find(repo => repo !== undefined);
}

/** Without links; the path itself if there is nothing. */
function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

function fileLocation(source: string, path: string): ModelLocation {
  if (/\.gguf$/i.test(path)) return { kind: 'gguf', name: modelName(path), path };
  throw new LlmHostError('MODEL_UNSUPPORTED', `${source} is neither a model folder nor a .gguf file`, {
    hint: 'Give the folder that holds config.json, or a .gguf file.',
  });
}

function kindOf(path: string): 'folder' | 'file' | 'missing' | { unreadable: string } {
  try {
    return statSync(path).isDirectory() ? 'folder' : 'file';
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ENOTDIR' ? 'missing' : { unreadable: messageOf(error) };
  }
}
