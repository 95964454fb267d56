import { LlmHostError } from '../../../errors.ts';
import { MODEL_ALIASES } from '../../../hub/aliases.ts';
import { cachedModels } from '../../../hub/cached-models.ts';
import { hubCacheFolder } from '../../../hub/hub-environment.ts';
import { guessModel } from '../../options/guess-model.ts';
import { type Builtin, print } from '../base/builtin.ts';

export const model: Builtin = {
  name: 'model',
  argument: '[name]',
  help: 'shows the model and those on this machine, or switches to another',
  run: async (session, name, { signal, progress }) => {
    const { device } = session.opened;
    const served = device === 'served';
    if (name === '') {
      return print([session.opened.description, ...(served ? [] : localModels())].join('\n'));
    }
    try {
      const notices = await session.changeModel(name, { signal, progress });
      return print([session.opened.description, ...notices.map(notice => `Notice: ${notice}`)].join('\n'));
    } catch (error) {
      if (signal.aborted) return print(`Cancelled; ${session.opened.name} stays.`);
      const explained = served ? error : guessModel(error, name, [], process.env);
      if (!(explained instanceof LlmHostError)) throw explained;
      // A model that another process has is loaded and unloaded by that process.
      const stays = served || device === 'ollama' ? 'stays.' : 'stays loaded.';
      const hint = [explained.hint, `${session.opened.name} ${stays}`].filter(Boolean).join('\n');
      throw new LlmHostError(explained.code, explained.message, { hint, cause: error });
    }
  },
};

/** Complete models of the cache, and what else a name may be. */
function localModels(): string[] {
  const models = cachedModels(hubCacheFolder(process.env));
  const complete = models.filter(({ revisions }) => revisions.some(({ missing }) => missing.length === 0));
  const names = ['demo', ...complete.map(({ repo }) => repo)];
  return [
    `On this machine: ${names.join(', ')}`,
    `/model NAME switches to another: one of these, a folder, a .gguf file, org/name, or an alias (${MODEL_ALIASES[0]?.name}; docs/models.md).`,
  ];
}
