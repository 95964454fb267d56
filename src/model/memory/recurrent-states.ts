import type { JsonObject } from '../../text/files/json-file.ts';
import { layerCount, layerTypes } from '../weights/layer-types.ts';

/** Layers whose state has a fixed size; what it is, their keys say. */
const RECURRENT: ReadonlySet<unknown> = new Set(['mamba', 'linear_attention', 'conv']);

/** Bytes that recurrent layers keep of a conversation, however long it is: float32. */
export function stateBytes(config: JsonObject): number {
  // falcon_h1 has both in each layer, and no types.
  const everywhere = config.model_type === 'falcon_h1' ? layerCount(config) : undefined;
  const layers = layerTypes(config)?.filter(type => RECURRENT.has(type)).length ?? everywhere ?? 0;
  return layers > 0 ? 4 * layers * numbersOfLayer(config) : 0;
}

function numbersOfLayer(config: JsonObject): number {
  const number = (missing: number, ...keys: readonly string[]): number => {
    const value = keys.map(key => config[key]).find(found => typeof found === 'number');
    return typeof value === 'number' && value > 0 ? value : missing;
  };
  const state = number(0, 'ssm_state_size', 'mamba_d_state');
  if (state > 0) {
    const heads = number(128, 'mamba_num_heads', 'mamba_n_heads');
    const inner = number(number(2, 'mamba_expand') * number(0, 'hidden_size'), 'mamba_d_ssm');
    const width = heads * number(inner / heads, 'mamba_head_dim', 'mamba_d_head');
    const channels = width + 2 * number(1, 'n_groups', 'mamba_n_groups') * state;
    return width * state + (number(4, 'conv_kernel', 'mamba_d_conv') - 1) * channels;
  }
  const short = number(0, 'conv_L_cache');
  if (short > 0) return (short - 1) * number(0, 'hidden_size');
  const keys = number(16, 'linear_num_key_heads') * number(128, 'linear_key_head_dim');
  const values = number(32, 'linear_num_value_heads') * number(128, 'linear_value_head_dim');
  const scanned = values * number(128, 'linear_key_head_dim');
  return scanned + (number(4, 'linear_conv_kernel_dim') - 1) * (2 * keys + values);
}
