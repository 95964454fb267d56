import numpy as np
from variant import BASE, Variant


def fill(name: str, shape: tuple[int, ...], rng: np.random.Generator) -> np.ndarray | None:
    """Smaller biases of norms and head: otherwise one token repeats itself."""
    small = name.endswith("layernorm.bias") or name == "lm_head.bias"
    return rng.normal(0, 0.1, shape) if small else None


PLAIN = {k: v for k, v in BASE.items() if k != "rms_norm_eps"} | {
    "model_type": "phi", "architectures": ["PhiForCausalLM"], "rope_theta": 10000.0, "layer_norm_eps": 1e-5,
    "hidden_act": "gelu_new", "partial_rotary_factor": 0.5, "qk_layernorm": False, "tie_word_embeddings": False,
    "num_key_value_heads": 4,
}
VARIANTS = [
    Variant("plain", PLAIN, fill=fill),
    Variant(
        "part", PLAIN | {"hidden_size": 40, "num_key_value_heads": 2, "partial_rotary_factor": 0.4, "num_hidden_layers": 2},
        seed=2, fill=fill,
    ),
    Variant("gguf", PLAIN | {"intermediate_size": 64, "num_hidden_layers": 2}, gguf="phi2", seed=3, fill=fill),
    Variant(
        "mlx", PLAIN | {"hidden_size": 64, "intermediate_size": 64, "num_hidden_layers": 2},
        mlx_lm_converts={"bits": 4, "group_size": 32}, seed=4, fill=fill,
        reference="mlx-lm", because="transformers does not read what MLX's converter makes",
    ),
]
