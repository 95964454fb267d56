"""Makes test/golden/families/lfm2.json and its models."""

from checkpoints.random_hf import VOCAB, Variant, main

BASE = dict(
    vocab_size=VOCAB, hidden_size=32, block_dim=32, num_attention_heads=4, num_key_value_heads=2,
    max_position_embeddings=512, norm_eps=1e-5, bos_token_id=1, eos_token_id=2, rope_theta=1e6, conv_L_cache=3,
    conv_bias=False, block_multiple_of=16, block_ffn_dim_multiplier=1.0,
)

VARIANTS = [
    Variant("plain", BASE | dict(
        num_hidden_layers=3, layer_types=["conv", "full_attention", "conv"], block_ff_dim=60,
        block_auto_adjust_ff_dim=True,
    ), old_config=True),
    Variant("bias", BASE | dict(
        num_hidden_layers=3, full_attn_idxs=[2], intermediate_size=40, block_auto_adjust_ff_dim=False,
        conv_L_cache=4, conv_bias=True, num_key_value_heads=4,
    )),
    Variant("mlx", BASE | dict(
        num_hidden_layers=2, layer_types=["conv", "full_attention"], block_ff_dim=64,
        block_auto_adjust_ff_dim=False,
    ), old_config=True, mlx={"bits": 4, "group_size": 32}),
]

if __name__ == "__main__":
    main("lfm2", VARIANTS)
