from variant import BASE, Variant

PLAIN = BASE | {
    "model_type": "llama", "architectures": ["LlamaForCausalLM"], "head_dim": 16, "rope_theta": 10000.0,
    "tie_word_embeddings": False,
}
LLAMA3 = {
    "rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
    "original_max_position_embeddings": 32,
}
YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32}
LONG = {
    "rope_type": "longrope", "original_max_position_embeddings": 32,
    "short_factor": [1.0, 1.0, 1.1, 1.2, 1.3, 1.5, 1.7, 2.0], "long_factor": [1.0, 1.5, 2.0, 3.0, 5.0, 8.0, 12.0, 16.0],
}


def without_theta(parameters: dict) -> dict:
    """config.json as transformers 5 writes it."""
    return {k: v for k, v in PLAIN.items() if k != "rope_theta"} | {"rope_parameters": parameters}


VARIANTS = [
    Variant("plain", PLAIN),
    Variant(
        "biased",
        BASE | {
            "model_type": "llama", "architectures": ["LlamaForCausalLM"], "num_key_value_heads": 1,
            "num_hidden_layers": 2, "rope_theta": 500000.0, "rope_scaling": LLAMA3, "attention_bias": True,
            "mlp_bias": True, "tie_word_embeddings": True,
        },
        seed=2,
    ),
    Variant("linear", PLAIN | {"rope_scaling": {"type": "linear", "factor": 4.0}}, weights_of="plain"),
    Variant(
        "dynamic",
        PLAIN | {"max_position_embeddings": 32, "rope_scaling": {"type": "dynamic", "factor": 8.0}},
        weights_of="plain",
    ),
    Variant(
        "llama3", without_theta(LLAMA3 | {"rope_theta": 5000.0}), weights_of="plain",
        mlx={"rope_theta": 5000.0, "rope_scaling": LLAMA3},
    ),
    Variant("yarn", PLAIN | {"rope_scaling": YARN}, weights_of="plain"),
    Variant(
        "yarn-unrounded",
        without_theta(YARN | {"rope_theta": 10000.0, "truncate": False, "attention_factor": 1.3, "beta_fast": 16.0}),
        weights_of="plain", reference="transformers",
        because="mlx-lm always rounds the range of yarn and ignores attention_factor",
    ),
    Variant(
        "longrope", PLAIN | {"rope_scaling": LONG}, weights_of="plain", reference="transformers", cached=False,
        because="mlx-lm uses the long factors for short texts too",
    ),
    Variant(
        "windows",
        PLAIN | {"layer_types": ["sliding_attention", "full_attention", "sliding_attention"], "sliding_window": 8},
        weights_of="plain", reference="mlx-lm", because="transformers' llama knows no windows",
    ),
    Variant("gguf", PLAIN | {"intermediate_size": 64}, gguf="llama", seed=4),
    Variant(
        "mlx", PLAIN | {"intermediate_size": 64, "tie_word_embeddings": True},
        mlx_lm_converts={"bits": 4, "group_size": 32}, seed=3,
        reference="mlx-lm", because="transformers does not read what MLX's converter makes",
    ),
]
