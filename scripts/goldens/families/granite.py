from variant import BASE, Variant

PLAIN = BASE | {
    "model_type": "granite", "architectures": ["GraniteForCausalLM"], "rope_theta": 10000.0,
    # A real one has 12: with only two or three layers the last token would repeat itself.
    "embedding_multiplier": 1.5, "attention_multiplier": 0.3, "residual_multiplier": 0.8,
    "logits_scaling": 3.0, "tie_word_embeddings": True, "attention_bias": False, "mlp_bias": False,
}
VARIANTS = [
    Variant("tied", PLAIN),
    Variant(
        "biased",
        PLAIN | {
            "num_key_value_heads": 1, "attention_bias": True, "mlp_bias": True, "tie_word_embeddings": False,
            "embedding_multiplier": 3.0, "attention_multiplier": 0.5, "residual_multiplier": 0.7,
            "logits_scaling": 2.0, "rope_scaling": {"type": "linear", "factor": 2.0}, "num_hidden_layers": 2,
        },
        seed=2,
    ),
    Variant("gguf", PLAIN | {"intermediate_size": 64}, gguf="granite", seed=3),
    Variant(
        # Groups of 64: mlx-lm keeps some of granite's matrices in 8 bits, in such groups.
        "mlx", PLAIN | {"hidden_size": 64, "intermediate_size": 64, "num_hidden_layers": 2},
        mlx_lm_converts={"bits": 4, "group_size": 64}, seed=4,
        reference="mlx-lm", because="transformers does not read what MLX's converter makes",
    ),
]
