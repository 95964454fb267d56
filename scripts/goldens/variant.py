"""One tiny random model of a family: its configuration, its weights and what the references say of it."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

# name of the tensor, its shape, the generator -> its values, or None for the usual ones
Fill = Callable[[str, tuple[int, ...], np.random.Generator], np.ndarray | None]

BASE = {
    "hidden_size": 32,
    "num_hidden_layers": 3,
    "intermediate_size": 48,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "rms_norm_eps": 1e-5,
    "max_position_embeddings": 512,
    "vocab_size": 96,
    "hidden_act": "silu",
    "bos_token_id": 1,
    "eos_token_id": 2,
    "pad_token_id": 0,
}


@dataclass(frozen=True)
class Variant:
    name: str
    # config.json as a checkpoint would have it, the architecture included.
    config: dict
    # "both", "transformers" or "mlx-lm": whose numbers count. The other one is not run.
    reference: str = "both"
    # Why not both: what the other one does differently.
    because: str = ""
    # Keys that mlx-lm wants otherwise (it does not know `rope_parameters`); None removes one.
    mlx: dict = field(default_factory=dict)
    # Of the same shapes: its weights are used, and only the configuration differs.
    weights_of: str | None = None
    # mlx-lm's converter makes this quantization of it, and what it makes is the model.
    mlx_lm_converts: dict | None = None
    # The model is a GGUF file of this architecture; the references read its values from a folder.
    gguf: str | None = None
    # False: the reference reads the whole text anew for each token (longrope, which changes all keys at once).
    cached: bool = True
    seed: int = 1
    fill: Fill | None = None


def usual(name: str, shape: tuple[int, ...], rng: np.random.Generator, ones: bool = True) -> np.ndarray:
    """Norms around 1, biases around 0, matrices wide enough that attention is far from uniform: it shows mistakes."""
    if "norm" in name:
        return rng.normal(1 if ones else 0, 0.2, shape)
    if len(shape) == 1:
        return rng.normal(0, 0.5, shape)
    if "embed_tokens" in name:
        return rng.normal(0, 0.5, shape)
    return rng.normal(0, 2 * shape[-1] ** -0.5, shape)


def weights(shapes: dict[str, tuple[int, ...]], variant: Variant) -> dict[str, np.ndarray]:
    """Float32 values that bfloat16 can hold, so that the files are small and the references compute alike."""
    rng = np.random.default_rng(variant.seed)
    result = {}
    for name in sorted(shapes):
        values = variant.fill(name, shapes[name], rng) if variant.fill else None
        if values is None:
            values = usual(name, shapes[name], rng)
        bits = np.ascontiguousarray(values, dtype=np.float32).view(np.uint32)
        result[name] = ((bits + 0x8000) & 0xFFFF0000).astype(np.uint32).view(np.float32)
    return result
