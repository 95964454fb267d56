// Folders with the headers of published decoders, from their shapes alone: what `inspect` needs.
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A folder with a model's header in bfloat16, and a sparse file for its weights. `shape` is from its published config.json:
 * layers, width, heads, KV heads, width of a head, width of the feed-forward part (or of an expert), vocabulary; `untied`:
 * the head has its own matrix; `experts`, `active`: how many a layer has and a token uses.
 */
export function writeHeaders(folder, model) {
  let offset = 0;
  const header = {};
  for (const [name, shape] of tensorsOf(model)) {
    const bytes = 2 * shape.reduce((product, size) => product * size, 1);
    header[name] = { dtype: 'BF16', shape, data_offsets: [offset, offset + bytes] };
    offset += bytes;
  }
  const text = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  mkdirSync(folder);
  const weights = join(folder, 'model.safetensors');
  writeFileSync(weights, Buffer.concat([length, text]));
  truncateSync(weights, 8 + text.length + offset);
  writeFileSync(join(folder, 'config.json'), JSON.stringify(configOf(model)));
  writeFileSync(join(folder, 'tokenizer.json'), '{}');
}

/** Names and shapes of a decoder's tensors; norms are left out, they are too small to count. */
function tensorsOf({ shape, untied, experts }) {
  const [layers, width, heads, kvHeads, headWidth, inner, vocabulary] = shape;
  const feedForward = path => [
    [`${path}.gate_proj.weight`, [inner, width]],
    [`${path}.up_proj.weight`, [inner, width]],
    [`${path}.down_proj.weight`, [width, inner]],
  ];
  const layer = index => {
    const path = `model.layers.${index}`;
    return [
      [`${path}.self_attn.q_proj.weight`, [heads * headWidth, width]],
      [`${path}.self_attn.k_proj.weight`, [kvHeads * headWidth, width]],
      [`${path}.self_attn.v_proj.weight`, [kvHeads * headWidth, width]],
      [`${path}.self_attn.o_proj.weight`, [width, heads * headWidth]],
      ...(experts
        ? Array.from({ length: experts }, (_, e) => feedForward(`${path}.mlp.experts.${e}`)).flat()
        : feedForward(`${path}.mlp`)),
    ];
  };
  return [
    ['model.embed_tokens.weight', [vocabulary, width]],
    ...(untied ? [['lm_head.weight', [vocabulary, width]]] : []),
    ...Array.from({ length: layers }, (_, index) => layer(index)).flat(),
  ];
}

function configOf({ shape, untied, experts, active }) {
  const [layers, width, heads, kvHeads, headWidth, inner, vocabulary] = shape;
  return {
    model_type: experts ? 'qwen3_moe' : 'llama',
    num_hidden_layers: layers,
    hidden_size: width,
    num_attention_heads: heads,
    num_key_value_heads: kvHeads,
    head_dim: headWidth,
    intermediate_size: inner,
    vocab_size: vocabulary,
    tie_word_embeddings: !untied,
    max_position_embeddings: 131072,
    ...(experts && { num_experts: experts, num_experts_per_tok: active, moe_intermediate_size: inner }),
  };
}
