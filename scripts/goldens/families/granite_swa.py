from variant import BASE, Variant

PLAIN = BASE | {
    "model_type": "granite_swa", "architectures": ["GraniteSWAForCausalLM"], "rope_theta": 10000.0,
    "embedding_multiplier": 1.5, "attention_multiplier": 0.3, "residual_multiplier": 0.8, "logits_scaling": 3.0,
    "tie_word_embeddings": True, "attention_bias": False, "mlp_bias": False, "sliding_window": 8,
    "num_hidden_layers": 4,
}
WHY = "mlx-lm has no granite_swa"
VARIANTS = [
    Variant(
        "every-fourth", PLAIN | {"layer_rope_theta": [0, 10000.0, 10000.0, 500.0]}, reference="transformers", because=WHY,
    ),
    Variant(
        "listed",
        PLAIN | {
            "num_key_value_heads": 1, "attention_bias": True, "mlp_bias": True, "tie_word_embeddings": False,
            "num_hidden_layers": 2, "layer_types": ["sliding_attention", "full_attention"],
            "residual_multiplier": 0.7, "logits_scaling": 2.0,
        },
        seed=2, reference="transformers", because=WHY,
    ),
]
