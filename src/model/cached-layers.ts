import { isObject, type JsonObject } from '../text/files/json-file.ts';
import { layerCount, layerTypes } from './weights/layer-types.ts';

/** Layers without keys and values. */
const OTHERS: ReadonlySet<unknown> = new Set(['mamba', 'linear_attention', 'conv', 'mlp', 'moe']);

/** Numbers that all layers keep of one token: keys and values, or latents. */
export function numbersPerToken(config: JsonObject): number {
  const latent = latentWidth(config);
  return latent === undefined ? 2 * keysPerToken(config) : latent * (layerCount(config) ?? 0);
}

/** Multi-head latent attention: of a token a latent is kept, and a key that all heads share. */
export const keepsLatents = (config: JsonObject): boolean => latentWidth(config) !== undefined;

function latentWidth({ kv_lora_rank: rank, qk_rope_head_dim: rotary }: JsonObject): number | undefined {
  return typeof rank === 'number' && typeof rotary === 'number' ? Math.max(0, rank + rotary) : undefined;
}

/** Keys of one token in all layers; as many are its values. */
function keysPerToken(config: JsonObject): number {
  const number = (key: string): number | undefined => {
    const value = config[key];
    return typeof value === 'number' && value > 0 ? value : undefined;
  };
  const heads = number('num_attention_heads') ?? 1;
  const kvHeads = number('num_key_value_heads') ?? heads;
  const usual = kvHeads * (number('head_dim') ?? (number('hidden_size') ?? 0) / heads);
  const types = layerTypes(config);
  const { full_attn_idxs: indices } = config;
  if (!types) return usual * (Array.isArray(indices) ? indices.length : (number('num_hidden_layers') ?? 0));
  // Gemma 4: full layers have heads of their own, and the last layers use the keys of earlier ones.
  const fullHeads = config.attention_k_eq_v === true ? number('num_global_key_value_heads') : undefined;
  const fullDim = number('global_head_dim');
  const full =
    ownKeys(config, types, kvHeads) ?? (fullDim === undefined ? usual : (fullHeads ?? kvHeads) * fullDim);
  const own = types.slice(0, types.length - (number('num_kv_shared_layers') ?? 0));
  return own
    .filter(type => !OTHERS.has(type))
    .reduce<number>((sum, type) => sum + (type === 'full_attention' ? full : usual), 0);
}

/** The first full layer's keys, where transformers 5 wrote sizes for each layer. */
function ownKeys(config: JsonObject, types: readonly unknown[], kvHeads: number): number | undefined {
  const layers = config.per_layer_config;
  const full = types.indexOf('full_attention');
  // transformers writes numbers with leading zeros if the last layer's has more digits.
  const own = isObject(layers) && Object.entries(layers).find(([layer]) => Number(layer) === full)?.[1];
  if (!isObject(own) || typeof own.head_dim !== 'number') return undefined;
  return own.head_dim * (typeof own.num_key_value_heads === 'number' ? own.num_key_value_heads : kvHeads);
}
