"""Makes test/golden/families/lfm3.json and its models."""

from checkpoints.random_hf import VOCAB, Variant, main

BASE = dict(
    vocab_size=VOCAB, hidden_size=32, intermediate_size=48, num_hidden_layers=5, num_attention_heads=4,
    num_key_value_heads=2, head_dim=16, max_position_embeddings=512, norm_eps=1e-5, bos_token_id=1, eos_token_id=2,
    sliding_window=8, conv_L_cache=7, pad_token_id=0, tie_word_embeddings=True,
)
WHY = "mlx-lm 0.32.2 does not have the family"
VARIANTS = [
    Variant("plain", BASE, old_config=True, because=WHY),
    Variant("bare", BASE | dict(
        num_hidden_layers=3, layer_types=["full_attention", "conv", "sliding_attention"], use_sandwich_norm=False,
        use_attention_gate=False, attention_bias=True, conv_bias=True, conv_L_cache=3, num_key_value_heads=1,
        tie_word_embeddings=False,
    ), because=WHY),
]

if __name__ == "__main__":
    main("lfm3", VARIANTS)
