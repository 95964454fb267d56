import { LlmHostError } from '../../errors.ts';
import { localSource, type ModelSource } from '../../model/model-source.ts';
import { atRevision } from '../options/at-revision.ts';
import { connection } from '../options/connect.ts';
import type { ChatArguments } from '../options/option-table.ts';
import type { Place } from '../process/folders.ts';
import { MissingModel } from '../process/missing-model.ts';
import type { AppConfig } from './config-file.ts';
import type { Settings } from './settings.ts';

const OF_A_MODEL: readonly string[] = ['MODEL_NOT_FOUND', 'MODEL_BROKEN', 'MODEL_UNSUPPORTED'];

/** Before the name of a model that Ollama runs. */
const OLLAMA_PREFIX = 'ollama:';

/**
 * The model that the command line names; undefined: none.
 * @throws LlmHostError USAGE
 */
export function givenSource(args: ChatArguments, { cwd, env }: Place): ModelSource | undefined {
  const { model } = args;
  const server = connection(args, env);
  if (server) return { kind: 'served', text: model ?? '', name: model ?? '', ...server };
  return model === undefined ? undefined : namedSource(model, args, cwd);
}

/** The model that config.json names, with the backend of the command line. Throws as `givenSource` does. */
export function configuredSource(
  args: ChatArguments,
  { config, configPaths }: Pick<Settings, 'config' | 'configPaths'>,
  { cwd }: Pick<Place, 'cwd'>,
): ModelSource {
  const named = args.backend === 'ollama' ? (config.ollama?.model ?? config.model) : config.model;
  if (named === undefined) throw new MissingModel(args.prompt, configPaths);
  return namedSource(named, args, cwd);
}

/** Another model for the same run. */
export function otherSource(name: string, first: ModelSource, args: ChatArguments, cwd: string): ModelSource {
  if (first.kind === 'served') return { ...first, text: name, name };
  return namedSource(name, { backend: args.backend }, cwd);
}

function namedSource(
  named: string,
  { backend, revision }: Pick<ChatArguments, 'backend' | 'revision'>,
  cwd: string,
): ModelSource {
  const isOllama = named.startsWith(OLLAMA_PREFIX);
  if (backend === 'mlx' && isOllama) {
    throw new LlmHostError('USAGE', `--backend mlx does not apply to the model '${named}'`);
  }
  const text = atRevision(backend === 'ollama' && !isOllama ? OLLAMA_PREFIX + named : named, revision);
  if (!text.startsWith(OLLAMA_PREFIX)) return localSource(text, { cwd });
  return { kind: 'ollama', text, name: text.slice(OLLAMA_PREFIX.length) };
}

/** Says in the error of a model that config.json names where it is named. */
export function withItsFile(error: unknown, { configPaths }: Pick<Settings, 'configPaths'>): unknown {
  if (!(error instanceof LlmHostError) || !OF_A_MODEL.includes(error.code) || configPaths.length === 0)
    return error;
  const hint = [error.hint, `The model is named in ${configPaths.join(', ')}.`].filter(Boolean).join('\n');
  return new LlmHostError(error.code, error.message, { hint, cause: error });
}

/** Where to find Ollama. */
export function ollamaSettings(args: ChatArguments, { ollama }: AppConfig) {
  return { baseUrl: args.ollamaBaseUrl ?? ollama?.base_url, timeoutSeconds: ollama?.timeout };
}
