// GLM-4.7-Flash: multi-head latent attention, and experts in all layers but the first; cut to 4 of its 47 layers.
import { experts, gatedMlp, layersOf, matrices, matrix, norm, router, vector } from './tensors.mjs';

const HIDDEN = 2048;
const WIDTH = 10240;
const VOCABULARY = 154880;
const HEADS = 20;
const [QUERY_RANK, RANK, PLAIN, ROTARY, VALUE] = [768, 512, 192, 64, 256];
const EXPERTS = { count: 64, used: 4, width: 1536 };

export const GLM4_MOE_LITE = {
  layers: 47,
  cut: 4,
  config: layers => ({
    model_type: 'glm4_moe_lite',
    hidden_size: HIDDEN,
    intermediate_size: WIDTH,
    num_hidden_layers: layers,
    num_attention_heads: HEADS,
    num_key_value_heads: HEADS,
    vocab_size: VOCABULARY,
    rms_norm_eps: 1e-5,
    rope_theta: 1000000,
    max_position_embeddings: 202752,
    tie_word_embeddings: false,
    attention_bias: false,
    q_lora_rank: QUERY_RANK,
    kv_lora_rank: RANK,
    qk_nope_head_dim: PLAIN,
    qk_rope_head_dim: ROTARY,
    v_head_dim: VALUE,
    first_k_dense_replace: 1,
    n_routed_experts: EXPERTS.count,
    num_experts_per_tok: EXPERTS.used,
    moe_intermediate_size: EXPERTS.width,
    n_shared_experts: 1,
    n_group: 1,
    topk_group: 1,
    routed_scaling_factor: 1.8,
    norm_topk_prob: true,
  }),
  tensors: layers => [
    matrix('model.embed_tokens', VOCABULARY, HIDDEN),
    ...layersOf(layers, layer => {
      const path = `model.layers.${layer}`;
      return [
        norm(`${path}.input_layernorm`, HIDDEN),
        ...latentAttention(`${path}.self_attn`),
        norm(`${path}.post_attention_layernorm`, HIDDEN),
        ...(layer === 0 ? gatedMlp(`${path}.mlp`, HIDDEN, WIDTH) : sparseMlp(`${path}.mlp`)),
      ];
    }),
    norm('model.norm', HIDDEN),
    matrix('lm_head', VOCABULARY, HIDDEN),
  ],
};

/** With kv_b_proj split into two matrices for each head, as MLX's converter stores it. */
function latentAttention(path) {
  return [
    matrix(`${path}.q_a_proj`, QUERY_RANK, HIDDEN),
    norm(`${path}.q_a_layernorm`, QUERY_RANK),
    matrix(`${path}.q_b_proj`, HEADS * (PLAIN + ROTARY), QUERY_RANK),
    matrix(`${path}.kv_a_proj_with_mqa`, RANK + ROTARY, HIDDEN),
    norm(`${path}.kv_a_layernorm`, RANK),
    matrices(`${path}.embed_q`, HEADS, RANK, PLAIN),
    matrices(`${path}.unembed_out`, HEADS, VALUE, RANK),
    matrix(`${path}.o_proj`, HIDDEN, HEADS * VALUE),
  ];
}

function sparseMlp(path) {
  const { count, width } = EXPERTS;
  return [
    router(`${path}.gate`, count, HIDDEN),
    vector(`${path}.gate.e_score_correction_bias`, count),
    experts(`${path}.switch_mlp.gate_proj`, count, width, HIDDEN),
    experts(`${path}.switch_mlp.up_proj`, count, width, HIDDEN),
    experts(`${path}.switch_mlp.down_proj`, count, HIDDEN, width),
    ...gatedMlp(`${path}.shared_experts`, HIDDEN, width),
  ];
}
