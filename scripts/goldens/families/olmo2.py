from variant import BASE, Variant

PLAIN = BASE | {
    "model_type": "olmo2", "architectures": ["Olmo2ForCausalLM"], "rope_theta": 500000.0, "attention_bias": False,
    "tie_word_embeddings": False,
}
VARIANTS = [
    Variant("plain", PLAIN | {"num_key_value_heads": 4}),
    Variant(
        "biased", PLAIN | {"num_key_value_heads": 1, "num_hidden_layers": 2, "attention_bias": True, "rope_theta": 10000.0},
        seed=2,
    ),
    Variant("gguf", PLAIN | {"intermediate_size": 64, "num_hidden_layers": 2}, gguf="olmo2", seed=3),
    Variant(
        "mlx", PLAIN | {"hidden_size": 64, "intermediate_size": 64, "num_hidden_layers": 2},
        mlx_lm_converts={"bits": 4, "group_size": 32}, seed=4,
        reference="mlx-lm", because="transformers does not read what MLX's converter makes",
    ),
]
