from variant import BASE, Variant

from families.gemma3_text import fill

PLAIN = {k: v for k, v in BASE.items() if k != "hidden_act"} | {
    "model_type": "gemma2", "architectures": ["Gemma2ForCausalLM"], "hidden_activation": "gelu_pytorch_tanh",
    # 8² channels: the factor of the embedding is the same in bfloat16.
    "hidden_size": 64, "head_dim": 16, "query_pre_attn_scalar": 16, "sliding_window": 8, "rope_theta": 10000.0,
    "attn_logit_softcapping": 2.0, "final_logit_softcapping": 12.0, "eos_token_id": 1, "bos_token_id": 2,
    "tie_word_embeddings": True, "num_hidden_layers": 2,
}
VARIANTS = [
    Variant(
        "windows", PLAIN | {"num_hidden_layers": 3}, fill=fill, reference="transformers",
        because="mlx-lm has no windows here",
    ),
    Variant(
        "wide", PLAIN | {"num_key_value_heads": 1, "sliding_window": 256, "query_pre_attn_scalar": 24, "head_dim": 24},
        fill=fill, seed=2,
    ),
    Variant(
        "gguf", PLAIN | {"intermediate_size": 64}, gguf="gemma2", fill=fill, seed=3, reference="transformers",
        because="mlx-lm has no windows here",
    ),
]
