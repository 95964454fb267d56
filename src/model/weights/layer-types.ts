import type { JsonObject } from '../../text/files/json-file.ts';

/** Letters of `hybrid_override_pattern`: Mamba-2, attention, a network, experts. */
const LETTERS: Readonly<Record<string, string>> = { M: 'mamba', '*': 'attention', '-': 'mlp', E: 'moe' };

/** The layers' types; undefined: config.json does not say. */
export function layerTypes(config: JsonObject): readonly unknown[] | undefined {
  const pattern = config.hybrid_override_pattern;
  for (const types of [config.layer_types, config.layers_block_type]) {
    if (Array.isArray(types)) return types;
  }
  if (typeof pattern === 'string') return [...pattern].map(letter => LETTERS[letter]);
  return 'linear_num_value_heads' in config ? everyFourth(config) : undefined;
}

/** Gated DeltaNet in the layers between those with full attention. */
function everyFourth({ num_hidden_layers: count, full_attention_interval: every }: JsonObject): string[] {
  const length = typeof count === 'number' && count > 0 && count < 1e4 ? count : 0;
  const interval = typeof every === 'number' && every > 0 ? every : 4;
  return Array.from({ length }, (_, layer) =>
    (layer + 1) % interval === 0 ? 'full_attention' : 'linear_attention',
  );
}

export function layerCount(config: JsonObject): number | undefined {
  const count = config.num_hidden_layers;
  if (typeof count === 'number' && Number.isInteger(count) && count > 0) return count;
  return layerTypes(config)?.length;
}
