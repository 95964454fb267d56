from variant import BASE, Variant

PLAIN = BASE | {
    "model_type": "mistral", "architectures": ["MistralForCausalLM"], "rope_theta": 10000.0,
    "tie_word_embeddings": False,
}
VARIANTS = [
    Variant("full", PLAIN | {"head_dim": 24, "num_hidden_layers": 2, "sliding_window": None}),
    Variant(
        "window", PLAIN | {"sliding_window": 8, "tie_word_embeddings": True, "num_key_value_heads": 4}, seed=2,
        reference="transformers", because="mlx-lm ignores sliding_window",
    ),
]
