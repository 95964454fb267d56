import type { WeightFiles } from '../../native/load-types.ts';
import type { JsonObject } from '../../text/files/json-file.ts';
import { expertsOf, hasNetwork } from './part-of-model.ts';

/** Weights that share a scale in ggml's blocks: 256 in those of its K types, else 32. */
const groupOfDtype = (dtype: string): number => {
  if (/^(Q\d_K|IQ4_XS|TQ\d_0)$/.test(dtype)) return 256;
  return /^(Q\d_\d|IQ4_NL|MXFP4)$/.test(dtype) ? 32 : 1;
};

/** Parts that are not made of heads and a feed-forward network. */
const OTHER_PARTS = /\.(?:mamba|linear_attn|mixer|kv_a_proj_with_mqa)\./;
const WHOLE_NORM = /\.self_attn\.[qk]_norm\.weight$/;

/**
 * Why a model's heads and networks cannot be divided over `machines` of them; undefined: they can.
 * @param groupSize weights that share a scale; undefined: as the files have them
 */
export function whyIndivisible(
  { config, weights }: { readonly config: JsonObject; readonly weights: WeightFiles },
  groupSize: number | undefined,
  machines: number,
): string | undefined {
  const group = groupSize ?? Math.max(1, ...weights.tensors.map(({ dtype }) => groupOfDtype(dtype)));
  const number = (key: string) => Number(config[key] ?? 0);
  const heads = number('num_attention_heads');
  const headDim = config.head_dim === undefined ? number('hidden_size') / heads : number('head_dim');
  const other = weights.tensors.find(({ name }) => OTHER_PARTS.test(name));
  if (other) return `${other.name} is no part of heads or of a feed-forward network`;
  const norm = weights.tensors.find(({ name, shape }) => WHOLE_NORM.test(name) && shape[0] !== headDim);
  if (norm && heads > 1) return `${norm.name} is a norm over all heads`;
  const experts = expertsOf(config);
  const counts: [string, number][] = [
    ['num_attention_heads', heads],
    ['num_key_value_heads', number('num_key_value_heads') || heads],
    ...(experts ? [[experts.key, experts.count] as [string, number]] : []),
  ];
  // Experts stay whole.
  const networks = [
    ...(hasNetwork({ config, weights }) ? ['intermediate_size'] : []),
    'shared_expert_intermediate_size',
  ];
  const widths: [string, number][] = [
    ['the heads together', heads * headDim],
    ...networks.filter(key => number(key) > 0).map(key => [key, number(key)] as [string, number]),
  ];
  const uneven = counts.find(([, count]) => count === 0 || count % machines !== 0);
  if (uneven) return `${uneven[0]} (${uneven[1]}) is no multiple of ${machines}`;
  const cut = widths.find(([, width]) => width % (machines * group) !== 0);
  return cut && `${cut[0]} (${cut[1]}) is no multiple of ${machines} times a group of ${group} weights`;
}
