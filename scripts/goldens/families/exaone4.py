from variant import BASE, Variant

PLAIN = BASE | {
    "model_type": "exaone4", "architectures": ["Exaone4ForCausalLM"], "head_dim": 16, "rope_theta": 10000.0,
    "tie_word_embeddings": False, "sliding_window": 8, "sliding_window_pattern": 4, "num_hidden_layers": 4,
    "rope_scaling": None,
}
LLAMA3 = {
    "rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
    "original_max_position_embeddings": 32,
}
VARIANTS = [
    Variant("windows", PLAIN, mlx={"sliding_window_pattern": "LLLG"}),
    Variant(
        "no-windows",
        PLAIN | {
            "num_key_value_heads": 1, "head_dim": 8, "num_hidden_layers": 2, "tie_word_embeddings": False,
            "sliding_window": None, "sliding_window_pattern": None, "rope_scaling": LLAMA3,
            "layer_types": ["full_attention", "full_attention"],
        },
        seed=2,
    ),
    Variant(
        "gguf", PLAIN | {"intermediate_size": 64}, gguf="exaone4", seed=3, mlx={"sliding_window_pattern": "LLLG"},
    ),
]
