"""Makes test/golden/families/falcon_h1.json and its models."""

from checkpoints.random_hf import VOCAB, Variant, main

BASE = dict(
    vocab_size=VOCAB, hidden_size=32, intermediate_size=48, num_hidden_layers=3, num_attention_heads=4,
    num_key_value_heads=2, head_dim=16, max_position_embeddings=512, rms_norm_eps=1e-5, bos_token_id=1, eos_token_id=2,
    rope_theta=1e11, mamba_d_ssm=48, mamba_n_heads=6, mamba_d_head=8, mamba_n_groups=1, mamba_d_state=16,
    mamba_d_conv=4, mamba_chunk_size=16, mamba_conv_bias=True, mamba_rms_norm=False, mamba_norm_before_gate=False,
    tie_word_embeddings=False,
)
MULTIPLIED = BASE | dict(
    attention_in_multiplier=1.5, attention_out_multiplier=0.9375, key_multiplier=0.4, ssm_in_multiplier=1.25,
    ssm_out_multiplier=0.5, ssm_multipliers=[0.35, 0.25, 0.6, 0.5, 0.7], mlp_multipliers=[0.88, 0.58],
    embedding_multiplier=5.5, lm_head_multiplier=0.5,
)
WHY = "mlx-lm leaves out the multiplier of keys, that of attention's input for values, and the groups of the norm"
VARIANTS = [
    Variant("multiplied", MULTIPLIED, because=WHY),
    Variant("normed", BASE | dict(
        mamba_rms_norm=True, mamba_n_groups=2, mamba_d_conv=3, mamba_conv_bias=False, mamba_proj_bias=True, projectors_bias=True,
        num_key_value_heads=1, tie_word_embeddings=True, time_step_limit=[0.05, 0.6],
    ), old_config=True, because=WHY),
]

if __name__ == "__main__":
    main("falcon_h1", VARIANTS)
