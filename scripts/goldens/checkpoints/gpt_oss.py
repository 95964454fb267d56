"""Makes test/golden/families/gpt_oss.json and its models."""

import mlx.core as mx
import numpy as np
import torch

from checkpoints.random_hf import VOCAB, Tensors, Variant, main

BASE = dict(
    vocab_size=VOCAB, hidden_size=32, intermediate_size=32, num_attention_heads=4, num_key_value_heads=2, head_dim=16,
    max_position_embeddings=16384, rms_norm_eps=1e-5, bos_token_id=1, eos_token_id=2, rope_theta=150000.0,
    attention_bias=True, sliding_window=16, num_experts_per_tok=2, tie_word_embeddings=False, swiglu_limit=7.0,
)
YARN = {
    "rope_type": "yarn", "factor": 32.0, "beta_fast": 32.0, "beta_slow": 1.0, "truncate": False,
    "original_max_position_embeddings": 512,
}


def quantized(tensors: Tensors, packed: bool) -> Tensors:
    """The experts in mxfp4 as gpt-oss stores them, or dense with the dequantized values."""
    out = {}
    for name, t in tensors.items():
        if not name.endswith(("gate_up_proj", "down_proj")) or t.ndim != 3:
            out[name] = t
            continue
        dense = mx.array(t.float().numpy()).swapaxes(1, 2)  # [experts, out, in]
        words, scales = mx.quantize(dense, 32, 4, mode="mxfp4")
        if packed:
            experts, rows, groups = scales.shape
            blocks = np.array(words).view(np.uint8).reshape(experts, rows, groups, 16)
            out[f"{name}_blocks"] = torch.tensor(blocks)
            out[f"{name}_scales"] = torch.tensor(np.array(scales))
        else:
            values = mx.dequantize(words, scales, None, 32, 4, mode="mxfp4").astype(mx.float32).swapaxes(1, 2)
            out[name] = torch.tensor(np.array(values)).to(torch.bfloat16)
    return out


MXFP4 = dict(
    store=lambda t: quantized(t, packed=True),
    reference=lambda t: quantized(t, packed=False),
    extra={"quantization_config": {"quant_method": "mxfp4"}},
)

VARIANTS = [
    Variant("plain", BASE | dict(
        num_hidden_layers=3, num_local_experts=5, num_key_value_heads=1, intermediate_size=24,
        layer_types=["sliding_attention", "full_attention", "sliding_attention"], rope_scaling=YARN,
    ), because="mlx-lm reads no dense experts, and ignores yarn's truncate"),
    Variant("mxfp4", BASE | dict(
        num_hidden_layers=2, num_local_experts=4, layer_types=["sliding_attention", "full_attention"],
        rope_scaling=YARN, swiglu_limit=1.5,
    ), old_config=True, because="mlx-lm ignores yarn's truncate, and the limit of swiglu", **MXFP4),
    Variant("mlx", BASE | dict(
        num_hidden_layers=2, num_local_experts=4, layer_types=["sliding_attention", "full_attention"],
        rope_scaling=YARN | {"truncate": True},
    ), old_config=True, store=MXFP4["store"], extra=MXFP4["extra"], mlx={}),
]

if __name__ == "__main__":
    main("gpt_oss", VARIANTS)
