import numpy as np
from variant import BASE, Variant


def fill(name: str, shape: tuple[int, ...], rng: np.random.Generator) -> np.ndarray | None:
    """What the activation's constants are in every checkpoint."""
    constants = {"beta": 0.5, "eps": -1e-6}
    last = name.split(".")[-1]
    return np.full(shape, constants[last]) if last in constants else None


PLAIN = BASE | {
    "model_type": "apertus", "architectures": ["ApertusForCausalLM"], "rope_theta": 10000.0, "hidden_act": "xielu",
    "attention_bias": False, "mlp_bias": False, "tie_word_embeddings": False, "post_norm": False, "qk_norm": True,
}
LLAMA3 = {
    "rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
    "original_max_position_embeddings": 32,
}
VARIANTS = [
    Variant("llama3", PLAIN | {"rope_scaling": LLAMA3}, fill=fill),
    Variant(
        "biased", PLAIN | {"num_key_value_heads": 1, "num_hidden_layers": 2, "attention_bias": True}, fill=fill, seed=12,
        reference="transformers", because="mlx-lm has no biases here",
    ),
    Variant(
        "mlx",
        PLAIN | {"hidden_size": 64, "intermediate_size": 64, "num_hidden_layers": 2, "rope_scaling": LLAMA3},
        mlx_lm_converts={"bits": 4, "group_size": 32}, fill=fill, seed=3,
        reference="mlx-lm", because="transformers does not read what MLX's converter makes",
    ),
]
