from variant import BASE, Variant

ROPE = {
    "rope_type": "yarn", "type": "yarn", "rope_theta": 10000.0, "factor": 4.0,
    "original_max_position_embeddings": 16, "beta_fast": 32.0, "beta_slow": 1.0, "mscale": 1.0,
    "mscale_all_dim": 1.0, "llama_4_scaling_beta": 0.3,
}
PLAIN = BASE | {
    "model_type": "ministral3", "architectures": ["Ministral3ForCausalLM"], "head_dim": 16, "sliding_window": None,
    "rope_parameters": ROPE, "tie_word_embeddings": False,
}
VARIANTS = [
    Variant("full", PLAIN | {"num_hidden_layers": 2}),
    Variant(
        "window",
        PLAIN | {
            "num_key_value_heads": 1, "head_dim": 8, "sliding_window": 12, "tie_word_embeddings": True,
            "rope_parameters": ROPE | {"mscale": 0.7, "mscale_all_dim": 0.4, "llama_4_scaling_beta": 0.1},
        },
        seed=2, reference="transformers", because="mlx-lm takes windows from layer_types alone",
    ),
]
