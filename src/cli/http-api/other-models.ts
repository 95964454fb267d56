import { type CachedModel, cachedModels } from '../../hub/cached-models.ts';
import { hubCacheFolder } from '../../hub/hub-environment.ts';
import { modelName } from '../../model/gguf/parts.ts';
import { hubIdOf, repoInCache } from '../../model/model-source.ts';
import type { OtherModel } from '../../serve/http/served-models.ts';
import { isSameModel } from '../../serve/http/served-name.ts';

/** The cache is read again after so many milliseconds. */
const FRESH_MS = 2000;

/** A model with what opens it. */
export interface NamedModel extends OtherModel {
  readonly source: string;
}

export interface OtherModelList {
  list(): readonly NamedModel[];
  /** The cache has changed. */
  readAgain(): void;
}

/** The models of `--models`: those named, and for `*` those that are complete in the cache at `main`. */
export function otherModels(
  names: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): OtherModelList {
  const named = names
    .filter(name => name !== '*')
    .map(
      (source): NamedModel => ({
        id: idOf(source, cwd),
        source,
        hub: hubIdOf(source, { cwd }),
        repo: repoInCache(source, { cwd, env }),
      }),
    )
    .filter((model, index, all) => all.findIndex(one => isSameModel(one, model)) === index);
  if (!names.includes('*')) return { list: () => named, readAgain: () => undefined };
  let cached: readonly NamedModel[] = [];
  let read = Number.NEGATIVE_INFINITY;
  return {
    list: () => {
      if (performance.now() - read > FRESH_MS) {
        cached = cachedModels(hubCacheFolder(env)).filter(isHere).map(described);
        read = performance.now();
      }
      return [...named, ...cached.filter(model => !named.some(one => isSameModel(one, model)))];
    },
    readAgain: () => {
      read = Number.NEGATIVE_INFINITY;
    },
  };
}

/** Clients need not know where a file is. */
function idOf(source: string, cwd: string): string {
  return hubIdOf(source, { cwd }) || source === 'demo' ? source : modelName(source);
}

/** At `main`, which its name stands for: opening another revision by it would download the model. */
function isHere({ revisions }: CachedModel): boolean {
  return revisions.some(({ refs, missing }) => refs.includes('main') && missing.length === 0);
}

function described({ repo, bytes, modifiedMs }: CachedModel): NamedModel {
  return { id: repo, source: repo, hub: { repo, revision: 'main' }, bytes, modifiedMs };
}
