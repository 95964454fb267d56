"""One tiny random model of a family: its configuration, its weights and the references' results."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

# name of the tensor, its shape, the generator -> its values, or None for the default ones
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
    # config.json as in a checkpoint, including the architecture.
    config: dict
    # "both", "transformers" or "mlx-lm": whose numbers count. The other is not run.
    reference: str = "both"
    # Why not both: what the other does differently.
    because: str = ""
    # Overrides for mlx-lm (it does not know `rope_parameters`); None removes a key.
    mlx: dict = field(default_factory=dict)
    # A variant with the same shapes whose weights are used; only the configuration differs.
    weights_of: str | None = None
    # Converted by mlx-lm with this quantization; the result is the model.
    mlx_lm_converts: dict | None = None
    # The model is a GGUF file of this architecture; the references read its values from a folder.
    gguf: str | None = None
    # False: the reference rereads the whole text for each token (longrope changes all keys at once).
    cached: bool = True
    seed: int = 1
    fill: Fill | None = None


def usual(name: str, shape: tuple[int, ...], rng: np.random.Generator, ones: bool = True) -> np.ndarray:
    """Norms around 1, biases around 0, matrices large enough that attention is far from uniform, which exposes mistakes."""
    if "norm" in name:
        return rng.normal(1 if ones else 0, 0.2, shape)
    if len(shape) == 1:
        return rng.normal(0, 0.5, shape)
    if "embed_tokens" in name:
        return rng.normal(0, 0.5, shape)
    return rng.normal(0, 2 * shape[-1] ** -0.5, shape)


def weights(shapes: dict[str, tuple[int, ...]], variant: Variant) -> dict[str, np.ndarray]:
    """Float32 values that bfloat16 can hold: small files, and the references agree."""
    rng = np.random.default_rng(variant.seed)
    result = {}
    for name in sorted(shapes):
        values = variant.fill(name, shapes[name], rng) if variant.fill else None
        if values is None:
            values = usual(name, shapes[name], rng)
        bits = np.ascontiguousarray(values, dtype=np.float32).view(np.uint32)
        # `ascontiguousarray` gives a single number a dimension.
        result[name] = ((bits + 0x8000) & 0xFFFF0000).astype(np.uint32).view(np.float32).reshape(shapes[name])
    return result
