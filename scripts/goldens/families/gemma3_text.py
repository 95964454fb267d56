import numpy as np
from variant import BASE, Variant, usual


def fill(name: str, shape: tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
    if name == "model.norm.weight":
        # Both signs once 1 is added: otherwise a tied model repeats one token.
        return rng.normal(-1, 1.5, shape)
    if "embed_tokens" in name:
        # Multiplied by √hidden_size, it stays small compared with what the layers add.
        return rng.normal(0, 0.2, shape)
    return usual(name, shape, rng, ones=False)  # the norms' weights are added to 1


COMMON = {k: v for k, v in BASE.items() if k != "hidden_act"} | {
    "model_type": "gemma3_text", "architectures": ["Gemma3ForCausalLM"], "hidden_activation": "gelu_pytorch_tanh",
    "head_dim": 16, "sliding_window": 8, "num_hidden_layers": 4, "eos_token_id": 1, "bos_token_id": 2,
}
VARIANTS = [
    Variant(
        "older-keys",
        COMMON | {
            # 8² channels: mlx-lm rounds √hidden_size to bfloat16, which changes nothing then.
            "hidden_size": 64, "num_hidden_layers": 3, "num_key_value_heads": 1, "query_pre_attn_scalar": 16,
            "sliding_window_pattern": 2, "rope_theta": 1000000.0, "rope_local_base_freq": 10000.0,
            "rope_scaling": {"rope_type": "linear", "factor": 8.0},
        },
        fill=fill,
    ),
    Variant(
        "rope-per-layer",
        COMMON | {
            "dtype": "float32", "query_pre_attn_scalar": 24, "final_logit_softcapping": 12.0,
            "layer_types": ["full_attention", "sliding_attention", "sliding_attention", "full_attention"],
            "rope_parameters": {
                "full_attention": {"rope_type": "linear", "factor": 2.0, "rope_theta": 50000.0},
                "sliding_attention": {"rope_type": "default", "rope_theta": 3000.0},
            },
        },
        seed=2, fill=fill, reference="transformers",
        because="mlx-lm knows neither rope_parameters nor layer_types nor the cap of the logits, and rounds the factor "
        "of the embedding to bfloat16",
    ),
    Variant(
        "gguf",
        COMMON | {
            # Not in the file: every sixth layer has full attention, and the head size sets the scale.
            "hidden_size": 64, "intermediate_size": 64, "num_hidden_layers": 6, "sliding_window_pattern": 6,
            "query_pre_attn_scalar": 16, "rope_theta": 1000000.0, "rope_local_base_freq": 10000.0,
            "rope_scaling": {"rope_type": "linear", "factor": 8.0},
        },
        seed=3, fill=fill, gguf="gemma3",
    ),
    Variant(
        "mlx",
        COMMON | {
            "hidden_size": 64, "intermediate_size": 64, "num_hidden_layers": 3, "sliding_window_pattern": 2,
            "query_pre_attn_scalar": 16, "rope_theta": 1000000.0, "rope_local_base_freq": 10000.0,
        },
        seed=4, fill=fill, mlx_lm_converts={"bits": 4, "group_size": 32},
        reference="mlx-lm", because="transformers does not read what MLX's converter makes",
    ),
]
