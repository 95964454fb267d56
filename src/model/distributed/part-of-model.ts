import type { AdapterSpec, TensorEntry, WeightFiles } from '../../native/load-types.ts';
import type { JsonObject } from '../../text/files/json-file.ts';

/** A model as far as its memory goes. */
export interface Described {
  readonly config: JsonObject;
  readonly weights: WeightFiles;
  readonly adapters: readonly AdapterSpec[];
}

/** Matrices of heads, of feed-forward networks and of experts; not norms and routers. */
const DIVIDED =
  /\.(?:self_attn\.(?:(?:[qkvo]|qkv|out)_proj|sinks)|gate_proj|up_proj|down_proj|gate_up_proj|feed_forward\.w[123]|experts|switch_mlp|block_sparse_moe\.(?:in|out)put_linear)\b/;
const EXPERTS = /\.(?:experts|switch_mlp|block_sparse_moe)\./;
/** Products of some of the columns are added up over all machines. */
const SUMMED = /\.(?:o_proj|out_proj|down_proj|w2)\.(?:bias|lora_b)$/;
const NETWORK = /\.(?:mlp|feed_forward)\.(?:gate_proj|up_proj|gate_up_proj|w1)\./;

/** Whether each machine has a part of the tensor; else it has all of it. */
export function isDivided(name: string): boolean {
  if (!DIVIDED.test(name)) return false;
  if (EXPERTS.test(name)) return true;
  // An adapter's first factor takes all inputs, unless they are divided.
  if (name.endsWith('.lora_a')) return SUMMED.test(name.replace(/a$/, 'b'));
  return !SUMMED.test(name);
}

/** Experts of a layer, and how config.json calls their number. */
export function expertsOf(config: JsonObject): { readonly key: string; readonly count: number } | undefined {
  const keys = ['num_local_experts', 'num_experts', 'n_routed_experts'];
  const key = keys.find(name => Number(config[name] ?? 0) > 0);
  return key === undefined ? undefined : { key, count: Number(config[key]) };
}

/** Whether a layer has a feed-forward network beside or in place of experts. */
export const hasNetwork = ({ config, weights }: Omit<Described, 'adapters'>): boolean =>
  !expertsOf(config) || weights.tensors.some(({ name }) => NETWORK.test(name));

/** The part that each of `machines` computes if they divide the model's heads, networks and experts. */
export function partOfModel(whole: Described, machines: number): Described {
  const { config, adapters } = whole;
  const divided = (...keys: readonly string[]) =>
    Object.fromEntries(
      keys
        .filter(key => typeof config[key] === 'number')
        .map(key => [key, Number(config[key]) / machines] as const),
    );
  const heads = Number(config.num_attention_heads ?? 0);
  const headDim = heads > 0 ? Number(config.head_dim ?? Number(config.hidden_size ?? 0) / heads) : undefined;
  return {
    config: {
      ...config,
      ...(headDim !== undefined && { head_dim: headDim }),
      ...divided('num_attention_heads', 'num_key_value_heads'),
      ...(hasNetwork(whole) && divided('intermediate_size')),
    },
    weights: partOfFiles(whole.weights, machines),
    adapters: adapters.map(adapter => ({ ...adapter, weights: partOfFiles(adapter.weights, machines) })),
  };
}

function partOfFiles({ files, tensors }: WeightFiles, machines: number): WeightFiles {
  const part = (tensor: TensorEntry): TensorEntry => {
    const [rows = 1, ...rest] = tensor.shape;
    return { ...tensor, shape: [rows / machines, ...rest], bytes: tensor.bytes / machines };
  };
  return { files, tensors: tensors.map(tensor => (isDivided(tensor.name) ? part(tensor) : tensor)) };
}
