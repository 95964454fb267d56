from variant import BASE, Variant

PLAIN = BASE | {
    "model_type": "qwen3", "architectures": ["Qwen3ForCausalLM"], "head_dim": 24, "rope_theta": 1000000.0,
    "tie_word_embeddings": False, "num_hidden_layers": 2,
}
VARIANTS = [
    Variant("plain", PLAIN),
    Variant("one-kv", PLAIN | {"num_key_value_heads": 1, "head_dim": 8, "tie_word_embeddings": True}, seed=2),
    Variant(
        "windows",
        {k: v for k, v in PLAIN.items() if k != "rope_theta"} | {
            "attention_bias": True, "head_dim": 16, "num_hidden_layers": 3, "sliding_window": 8,
            "use_sliding_window": True, "layer_types": ["sliding_attention", "full_attention", "sliding_attention"],
            "rope_parameters": {"rope_type": "linear", "rope_theta": 20000.0, "factor": 2.0},
        },
        seed=3, reference="transformers", because="mlx-lm has no windows and no biases here",
    ),
    Variant(
        "gguf", PLAIN | {"head_dim": 16, "intermediate_size": 64, "tie_word_embeddings": True}, gguf="qwen3", seed=4,
    ),
    Variant(
        "mlx", PLAIN | {"head_dim": 16, "intermediate_size": 64}, mlx_lm_converts={"bits": 8, "group_size": 32}, seed=5,
        reference="mlx-lm", because="transformers does not read what MLX's converter makes",
    ),
]
