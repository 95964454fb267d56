import { LlmHostError } from '../../errors.ts';
import { localSource, type ModelSource } from '../../model/model-source.ts';
import { quoted } from '../../text/clean/visible.ts';
import { isHttpAddress } from '../../text/http-address.ts';
import { apiKeyOf } from '../options/api-key.ts';
import { atRevision } from '../options/at-revision.ts';
import { misplacedOption } from '../options/check-options.ts';
import type { ChatArguments } from '../options/option-table.ts';
import type { Place } from '../process/app.ts';
import { MissingModel } from '../process/report-error.ts';
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

/** `--connect` and its key; undefined: the model runs here. Throws LlmHostError USAGE. */
export function connection(
  args: ChatArguments,
  env: NodeJS.ProcessEnv,
): { readonly url: string; readonly apiKey: string | undefined } | undefined {
  if (args.connect === undefined) return undefined;
  const other = misplacedOption(args, 'connect');
  if (other !== undefined) {
    throw new LlmHostError('USAGE', `${other} cannot be combined with --connect`, {
      hint: 'The server has loaded the model; give the option to its `llm-host serve`.',
    });
  }
  return { url: serverAddress(args.connect), apiKey: apiKeyOf(args.apiKey, env) };
}

/** `http://127.0.0.1:8080`: as `serve` prints it, or only host and port, or with the `/v1` that other clients need. */
function serverAddress(text: string): string {
  const full = text.includes('://') ? text : `http://${text}`;
  if (!isHttpAddress(full)) {
    throw new LlmHostError(
      'USAGE',
      `--connect takes an address such as http://127.0.0.1:8080, not ${quoted(text)}`,
    );
  }
  const url = new URL(full);
  if (url.username !== '' || url.password !== '') {
    throw new LlmHostError('USAGE', '--connect takes no user and password; give a key with --api-key');
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '').replace(/\/v1$/, '')}`;
}
