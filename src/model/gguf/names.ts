/** llama.cpp's names to Hugging Face's for one architecture, of modules or of tensors; `%` is the layer number. */
export type NameTable = Readonly<Record<string, string>>;

export const LLAMA: NameTable = {
  token_embd: 'model.embed_tokens',
  output_norm: 'model.norm',
  output: 'lm_head',
  'blk.%.attn_norm': 'model.layers.%.input_layernorm',
  'blk.%.attn_q': 'model.layers.%.self_attn.q_proj',
  'blk.%.attn_k': 'model.layers.%.self_attn.k_proj',
  'blk.%.attn_v': 'model.layers.%.self_attn.v_proj',
  'blk.%.attn_output': 'model.layers.%.self_attn.o_proj',
  'blk.%.ffn_norm': 'model.layers.%.post_attention_layernorm',
  'blk.%.ffn_gate': 'model.layers.%.mlp.gate_proj',
  'blk.%.ffn_up': 'model.layers.%.mlp.up_proj',
  'blk.%.ffn_down': 'model.layers.%.mlp.down_proj',
};

/** Norms of q and k. */
export const HEAD_NORMS: NameTable = {
  'blk.%.attn_q_norm': 'model.layers.%.self_attn.q_norm',
  'blk.%.attn_k_norm': 'model.layers.%.self_attn.k_norm',
};

/** Norms before and after each part of a layer. */
export const SANDWICH_NORMS: NameTable = {
  'blk.%.post_attention_norm': 'model.layers.%.post_attention_layernorm',
  'blk.%.ffn_norm': 'model.layers.%.pre_feedforward_layernorm',
  'blk.%.post_ffw_norm': 'model.layers.%.post_feedforward_layernorm',
};

/** Norms after each part only. */
export const AFTER_NORMS: NameTable = {
  'blk.%.post_attention_norm': 'model.layers.%.post_attention_layernorm',
  'blk.%.post_ffw_norm': 'model.layers.%.post_feedforward_layernorm',
};

/** Tensors of layers that predict several tokens at once, which are left out. */
export const NEXTN: NameTable = {
  'blk.%.nextn.eh_proj': 'model.layers.%.eh_proj',
  'blk.%.nextn.enorm': 'model.layers.%.enorm',
  'blk.%.nextn.hnorm': 'model.layers.%.hnorm',
  'blk.%.nextn.embed_tokens': 'model.layers.%.embed_tokens',
  'blk.%.nextn.shared_head_head': 'model.layers.%.shared_head.head',
  'blk.%.nextn.shared_head_norm': 'model.layers.%.shared_head.norm',
};

/** Gate, up and down of all experts of a layer, below `path`. */
export const expertNames = (path: string): NameTable => networkNames('_exps', path);

/** Gate, up and down of a network, below `path`. */
export function networkNames(ending: string, path: string): NameTable {
  return {
    [`blk.%.ffn_gate${ending}`]: `${path}.gate_proj`,
    [`blk.%.ffn_up${ending}`]: `${path}.up_proj`,
    [`blk.%.ffn_down${ending}`]: `${path}.down_proj`,
  };
}

type Shape = readonly number[];

/** Each channel's filter: [channels, kernel], here [channels, 1, kernel]. */
export const filter = (shape: Shape): Shape =>
  shape.length === 2 ? [shape[0] as number, 1, shape[1] as number] : shape;

/** A vector that the file has in groups or as a column. */
const vector = (shape: Shape): Shape => [shape.reduce((a, b) => a * b, 1)];

/** The matrices of Mamba-2 below `path`, the vectors, and the shapes that the engine has otherwise. */
export const mambaNames = (path: string): NameTable => ({
  'blk.%.ssm_in': `${path}.in_proj`,
  'blk.%.ssm_conv1d': `${path}.conv1d`,
  'blk.%.ssm_norm': `${path}.norm`,
  'blk.%.ssm_out': `${path}.out_proj`,
});
export const mambaTensors = (path: string): NameTable => ({
  'blk.%.ssm_dt.bias': `${path}.dt_bias`,
  'blk.%.ssm_a': `${path}.A`,
  'blk.%.ssm_d': `${path}.D`,
});
export const mambaShapes: Readonly<Record<string, (shape: Shape) => Shape>> = {
  'blk.%.ssm_conv1d.weight': filter,
  'blk.%.ssm_a': vector,
  'blk.%.ssm_d': vector,
  'blk.%.ssm_norm.weight': vector,
};

/** `table` without some of its entries. */
export function without(table: NameTable, ...keys: string[]): NameTable {
  return Object.fromEntries(Object.entries(table).filter(([key]) => !keys.includes(key)));
}

const LAYER = /^blk\.(0|[1-9]\d{0,4})\./;

/** A tensor's name with `%` for the layer's number. */
export const tableKey = (name: string): string => name.replace(LAYER, 'blk.%.');

/** The Hugging Face name of a tensor, by its own or its module's; undefined if in neither table. */
export function huggingFaceName(
  modules: NameTable,
  name: string,
  tensors: NameTable = {},
): string | undefined {
  if (name.includes('%')) return undefined;
  const layer = LAYER.exec(name)?.[1] ?? '';
  const find = (table: NameTable, key: string): string | undefined =>
    Object.hasOwn(table, key) ? table[key]?.replace('%', layer) : undefined;
  const key = tableKey(name);
  const [, stem = '', kind = ''] = /^(.+)\.(weight|bias)$/.exec(key) ?? [];
  const module = find(modules, stem);
  return find(tensors, key) ?? (module === undefined ? undefined : `${module}.${kind}`);
}

/** The layer of a tensor by its Hugging Face name; undefined outside of the layers. */
export function layerOf(name: string): number | undefined {
  const layer = /^(?:model|backbone)\.layers\.(\d+)\./.exec(name)?.[1];
  return layer === undefined ? undefined : Number(layer);
}
