from variant import BASE, Variant

# transformers takes the base for layers with a window from its own default, which is what is published.
PLAIN = BASE | {
    "model_type": "olmo3", "architectures": ["Olmo3ForCausalLM"], "rope_theta": 500000.0, "attention_bias": False,
    "tie_word_embeddings": False, "sliding_window": 8, "num_hidden_layers": 4,
}
YARN = {
    "rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32, "beta_fast": 32.0, "beta_slow": 1.0,
    "attention_factor": 1.1386294361119891,
}
BOTH = {
    "full_attention": {"rope_type": "linear", "rope_theta": 3000.0, "factor": 2.0},
    "sliding_attention": {"rope_type": "default", "rope_theta": 20000.0},
}
VARIANTS = [
    Variant("every-fourth", PLAIN),
    Variant(
        "yarn",
        PLAIN | {
            "num_key_value_heads": 1, "layer_types": ["full_attention", "sliding_attention"], "num_hidden_layers": 2,
            "rope_scaling": YARN,
        },
        seed=2,
    ),
    Variant(
        "rope-per-layer",
        {k: v for k, v in PLAIN.items() if k != "rope_theta"} | {"num_hidden_layers": 4, "rope_parameters": BOTH}, seed=3,
        reference="transformers", because="mlx-lm does not know rope_parameters",
    ),
]
