"""Makes test/golden/families/granitemoe_swa.json and its models."""

from checkpoints.random_hf import VOCAB, Variant, main

BASE = dict(
    vocab_size=VOCAB, hidden_size=32, num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=512,
    rms_norm_eps=1e-5, bos_token_id=1, eos_token_id=2, rope_theta=10000.0, attention_bias=False,
    embedding_multiplier=12.0, attention_multiplier=0.0625, residual_multiplier=0.22, sliding_window=8,
)
WHY = "mlx-lm has no granitemoe_swa"

VARIANTS = [
    Variant("plain", BASE | dict(
        num_hidden_layers=4, intermediate_size=24, num_local_experts=5, num_experts_per_tok=2, logits_scaling=0.05,
        shared_intermediate_size=0, layer_rope_theta=[0.0, 10000.0, 10000.0, 10000.0], tie_word_embeddings=True,
    ), old_config=True, because=WHY),
    Variant("shared", BASE | dict(
        num_hidden_layers=2, intermediate_size=16, num_local_experts=4, num_experts_per_tok=3, logits_scaling=2.0,
        shared_intermediate_size=24, layer_types=["sliding_attention", "full_attention"], tie_word_embeddings=False,
    ), old_config=True, because=WHY),
]

if __name__ == "__main__":
    main("granitemoe_swa", VARIANTS)
