"""Makes test/golden/families/glm4_moe.json and solar_open.json, and their models."""

from checkpoints.random_hf import VOCAB, Variant, main

BASE = dict(
    vocab_size=VOCAB, hidden_size=32, intermediate_size=48, num_attention_heads=4, num_key_value_heads=2, head_dim=16,
    max_position_embeddings=512, rms_norm_eps=1e-5, bos_token_id=1, eos_token_id=2, rope_theta=10000.0,
    moe_intermediate_size=24, n_routed_experts=6, num_experts_per_tok=2, n_shared_experts=1, n_group=1, topk_group=1,
    routed_scaling_factor=1.5, norm_topk_prob=True, attention_bias=False, tie_word_embeddings=False, rope_scaling=None,
)
GLM = BASE | dict(partial_rotary_factor=0.5, first_k_dense_replace=1, use_qk_norm=True)
GLM_VARIANTS = [
    Variant("norms", GLM | dict(num_hidden_layers=3), old_config=True),
    Variant("biased", GLM | dict(
        num_hidden_layers=2, num_key_value_heads=1, n_shared_experts=2, n_routed_experts=4, num_experts_per_tok=3,
        use_qk_norm=False, attention_bias=True, norm_topk_prob=False, routed_scaling_factor=1.0,
    ), old_config=True),
]
SOLAR = BASE | dict(partial_rotary_factor=1.0, first_k_dense_replace=0, use_qk_norm=False)
YARN = {"rope_type": "yarn", "type": "yarn", "factor": 2.0, "original_max_position_embeddings": 64}
SOLAR_VARIANTS = [
    Variant("plain", SOLAR | dict(num_hidden_layers=2), old_config=True),
    Variant("yarn", SOLAR | dict(
        num_hidden_layers=2, num_key_value_heads=1, n_routed_experts=4, num_experts_per_tok=3, rope_scaling=YARN,
    ), old_config=True, because="mlx-lm ignores rope_scaling"),
]

if __name__ == "__main__":
    main("glm4_moe", GLM_VARIANTS)
    main("solar_open", SOLAR_VARIANTS)
