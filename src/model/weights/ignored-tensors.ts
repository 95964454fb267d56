import type { TensorEntry, WeightFiles } from '../../native/load-types.ts';
import type { JsonObject } from '../../text/files/json-file.ts';
import { layerCount } from './layer-types.ts';

/** Where families keep the layers that predict several tokens at once: under `mtp`, or behind the last layer. */
const PREDICTION: Readonly<Record<string, 'mtp' | 'behind'>> = {
  qwen3_5_text: 'mtp',
  qwen3_5_moe_text: 'mtp',
  qwen3_next: 'mtp',
  nemotron_h: 'mtp',
  glm4_moe: 'behind',
  glm4_moe_lite: 'behind',
  deepseek_v3: 'behind',
};

const OF_LAYER = /^model\.layers\.(\d+)\.(self_attn\.(?:k_proj|v_proj|k_norm)\.)?/;

/**
 * The tensors that the engine takes. It leaves aside what predicts several tokens at once, the head of a model that uses
 * its embedding, and the keys of layers that use those of earlier ones (`WeightStore::ignore`).
 */
export function takenTensors({ tensors }: WeightFiles, config: JsonObject): readonly TensorEntry[] {
  const { model_type: type, tie_word_embeddings: tied, num_kv_shared_layers: shared } = config;
  const known = typeof type === 'string' && Object.hasOwn(PREDICTION, type);
  const prediction = known ? PREDICTION[type] : undefined;
  const layers = layerCount(config) ?? Number.POSITIVE_INFINITY;
  const sharing = typeof shared === 'number' && shared > 0 ? layers - shared : layers;
  return tensors.filter(({ name }) => {
    if (name.startsWith('mtp.')) return prediction !== 'mtp';
    if (name.startsWith('lm_head.')) return tied !== true;
    const [, number, keys] = OF_LAYER.exec(name) ?? [];
    const layer = Number(number);
    if (layer === layers) return prediction !== 'behind';
    return keys === undefined || !(layer >= sharing && layer < layers);
  });
}
