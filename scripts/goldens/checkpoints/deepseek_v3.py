"""Makes test/golden/families/deepseek_v3.json and its models."""

import mlx.core as mx
import numpy as np
import torch

from checkpoints.random_hf import VOCAB, Tensors, Variant, main

BASE = dict(
    vocab_size=VOCAB, hidden_size=32, intermediate_size=48, num_hidden_layers=3, num_attention_heads=4,
    num_key_value_heads=4, max_position_embeddings=512, rms_norm_eps=1e-6, bos_token_id=1, eos_token_id=2,
    q_lora_rank=24, kv_lora_rank=16, qk_nope_head_dim=12, qk_rope_head_dim=8, v_head_dim=10, moe_intermediate_size=24,
    n_routed_experts=8, num_experts_per_tok=3, n_shared_experts=1, n_group=4, topk_group=2, first_k_dense_replace=1,
    routed_scaling_factor=2.5, norm_topk_prob=True, attention_bias=False, tie_word_embeddings=False,
    rope_theta=10000.0, rope_scaling=None, topk_method="noaux_tc", scoring_func="sigmoid", moe_layer_freq=1,
    num_nextn_predict_layers=1,
)
YARN = {"type": "yarn", "factor": 4.0, "original_max_position_embeddings": 64, "beta_fast": 32, "beta_slow": 1,
        "mscale": 1.0, "mscale_all_dim": 1.0}
GROUPS = {"bits": 4, "group_size": 32}
WIDE = dict(hidden_size=64, intermediate_size=64, moe_intermediate_size=32, q_lora_rank=32, kv_lora_rank=32,
           qk_nope_head_dim=32, v_head_dim=32)


def predicting(tensors: Tensors) -> Tensors:
    """With a layer behind the last, which predicts several tokens at once."""
    extra = {k.replace("layers.2.", "layers.3."): t.clone() for k, t in tensors.items() if "layers.2." in k}
    return tensors | extra | {"model.layers.3.eh_proj.weight": tensors["model.norm.weight"].clone()}


def quantized(weight: torch.Tensor) -> list[torch.Tensor]:
    """Codes, scales and biases, the latter two in bfloat16."""
    codes, *rest = mx.quantize(mx.array(weight.float().numpy()), **GROUPS)
    return [torch.from_numpy(np.array(codes)), *(torch.from_numpy(np.array(x)).bfloat16() for x in rest)]


def with_quantized_kv_b(tensors: Tensors) -> Tensors:
    """As mlx-lm converted before it split kv_b_proj."""
    result = {}
    for name, tensor in tensors.items():
        if "kv_b_proj" not in name:
            result[name] = tensor
            continue
        for part, values in zip(("weight", "scales", "biases"), quantized(tensor)):
            result[name.replace("weight", part)] = values
    return result


def with_rounded_kv_b(tensors: Tensors) -> Tensors:
    """What that stands for."""
    def rounded(tensor: torch.Tensor) -> torch.Tensor:
        codes, *rest = quantized(tensor)
        return torch.from_numpy(np.array(mx.dequantize(
            mx.array(codes.numpy()), *(mx.array(x.float().numpy()) for x in rest), **GROUPS)))
    return {k: rounded(t) if "kv_b_proj" in k else t for k, t in tensors.items()}


VARIANTS = [
    # As the small ones: one matrix for queries, no groups.
    Variant("plain", BASE | dict(
        num_hidden_layers=2, q_lora_rank=None, n_group=1, topk_group=1, n_routed_experts=4, n_shared_experts=2,
        num_experts_per_tok=2, norm_topk_prob=False, first_k_dense_replace=0, qk_rope_head_dim=16,
        attention_bias=True, num_nextn_predict_layers=0,
    ), old_config=True),
    # As published: yarn, whose mscale makes scores larger, and experts by groups.
    Variant("yarn", BASE | dict(rope_scaling=YARN), old_config=True, store=predicting,
            because="mlx-lm gives experts of dropped groups the score 0, which beats a negative one"),
    Variant("halves", BASE | dict(num_hidden_layers=2, rope_interleave=False, num_attention_heads=3,
                                  num_key_value_heads=3, hidden_size=48),
            because="mlx-lm ignores rope_interleave"),
    # kv_b_proj as mlx-lm's converter splits it, and as it was before that.
    Variant("mlx", BASE | WIDE | dict(n_group=1, topk_group=1), old_config=True, mlx=GROUPS),
    Variant("quantized-kv-b", BASE | WIDE | dict(num_hidden_layers=2), old_config=True, store=with_quantized_kv_b,
            reference=with_rounded_kv_b, extra={"quantization": GROUPS},
            because="mlx-lm quantizes kv_b_proj again, in groups along the other axis"),
]

if __name__ == "__main__":
    main("deepseek_v3", VARIANTS)
