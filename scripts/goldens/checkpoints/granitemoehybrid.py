"""Makes test/golden/families/granitemoehybrid.json and its models."""

from checkpoints.random_hf import VOCAB, Variant, main

BASE = dict(
    vocab_size=VOCAB, hidden_size=32, intermediate_size=24, num_attention_heads=4, num_key_value_heads=2,
    max_position_embeddings=512, rms_norm_eps=1e-5, bos_token_id=1, eos_token_id=2, rope_theta=10000.0,
    attention_bias=False, embedding_multiplier=12.0, attention_multiplier=0.125, residual_multiplier=0.22,
    logits_scaling=0.05, mamba_expand=2, mamba_n_heads=8, mamba_d_head=8, mamba_d_state=16, mamba_d_conv=4,
    mamba_chunk_size=16, mamba_conv_bias=True, mamba_proj_bias=False,
)

VARIANTS = [
    Variant("hybrid", BASE | dict(
        num_hidden_layers=3, layer_types=["mamba", "attention", "mamba"], position_embedding_type="nope",
        mamba_n_groups=2, num_local_experts=4, num_experts_per_tok=2, shared_intermediate_size=40,
        tie_word_embeddings=True,
    ), because="mlx-lm norms all groups of heads together, and clamps time steps where config.json has no limit"),
    Variant("hybrid-dense", BASE | dict(
        num_hidden_layers=3, layer_types=["attention", "mamba", "mamba"], position_embedding_type="rope",
        mamba_n_heads=4, mamba_d_head=16, mamba_n_groups=1, mamba_d_conv=3, mamba_conv_bias=False, mamba_proj_bias=True,
        num_local_experts=0, num_experts_per_tok=0, shared_intermediate_size=48, tie_word_embeddings=False, logits_scaling=2.0,
        intermediate_size=48, time_step_limit=[0.05, 0.6],
    ), old_config=True),
    Variant("dense", BASE | dict(
        num_hidden_layers=2, layer_types=["attention"] * 2, position_embedding_type="rope", rope_theta=1e7,
        mamba_n_groups=1, num_local_experts=0, num_experts_per_tok=0, shared_intermediate_size=48,
        intermediate_size=48, tie_word_embeddings=True,
    ), old_config=True),
    Variant("dense-mlx", BASE | dict(
        num_hidden_layers=2, layer_types=["attention"] * 2, position_embedding_type="rope", rope_theta=1e7,
        mamba_n_groups=1, num_local_experts=0, num_experts_per_tok=0, shared_intermediate_size=64,
        intermediate_size=64, tie_word_embeddings=True,
    ), old_config=True, mlx={"bits": 4, "group_size": 32}),
    Variant("hybrid-mlx", BASE | dict(
        hidden_size=64, num_hidden_layers=2, layer_types=["mamba", "attention"], position_embedding_type="nope",
        mamba_n_groups=1, mamba_d_head=16, num_local_experts=4, num_experts_per_tok=2, intermediate_size=32,
        shared_intermediate_size=32, tie_word_embeddings=True, time_step_limit=[0.0, 1000.0],
    ), old_config=True, mlx={"bits": 8, "group_size": 32}),
]

if __name__ == "__main__":
    main("granitemoehybrid", VARIANTS)
