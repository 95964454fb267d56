from variant import BASE, Variant

PLAIN = BASE | {
    "model_type": "seed_oss", "architectures": ["SeedOssForCausalLM"], "head_dim": 16, "rope_theta": 10000.0,
    "attention_bias": True, "attention_out_bias": False, "mlp_bias": False, "tie_word_embeddings": False,
}
VARIANTS = [
    Variant("plain", PLAIN),
    Variant(
        "biased",
        PLAIN | {
            "num_key_value_heads": 1, "num_hidden_layers": 2, "head_dim": 8, "attention_out_bias": True,
            "mlp_bias": True, "rope_scaling": {"rope_type": "linear", "factor": 2.0},
        },
        seed=2,
    ),
    Variant("gguf", PLAIN | {"intermediate_size": 64, "num_hidden_layers": 2}, gguf="seed_oss", seed=3),
]
