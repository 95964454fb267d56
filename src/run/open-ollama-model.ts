import { OllamaChatModel } from '../agent/model/ollama-model.ts';
import { OllamaClient } from '../engine/ollama-client.ts';
import { LlmHostError } from '../errors.ts';
import { isPlainObject } from '../text/json/plain-object.ts';
import type { OpenedModel, OpenModelOptions } from './open-model.ts';

const OLLAMA_BASE_URL = 'http://localhost:11434';
const DEFAULT_TIMEOUT_SECONDS = 300;
/** Ollama's default for models without their own. */
const DEFAULT_CONTEXT = 4096;

/** Opens a model of a running Ollama server. */
export async function openOllamaModel(name: string, options: OpenModelOptions): Promise<OpenedModel> {
  if (name === '') throw new LlmHostError('USAGE', 'ollama: needs a model, such as ollama:qwen2:7b');
  const { baseUrl = OLLAMA_BASE_URL, timeoutSeconds = DEFAULT_TIMEOUT_SECONDS } = options.ollama ?? {};
  const client = new OllamaClient({ baseUrl, timeoutMs: timeoutSeconds * 1000 });
  const { version } = await client.json('/api/version');
  const shown = await client.json('/api/show', { model: name });
  const capabilities = Array.isArray(shown.capabilities) ? shown.capabilities : ['tools'];
  const { contextLength: numCtx = 0 } = options;
  const contextLength = numCtx > 0 ? numCtx : contextOf(shown);
  const details = (isPlainObject(shown.details) ? shown.details : {}) as Readonly<Record<string, unknown>>;
  const size = typeof details.parameter_size === 'string' ? `, ${details.parameter_size}` : '';
  return {
    model: new OllamaChatModel({
      client,
      name,
      contextLength,
      thinks: capabilities.includes('thinking'),
      numCtx: numCtx > 0 ? numCtx : undefined,
      repetitionGuard: options.repetitionGuard,
    }),
    name,
    device: 'ollama',
    description: `${name}: Ollama ${String(version)} at ${client.baseUrl}${size}, context ${contextLength}`,
    notices: capabilities.includes('tools')
      ? []
      : [`${name} cannot call tools, according to Ollama; start with --no-mcp if it refuses them.`],
    close: () => Promise.resolve(),
  };
}

/** The model's own `num_ctx`, or Ollama's default, or the model's maximum if that is less. */
function contextOf(shown: Readonly<Record<string, unknown>>): number {
  const set = /^num_ctx\s+(\d+)$/m.exec(typeof shown.parameters === 'string' ? shown.parameters : '')?.[1];
  if (set !== undefined) return Number(set);
  const info = (isPlainObject(shown.model_info) ? shown.model_info : {}) as Readonly<Record<string, unknown>>;
  const most = Object.entries(info).find(([key]) => key.endsWith('.context_length'))?.[1];
  return typeof most === 'number' ? Math.min(most, DEFAULT_CONTEXT) : DEFAULT_CONTEXT;
}
