"""Makes test/golden/families/lfm2_moe.json and its models."""

from checkpoints.random_hf import VOCAB, Variant, main

BASE = dict(
    vocab_size=VOCAB, hidden_size=32, intermediate_size=40, num_attention_heads=4, num_key_value_heads=2,
    max_position_embeddings=512, norm_eps=1e-5, bos_token_id=1, eos_token_id=2, rope_theta=1e6, conv_L_cache=3,
    conv_bias=False, num_experts_per_tok=2,
)

VARIANTS = [
    Variant("plain", BASE | dict(
        num_hidden_layers=3, layer_types=["conv", "full_attention", "conv"], num_dense_layers=1, num_experts=5,
        moe_intermediate_size=24, use_expert_bias=True, norm_topk_prob=True, routed_scaling_factor=1.0,
    )),
    Variant("scaled", BASE | dict(
        num_hidden_layers=2, layer_types=["full_attention", "conv"], num_dense_layers=0, num_experts=4,
        moe_intermediate_size=16, use_expert_bias=False, norm_topk_prob=False, routed_scaling_factor=1.5,
    ), old_config=True),
    Variant("mlx", BASE | dict(
        num_hidden_layers=3, layer_types=["conv", "full_attention", "conv"], num_dense_layers=1, num_experts=4,
        hidden_size=64, block_dim=64, intermediate_size=64, moe_intermediate_size=32, use_expert_bias=True, norm_topk_prob=True,
        routed_scaling_factor=1.0,
    ), old_config=True, mlx={"bits": 4, "group_size": 32}),
]

if __name__ == "__main__":
    main("lfm2_moe", VARIANTS)
