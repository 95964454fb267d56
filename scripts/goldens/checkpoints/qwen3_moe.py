"""Makes test/golden/families/qwen3_moe.json and its models."""

import torch

from checkpoints.random_hf import VOCAB, Tensors, Variant, main

BASE = dict(
    vocab_size=VOCAB, hidden_size=32, intermediate_size=48, num_attention_heads=4, num_key_value_heads=2,
    max_position_embeddings=512, rms_norm_eps=1e-6, bos_token_id=1, eos_token_id=2, rope_theta=1e6,
)


def fused(tensors: Tensors) -> Tensors:
    """transformers 5 holds a layer's experts in two tensors, and may save them that way."""
    out, experts = {}, {}
    for name, t in tensors.items():
        block, _, rest = name.partition(".mlp.experts.")
        if not rest:
            out[name] = t
            continue
        expert, part, _ = rest.split(".")
        experts.setdefault(block, {})[int(expert), part] = t
    for block, parts in experts.items():
        count = 1 + max(e for e, _ in parts)
        gate_up = [torch.cat([parts[e, "gate_proj"], parts[e, "up_proj"]]) for e in range(count)]
        out[f"{block}.mlp.experts.gate_up_proj"] = torch.stack(gate_up)
        out[f"{block}.mlp.experts.down_proj"] = torch.stack([parts[e, "down_proj"] for e in range(count)])
    return out


VARIANTS = [
    Variant("plain", BASE | dict(
        num_hidden_layers=3, head_dim=12, num_experts=6, num_experts_per_tok=2, moe_intermediate_size=24,
        decoder_sparse_step=1, mlp_only_layers=[0], norm_topk_prob=True, tie_word_embeddings=False,
    ), old_config=True),
    Variant("fused", BASE | dict(
        num_hidden_layers=2, head_dim=16, num_key_value_heads=1, num_experts=8, num_experts_per_tok=3,
        moe_intermediate_size=16, decoder_sparse_step=2, norm_topk_prob=False, tie_word_embeddings=True,
        attention_bias=True, use_sliding_window=True, sliding_window=40,
        rope_scaling={"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 64},
    ), store=fused, because="mlx-lm reads neither fused experts nor yarn, biases or windows here"),
    Variant("mlx", BASE | dict(
        hidden_size=64, num_hidden_layers=2, head_dim=8, intermediate_size=64, num_experts=5, num_experts_per_tok=2,
        moe_intermediate_size=32, decoder_sparse_step=1, mlp_only_layers=[1], norm_topk_prob=True,
        tie_word_embeddings=True,
    ), old_config=True, mlx={"bits": 4, "group_size": 32}),
]

if __name__ == "__main__":
    main("qwen3_moe", VARIANTS)
