"""Makes test/golden/families/qwen3_next.json and its models."""

from checkpoints.random_hf import VOCAB, Variant, main

BASE = dict(
    vocab_size=VOCAB, hidden_size=32, intermediate_size=48, num_attention_heads=4, num_key_value_heads=2, head_dim=16,
    max_position_embeddings=512, rms_norm_eps=1e-6, bos_token_id=1, eos_token_id=2, rope_theta=10000.0,
    partial_rotary_factor=0.25, linear_num_key_heads=2, linear_num_value_heads=4, linear_key_head_dim=8,
    linear_value_head_dim=12, linear_conv_kernel_dim=4, num_experts=5, num_experts_per_tok=2, moe_intermediate_size=24,
    shared_expert_intermediate_size=16, decoder_sparse_step=1, tie_word_embeddings=False,
)

VARIANTS = [
    Variant("experts", BASE | dict(
        num_hidden_layers=4, mlp_only_layers=[1], norm_topk_prob=True, full_attention_interval=4,
    ), old_config=True, because="mlx-lm adds 1 to the weights of norms in bfloat16"),
    Variant("dense", BASE | dict(
        num_hidden_layers=2, num_experts=0, layer_types=["full_attention", "linear_attention"], num_key_value_heads=1,
        linear_num_key_heads=4, linear_value_head_dim=8, partial_rotary_factor=0.5, mlp_only_layers=[],
    ), old_config=True, because="mlx-lm ignores layer_types"),
    Variant("mlx", BASE | dict(
        hidden_size=64, intermediate_size=64, num_hidden_layers=4, full_attention_interval=4, moe_intermediate_size=32,
        shared_expert_intermediate_size=32, linear_value_head_dim=16, linear_key_head_dim=16, mlp_only_layers=[],
        norm_topk_prob=True, num_experts=3,
    ), old_config=True, mlx={"bits": 4, "group_size": 32}),
]

if __name__ == "__main__":
    main("qwen3_next", VARIANTS)
