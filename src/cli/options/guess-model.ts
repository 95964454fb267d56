import { LlmHostError } from '../../errors.ts';
import { aliasesOfFamily, findAlias, MODEL_ALIASES } from '../../hub/aliases.ts';
import { cachedModels } from '../../hub/cached-models.ts';
import { hubCacheFolder } from '../../hub/hub-environment.ts';
import { nearest } from '../../text/nearest.ts';

const WHAT_A_MODEL_IS =
  'A model is a Hub id (org/name), an alias (granite4:1b), a folder, a .gguf file, or demo. `llm-host list` shows the downloaded ones.';

/** Says in a "model not found" error for a single word what the word may have meant; any other error stays as it is. */
export function guessModel(
  error: unknown,
  word: unknown,
  commands: readonly string[],
  env: NodeJS.ProcessEnv,
): unknown {
  if (!(error instanceof LlmHostError) || error.code !== 'MODEL_NOT_FOUND') return error;
  if (typeof word !== 'string' || !/^[\w.:-]+$/.test(word) || word === 'demo') return error;
  const alias = findAlias(word);
  if (alias) return withHint(error, [`'${word}' is ${alias.repo} on the Hub.`]);
  const names = ['demo', ...commands, ...MODEL_ALIASES.map(({ name }) => name)];
  const family = aliasesOfFamily(word);
  const guess = nearest(word, names) ?? cachedNamed(word, env) ?? family[0]?.name;
  const others = family.map(({ name }) => name).filter(name => name !== guess);
  const question =
    guess && `Did you mean '${guess}'?${others.length > 0 ? ` There are also ${others.join(', ')}.` : ''}`;
  return withHint(error, [question, WHAT_A_MODEL_IS]);
}

function withHint(error: LlmHostError, more: readonly (string | undefined)[]): LlmHostError {
  const hint = [error.hint, ...more].filter(Boolean).join('\n');
  return new LlmHostError(error.code, error.message, { hint, cause: error });
}

/** A downloaded model with the word in its name. */
function cachedNamed(word: string, env: NodeJS.ProcessEnv): string | undefined {
  const wanted = word.toLowerCase();
  const repos = cachedModels(hubCacheFolder(env)).map(({ repo }) => repo);
  return repos.find(repo => repo.toLowerCase().includes(wanted));
}
