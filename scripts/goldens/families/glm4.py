from variant import BASE, Variant

PLAIN = BASE | {
    "model_type": "glm4", "architectures": ["Glm4ForCausalLM"], "head_dim": 16, "rope_theta": 10000.0,
    "partial_rotary_factor": 0.5, "attention_bias": True, "tie_word_embeddings": False,
}
VARIANTS = [
    Variant("biased", PLAIN),
    Variant(
        "default-part",
        {k: v for k, v in PLAIN.items() if k != "partial_rotary_factor"} | {
            "num_key_value_heads": 1, "num_hidden_layers": 2, "head_dim": 24, "attention_bias": False,
        },
        seed=2, mlx={"partial_rotary_factor": 0.5},
    ),
    Variant("gguf", PLAIN | {"intermediate_size": 64, "num_hidden_layers": 2}, gguf="glm4", seed=3),
    Variant(
        "mlx", PLAIN | {"hidden_size": 64, "intermediate_size": 64, "num_hidden_layers": 2},
        mlx_lm_converts={"bits": 4, "group_size": 32}, seed=4,
        reference="mlx-lm", because="transformers does not read what MLX's converter makes",
    ),
]
