import { LlmHostError } from '../../errors.ts';
import { copyModel } from '../../hub/copy-model.ts';
import { pullModel } from '../../hub/pull-model.ts';
import { removeModel } from '../../hub/remove-model.ts';
import type { ModelStore } from '../../serve/http/model-store.ts';
import { requireHubId } from '../options/at-revision.ts';

/** The cache of models, for clients of a server that may manage it. `onChange`: other models are there now. */
export function cacheStore(env: NodeJS.ProcessEnv, onChange: () => void): ModelStore {
  const repoOf = (name: string) => requireHubId(name, undefined).repo;
  return {
    pull: async (name, signal, onProgress) => {
      await pullModel(requireHubId(name, undefined), { env, signal, onProgress });
      onChange();
    },
    remove: async id => {
      await removeModel(requireHubId(id, undefined), { env, revisionOnly: false });
      onChange();
    },
    copy: async (id, name) => {
      if (name.includes('@')) throw new LlmHostError('USAGE', `'${name}': a name has no revision`);
      await copyModel(repoOf(id), repoOf(name.includes('/') ? name : `local/${name}`), env);
      onChange();
    },
  };
}
