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

/** A model whose files are on this machine, or will be once they are downloaded. Paths are absolute. */
export type LocalSource = {
  /** As the user named it. */
  readonly text: string;
} & (
  | { readonly kind: 'demo' }
  | { readonly kind: 'folder'; readonly path: string }
  | { readonly kind: 'gguf'; readonly path: string }
  | { readonly kind: 'hub'; readonly id: HubId }
  /** Nothing that could be a model has this name: opening it throws the error. */
  | { readonly kind: 'unknown'; readonly error: LlmHostError }
);

/** Any model: a local one, or one that another process runs. */
export type ModelSource =
  | LocalSource
  | { readonly kind: 'ollama'; readonly text: string; readonly name: string }
  | {
      readonly kind: 'served';
      readonly text: string;
      /** Empty: whichever the server has. */
      readonly name: string;
      /** Without `/v1`. */
      readonly url: string;
      readonly apiKey?: string | undefined;
    };

/** Where the files of a model are. */
export type ModelFiles =
  | { readonly kind: 'demo'; readonly name: string }
  | { readonly kind: 'folder' | 'gguf'; readonly name: string; readonly path: string };

/** Reads the name of a model: `demo`, a folder, a `.gguf` file, or a Hub id or an alias of one. */
export function localSource(text: string, { cwd }: Pick<LocateOptions, 'cwd'>): LocalSource {
  if (text === 'demo') return { kind: 'demo', text };
  const unknown = (error: LlmHostError) => ({ kind: 'unknown', text, error }) as const;
  if (text === '' || text.includes('\0'))
    return unknown(modelNotFound(text, 'That is not the name of a model.'));
  const path = resolve(cwd, text);
  const kind = kindOf(path);
  if (kind === 'folder') return { kind, text, path };
  if (kind === 'file') {
    if (/\.gguf$/i.test(path)) return { kind: 'gguf', text, path };
    const what = `${text} is neither a model folder nor a .gguf file`;
    const hint = 'Give the folder that holds config.json, or a .gguf file.';
    return unknown(new LlmHostError('MODEL_UNSUPPORTED', what, { hint }));
  }
  if (kind !== 'missing') return unknown(modelNotFound(text, `${path}: ${kind.unreadable}`));
  const id = parseHubId(text);
  if (id) return { kind: 'hub', text, id };
  return unknown(modelNotFound(text, `No such folder or file: ${path}`));
}

/** @throws LlmHostError MODEL_NOT_FOUND with the reason as the hint; MODEL_UNSUPPORTED: another file */
export function filesOf(source: LocalSource, { cwd, env }: LocateOptions): ModelFiles {
  const { text } = source;
  if (source.kind === 'unknown') throw source.error;
  if (source.kind === 'demo') return { kind: 'demo', name: text };
  if (source.kind === 'gguf') return { kind: 'gguf', name: modelName(source.path), path: source.path };
  if (source.kind === 'folder')
    return { kind: 'folder', name: basename(source.path) || source.path, path: source.path };
  const cache = hubCacheFolder(env);
  const snapshot = new RepoFolder(cache, source.id.repo).findSnapshot(source.id.revision);
  if (snapshot !== undefined) return { kind: 'folder', name: text, path: snapshot };
  throw modelNotFound(
    text,
    `No such folder or file: ${resolve(cwd, text)}, and it is not in the Hugging Face cache (${cache}). Get it with: llm-host pull ${text}`,
  );
}

/** The Hub id that a name stands for; undefined if it names something on this machine, or nothing. */
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

function kindOf(path: string): 'folder' | 'file' | 'missing' | { unreadable: string } {
  try {
    return statSync(path).isDirectory() ? 'folder' : 'file';
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ENOTDIR' ? 'missing' : { unreadable: messageOf(error) };
  }
}
