from variant import BASE, Variant

PLAIN = BASE | {
    "model_type": "hunyuan_v1_dense", "architectures": ["HunYuanDenseV1ForCausalLM"], "head_dim": 16,
    "rope_theta": 10000.0, "attention_bias": False, "tie_word_embeddings": False,
}
ALPHA = {"type": "dynamic", "rope_type": "dynamic", "alpha": 50.0, "factor": 1.0}
VARIANTS = [
    Variant("alpha", PLAIN | {"rope_scaling": ALPHA, "num_hidden_layers": 2}),
    Variant(
        "plain", PLAIN | {"num_key_value_heads": 1, "head_dim": 24, "attention_bias": True, "num_hidden_layers": 2}, seed=2,
    ),
    Variant("gguf", PLAIN | {"intermediate_size": 64, "num_hidden_layers": 2}, gguf="hunyuan-dense", seed=3),
    Variant(
        "mlx", PLAIN | {"hidden_size": 64, "intermediate_size": 64, "num_hidden_layers": 2, "rope_scaling": ALPHA},
        mlx_lm_converts={"bits": 4, "group_size": 32}, seed=4,
        reference="mlx-lm", because="transformers does not read what MLX's converter makes",
    ),
]
