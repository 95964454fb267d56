import type { JsonObject } from '../../text/files/json-file.ts';

/** Names of the usual keys in the code published with nomic_bert's checkpoints; transformers reads only these. */
const KEYS: Readonly<Record<string, string>> = {
  n_embd: 'hidden_size',
  n_head: 'num_attention_heads',
  n_inner: 'intermediate_size',
  n_layer: 'num_hidden_layers',
  n_positions: 'max_position_embeddings',
  layer_norm_epsilon: 'layer_norm_eps',
  rotary_emb_base: 'rope_theta',
  rotary_emb_fraction: 'partial_rotary_factor',
  rotary_emb_interleaved: 'rope_traditional',
  activation_function: 'hidden_act',
};

/** The configuration with the usual keys, where it has not got them. */
export function withUsualKeys(config: JsonObject): JsonObject {
  if (config.model_type !== 'nomic_bert') return config;
  const renamed = Object.entries(KEYS).filter(([from, to]) => from in config && !(to in config));
  const usual = Object.fromEntries(renamed.map(([from, to]) => [to, config[from]]));
  return { ...config, ...usual, ...(usual.hidden_act === 'swiglu' && { hidden_act: 'silu' }) };
}
