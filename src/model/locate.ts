import { readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { LlmHostError, messageOf } from '../errors.ts';

export interface LocateOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Where a model is. Paths are absolute. */
export type ModelLocation =
  | { readonly kind: 'folder'; readonly name: string; readonly path: string }
  | { readonly kind: 'gguf'; readonly name: string; readonly path: string }
  | { readonly kind: 'demo'; readonly name: string };

/** `org/name`, optionally `@revision`. */
const HUB_ID = /^(?<org>[\w-][\w.-]*)\/(?<model>[\w-][\w.-]*)(?:@(?<revision>[\w-][\w./-]*))?$/;

/**
 * Finds a model: `demo`, a folder, a `.gguf` file, or a Hub id in the Hugging Face cache (its layout is Python's).
 * Throws MODEL_NOT_FOUND with the reason as the hint.
 */
export function resolveModel(source: string, options: LocateOptions): ModelLocation {
  if (source === 'demo') return { kind: 'demo', name: 'demo' };
  if (source === '' || source.includes('\0')) throw notFound(source, 'That is no name of a model.');
  const path = resolve(options.cwd, source);
  const kind = kindOf(path);
  if (kind === 'folder') return { kind, name: basename(path) || path, path };
  if (kind === 'file') return fileLocation(source, path);
  if (kind !== 'missing') throw notFound(source, `${path}: ${kind.unreadable}`);
  const id = HUB_ID.exec(source);
  if (!id?.groups || source.includes('..')) throw notFound(source, `No such folder or file: ${path}`);
  const cached = inHubCache(id.groups, options.env);
  if (cached !== undefined) return { kind: 'folder', name: source, path: cached };
  const cache = hubCacheFolder(options.env);
  throw notFound(
    source,
    `No such folder or file: ${path}, and it is not in the Hugging Face cache (${cache}). Downloading is not available yet.`,
  );
}

function fileLocation(source: string, path: string): ModelLocation {
  if (/\.gguf$/i.test(path)) return { kind: 'gguf', name: basename(path).replace(/\.gguf$/i, ''), path };
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

/** The folder in which Hugging Face's tools keep downloaded models. */
export function hubCacheFolder(env: NodeJS.ProcessEnv): string {
  if (env.HF_HUB_CACHE) return resolve(env.HF_HUB_CACHE);
  if (env.HF_HOME) return resolve(env.HF_HOME, 'hub');
  return join(resolve(env.XDG_CACHE_HOME || join(env.HOME || homedir(), '.cache')), 'huggingface', 'hub');
}

/** The snapshot of a Hub id at its revision (default `main`). */
function inHubCache(id: Record<string, string | undefined>, env: NodeJS.ProcessEnv): string | undefined {
  const folder = join(hubCacheFolder(env), `models--${id.org}--${id.model}`);
  const revision = id.revision ?? 'main';
  const commit = readRef(join(folder, 'refs', revision)) ?? revision;
  if (!/^[0-9a-f]{7,64}$/i.test(commit)) return undefined;
  const snapshot = join(folder, 'snapshots', commit);
  return kindOf(snapshot) === 'folder' ? snapshot : undefined;
}

function readRef(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    // No such ref: the revision may be a commit.
    return undefined;
  }
}

function notFound(source: string, hint: string): LlmHostError {
  return new LlmHostError('MODEL_NOT_FOUND', `Model '${source}' not found or not accessible`, { hint });
}
