"""Makes test/golden/families/nemotron_h.json and its models."""

import math

from checkpoints.random_hf import VOCAB, Variant, main

BASE = dict(
    vocab_size=VOCAB, hidden_size=32, intermediate_size=48, num_attention_heads=4, num_key_value_heads=2, head_dim=16,
    max_position_embeddings=512, layer_norm_epsilon=1e-5, bos_token_id=1, eos_token_id=2, mamba_num_heads=8,
    mamba_head_dim=8, n_groups=2, ssm_state_size=16, conv_kernel=4, use_conv_bias=True, chunk_size=16,
    mlp_hidden_act="relu2", mamba_hidden_act="silu", tie_word_embeddings=False, rope_theta=10000.0,
    attention_bias=False, mlp_bias=False, use_bias=False, mamba_proj_bias=False, time_step_limit=[0.0, math.inf],
    time_step_min=0.001, time_step_max=0.1,
)
MOE = dict(
    n_routed_experts=5, n_shared_experts=1, num_experts_per_tok=2, moe_intermediate_size=16,
    moe_shared_expert_intermediate_size=40, norm_topk_prob=True, routed_scaling_factor=2.5, n_group=1, topk_group=1,
)
WHY = "mlx-lm does not clamp time steps to time_step_min"
VARIANTS = [
    # As Nemotron Nano v2, and with the bare Infinity of its config.json.
    Variant("networks", BASE | dict(hybrid_override_pattern="M-M*-", num_hidden_layers=5), old_config=True, because=WHY),
    # As Nemotron 3 Nano.
    Variant("experts", BASE | MOE | dict(layers_block_type=["mamba", "moe", "attention", "moe"], n_groups=1),
            because=WHY),
    Variant("latent", BASE | MOE | dict(
        layers_block_type=["moe", "mamba", "attention", "mlp"], moe_latent_size=16, num_key_value_heads=1,
        use_bias=True, mlp_bias=True, attention_bias=True, use_conv_bias=False, time_step_min=0.3,
        routed_scaling_factor=1.0,
    ), because=WHY),
    Variant("mlx", BASE | MOE | dict(
        hybrid_override_pattern="ME*-", num_hidden_layers=4, hidden_size=64, intermediate_size=64,
        moe_intermediate_size=32, moe_shared_expert_intermediate_size=32,
    ), old_config=True, mlx={"bits": 4, "group_size": 32}),
]

if __name__ == "__main__":
    main("nemotron_h", VARIANTS)
