"""Makes test/golden/families/granitemoe.json and its models."""

from checkpoints.random_hf import VOCAB, Variant, main

BASE = dict(
    vocab_size=VOCAB, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,
    max_position_embeddings=512, rms_norm_eps=1e-5, bos_token_id=1, eos_token_id=2, rope_theta=10000.0,
    attention_bias=False, embedding_multiplier=12.0, attention_multiplier=0.0625, residual_multiplier=0.22,
    logits_scaling=0.05,
)

VARIANTS = [
    Variant("plain", BASE | dict(
        intermediate_size=24, num_local_experts=5, num_experts_per_tok=2, tie_word_embeddings=True,
    ), old_config=True),
    Variant("bias", BASE | dict(
        intermediate_size=16, num_attention_heads=2, num_key_value_heads=2, num_local_experts=4,
        num_experts_per_tok=3, tie_word_embeddings=False, attention_bias=True, logits_scaling=2.0,
        rope_scaling={"rope_type": "linear", "factor": 2.0},
    ), old_config=True),
    Variant("mlx", BASE | dict(
        hidden_size=64, intermediate_size=64, num_local_experts=4, num_experts_per_tok=2,
        tie_word_embeddings=False, logits_scaling=2.0,
    ), old_config=True, mlx={"bits": 8, "group_size": 32}),
]

if __name__ == "__main__":
    main("granitemoe", VARIANTS)
