from variant import BASE, Variant

PLAIN = BASE | {
    "model_type": "smollm3", "architectures": ["SmolLM3ForCausalLM"], "rope_theta": 50000.0,
    "tie_word_embeddings": True,
}
VARIANTS = [
    Variant("every-second", PLAIN | {"num_hidden_layers": 4, "no_rope_layer_interval": 2,
                                     "no_rope_layers": [1, 0, 1, 0]}),
    Variant("default", PLAIN | {"num_hidden_layers": 4, "num_key_value_heads": 1}, seed=2),
    Variant(
        "windows",
        PLAIN | {
            "no_rope_layers": [0, 1, 0], "use_sliding_window": True, "sliding_window": 8, "attention_bias": True,
            "mlp_bias": True, "tie_word_embeddings": False,
        },
        seed=3, reference="transformers", because="mlx-lm takes windows from layer_types alone",
    ),
]
