import { LlmHostError } from '../errors.ts';
import { isObject, type JsonObject } from '../text/files/json-file.ts';

/**
 * The model's context length in tokens; undefined if config.json does not say. Rope scaling of types dynamic and yarn
 * extends max_position_embeddings.
 */
export function modelContext(config: JsonObject): number | undefined {
  const own = positive(config.max_position_embeddings);
  if (own === undefined) return undefined;
  const scaling = isObject(config.rope_scaling) ? config.rope_scaling : config.rope_parameters;
  const factor = isObject(scaling) ? positive(scaling.factor) : undefined;
  if (!isObject(scaling) || factor === undefined) return own;
  const type = scaling.rope_type ?? scaling.type;
  if (type === 'dynamic') return Math.max(own, Math.floor(own * factor));
  if (type !== 'yarn' || scaling.long_factor !== undefined) return own;
  const original =
    positive(config.original_max_position_embeddings) ??
    positive(scaling.original_max_position_embeddings) ??
    own;
  return Math.max(own, Math.floor(original * factor));
}

/** The context to use, in tokens; `wanted` 0 means the model's own. Throws USAGE beyond the model's. */
export function checkContext(wanted: number, config: JsonObject): number {
  const most = modelContext(config);
  if (!Number.isInteger(wanted) || wanted < 0 || (most !== undefined && wanted > most)) {
    const range = most === undefined ? 'at least 1 token' : `1 to ${most} tokens, the model's maximum`;
    throw new LlmHostError('USAGE', `The context must be ${range}; got ${wanted}`);
  }
  return wanted === 0 ? (most ?? 0) : wanted;
}

function positive(value: unknown): number | undefined {
  return typeof value === 'number' && value > 0 ? value : undefined;
}
