import { pullModel } from '../../hub/pull-model.ts';
import { removeModel } from '../../hub/remove-model.ts';
import type { ModelStore } from '../../serve/http/model-store.ts';
import { requireHubId } from '../options/at-revision.ts';

/** The cache of models, for clients of a server that may manage it. */
export function cacheStore(env: NodeJS.ProcessEnv): ModelStore {
  return {
    pull: async (name, signal, onProgress) => {
      await pullModel(requireHubId(name, undefined), { env, signal, onProgress });
    },
    remove: async id => {
      await removeModel(requireHubId(id, undefined), { env, revisionOnly: false });
    },
  };
}
