from variant import BASE, Variant

PLAIN = {k: v for k, v in BASE.items() if k != "rms_norm_eps"} | {
    "model_type": "cohere2", "architectures": ["Cohere2ForCausalLM"], "rope_theta": 50000.0, "layer_norm_eps": 1e-5,
    "head_dim": 8, "logit_scale": 0.25, "sliding_window": 8, "sliding_window_pattern": 4, "num_hidden_layers": 4,
    "attention_bias": False, "tie_word_embeddings": True,
}
VARIANTS = [
    Variant("every-fourth", PLAIN),
    Variant(
        "listed",
        PLAIN | {
            "num_key_value_heads": 1, "num_hidden_layers": 3, "attention_bias": True, "logit_scale": 0.6,
            "layer_types": ["sliding_attention", "full_attention", "sliding_attention"],
        },
        seed=2, reference="transformers", because="mlx-lm ignores layer_types",
    ),
    Variant("gguf", PLAIN | {"intermediate_size": 64}, gguf="cohere2", seed=3),
    Variant(
        "mlx", PLAIN | {"hidden_size": 64, "head_dim": 16, "intermediate_size": 64, "num_hidden_layers": 4},
        mlx_lm_converts={"bits": 4, "group_size": 32}, seed=4,
        reference="mlx-lm", because="transformers does not read what MLX's converter makes",
    ),
]
