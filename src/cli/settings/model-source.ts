import { LlmHostError } from '../../errors.ts';
import { OLLAMA_PREFIX } from '../../run/ollama-source.ts';
import { SERVED_PREFIX } from '../../run/served-source.ts';
import { atRevision } from '../options/at-revision.ts';
import type { ChatArguments } from '../options/chat-options.ts';
import { MissingModel } from '../process/missing-model.ts';
import type { AppConfig } from './config-file.ts';
import type { Settings } from './settings.ts';

const OF_A_MODEL: readonly string[] = ['MODEL_NOT_FOUND', 'MODEL_BROKEN', 'MODEL_UNSUPPORTED'];

/** The model that the command line or config.json names, with its backend. Throws LlmHostError USAGE. */
export function modelSource(
  args: ChatArguments,
  config: AppConfig,
  configPaths: readonly string[] = [],
): string {
  if (args.connect !== undefined) return SERVED_PREFIX + (args.model ?? '');
  const named =
    args.model ?? (args.backend === 'ollama' ? (config.ollama?.model ?? config.model) : config.model);
  if (named === undefined) throw new MissingModel(args.prompt, configPaths);
  const isOllama = named.startsWith(OLLAMA_PREFIX);
  if (args.backend === 'mlx' && isOllama) {
    throw new LlmHostError('USAGE', `--backend mlx does not apply to the model '${named}'`);
  }
  const source = args.backend === 'ollama' && !isOllama ? OLLAMA_PREFIX + named : named;
  return atRevision(source, args.revision);
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
  const baseUrl = args.ollamaBaseUrl ?? ollama?.base_url;
  return {
    ...(baseUrl !== undefined && { baseUrl }),
    ...(ollama?.timeout !== undefined && { timeoutSeconds: ollama.timeout }),
  };
}
