from variant import BASE, Variant

PLAIN = BASE | {
    "model_type": "qwen2", "architectures": ["Qwen2ForCausalLM"], "rope_theta": 1000000.0,
    "tie_word_embeddings": True,
}
YARN = {"type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32}
VARIANTS = [
    Variant("tied", PLAIN | {"use_sliding_window": False, "sliding_window": 8, "max_window_layers": 1}),
    Variant("yarn", PLAIN | {"num_key_value_heads": 1, "tie_word_embeddings": False, "rope_scaling": YARN}, seed=2),
    Variant(
        "windows",
        PLAIN | {"use_sliding_window": True, "sliding_window": 8, "max_window_layers": 1, "num_key_value_heads": 4},
        seed=3, reference="transformers", because="mlx-lm has no windows here",
    ),
    Variant(
        "gguf",
        PLAIN | {"intermediate_size": 64, "num_key_value_heads": 1, "tie_word_embeddings": False, "rope_scaling": YARN},
        gguf="qwen2", seed=4,
    ),
]
