"""Makes test/golden/families/minicpm3.json and its models."""

from checkpoints.random_hf import VOCAB, Variant, main

BASE = dict(
    vocab_size=VOCAB, hidden_size=32, intermediate_size=48, num_hidden_layers=3, num_attention_heads=4,
    num_key_value_heads=4, max_position_embeddings=512, rms_norm_eps=1e-5, bos_token_id=1, eos_token_id=2,
    q_lora_rank=24, kv_lora_rank=16, qk_nope_head_dim=12, qk_rope_head_dim=8, scale_emb=2, scale_depth=1.4,
    dim_model_base=8, attention_bias=False, tie_word_embeddings=True, rope_theta=10000.0, rope_scaling=None,
)
LONG = {"type": "longrope", "short_factor": [1.0, 1.1, 1.3, 2.0], "long_factor": [1.5, 2.0, 4.0, 8.0],
        "original_max_position_embeddings": 64}
WHY = "mlx-lm has another eps for latents, wants longrope and scales no logits of tied models"
VARIANTS = [
    Variant("plain", BASE, old_config=True, because=WHY),
    # As published, across the switch of its factors.
    Variant("longrope", BASE | dict(rope_scaling=LONG, num_hidden_layers=2), old_config=True, because=WHY),
    Variant("untied", BASE | dict(
        num_hidden_layers=2, num_attention_heads=2, num_key_value_heads=2, q_lora_rank=None, v_head_dim=10,
        scale_depth=None, dim_model_base=None, scale_emb=3, tie_word_embeddings=False, attention_bias=True,
    ), old_config=True, because=WHY),
]

if __name__ == "__main__":
    main("minicpm3", VARIANTS)
