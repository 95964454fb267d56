from variant import BASE, Variant

PLAIN = BASE | {
    "model_type": "ernie4_5", "architectures": ["Ernie4_5ForCausalLM"], "head_dim": 16, "rope_theta": 500000.0,
    "use_bias": False, "tie_word_embeddings": False,
}
VARIANTS = [
    Variant("plain", PLAIN),
    Variant(
        "biased",
        PLAIN | {"num_key_value_heads": 1, "num_hidden_layers": 2, "head_dim": 8, "use_bias": True, "rope_theta": 10000.0},
        seed=2,
    ),
    Variant("gguf", PLAIN | {"intermediate_size": 64, "num_hidden_layers": 2}, gguf="ernie4_5", seed=3),
]
