from variant import BASE, Variant

PLAIN = BASE | {
    "model_type": "phi3", "architectures": ["Phi3ForCausalLM"], "rope_theta": 10000.0, "rope_scaling": None,
    "original_max_position_embeddings": 512, "sliding_window": None, "tie_word_embeddings": False,
}
LONG = {
    "type": "longrope", "short_factor": [1.0, 1.1, 1.3, 1.6, 2.0, 2.5], "long_factor": [1.0, 2.0, 4.0, 8.0, 12.0, 16.0],
}
VARIANTS = [
    Variant("plain", PLAIN | {"num_key_value_heads": 4}),
    Variant(
        "partial", PLAIN | {"partial_rotary_factor": 0.5, "sliding_window": 8}, seed=2, reference="transformers",
        because="mlx-lm ignores sliding_window",
    ),
    Variant(
        "longrope",
        PLAIN | {
            "num_attention_heads": 2, "num_key_value_heads": 1, "num_hidden_layers": 2, "tie_word_embeddings": True,
            "partial_rotary_factor": 0.75, "rope_scaling": LONG, "original_max_position_embeddings": 32,
        },
        seed=3, reference="transformers", cached=False,
        because="mlx-lm uses the long factors for short texts too",
    ),
]
