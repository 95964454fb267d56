"""Makes test/golden/families/glm4_moe_lite.json and its models."""

from checkpoints.deepseek_v3 import GROUPS, YARN
from checkpoints.random_hf import VOCAB, Tensors, Variant, main

BASE = dict(
    vocab_size=VOCAB, hidden_size=32, intermediate_size=48, num_hidden_layers=3, num_attention_heads=4,
    num_key_value_heads=4, max_position_embeddings=512, rms_norm_eps=1e-6, bos_token_id=1, eos_token_id=2,
    q_lora_rank=20, kv_lora_rank=16, qk_nope_head_dim=12, qk_rope_head_dim=8, v_head_dim=16, moe_intermediate_size=24,
    n_routed_experts=6, num_experts_per_tok=2, n_shared_experts=1, n_group=1, topk_group=1, first_k_dense_replace=1,
    routed_scaling_factor=1.8, norm_topk_prob=True, attention_bias=False, tie_word_embeddings=False,
    rope_theta=1000000.0, rope_scaling=None, num_nextn_predict_layers=1,
)


def predicting(tensors: Tensors) -> Tensors:
    """With a layer behind the last, which predicts several tokens at once."""
    return tensors | {k.replace("layers.2.", "layers.3."): t.clone() for k, t in tensors.items() if "layers.2." in k}


VARIANTS = [
    # As published; five heads do not divide the width.
    Variant("plain", BASE | dict(num_attention_heads=5, num_key_value_heads=5), old_config=True),
    Variant("yarn", BASE | dict(
        mlp_layer_types=["sparse", "dense", "sparse"], q_lora_rank=None, n_group=2, topk_group=1, rms_norm_eps=1e-5,
        rope_parameters=YARN | {"rope_type": "yarn", "rope_theta": 10000.0}, attention_bias=True,
    ), store=predicting, because="mlx-lm reads neither mlp_layer_types nor rope_parameters, and takes rms_norm_eps for latents"),
    Variant("mlx", BASE | dict(hidden_size=64, intermediate_size=64, moe_intermediate_size=32, q_lora_rank=32,
                               kv_lora_rank=32, qk_nope_head_dim=32, v_head_dim=32, rms_norm_eps=1e-6),
            old_config=True, mlx=GROUPS),
]

if __name__ == "__main__":
    main("glm4_moe_lite", VARIANTS)
