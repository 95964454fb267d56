import { LlmHostError } from '../../errors.ts';
import { OLLAMA_PREFIX } from '../../run/ollama-source.ts';
import { atRevision } from '../options/at-revision.ts';
import type { ChatArguments } from '../options/chat-options.ts';
import type { AppConfig } from './config-file.ts';

/** The model that the command line or config.json names, with its backend. Throws LlmHostError USAGE. */
export function modelSource(args: ChatArguments, config: AppConfig): string {
  const named =
    args.model ?? (args.backend === 'ollama' ? (config.ollama?.model ?? config.model) : config.model);
  if (named === undefined) throw new LlmHostError('USAGE', 'missing model');
  const isOllama = named.startsWith(OLLAMA_PREFIX);
  if (args.backend === 'mlx' && isOllama) {
    throw new LlmHostError('USAGE', `--backend mlx does not apply to the model '${named}'`);
  }
  const source = args.backend === 'ollama' && !isOllama ? OLLAMA_PREFIX + named : named;
  return atRevision(source, args.revision);
}

/** Where to find Ollama. */
export function ollamaSettings(args: ChatArguments, { ollama }: AppConfig) {
  const baseUrl = args.ollamaBaseUrl ?? ollama?.base_url;
  return {
    ...(baseUrl !== undefined && { baseUrl }),
    ...(ollama?.timeout !== undefined && { timeoutSeconds: ollama.timeout }),
  };
}
