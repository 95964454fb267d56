"""Makes test/golden/families/laguna.json and its models."""

from checkpoints.random_hf import VOCAB, Tensors, Variant, main

BASE = dict(
    vocab_size=VOCAB, hidden_size=32, intermediate_size=48, num_hidden_layers=3, num_attention_heads=4,
    num_key_value_heads=2, head_dim=16, max_position_embeddings=512, rms_norm_eps=1e-6, bos_token_id=1, eos_token_id=2,
    sliding_window=8, num_experts=5, num_experts_per_tok=2, moe_intermediate_size=16,
    shared_expert_intermediate_size=24, moe_routed_scaling_factor=2.5, tie_word_embeddings=False,
    layer_types=["full_attention", "sliding_attention", "full_attention"], num_attention_heads_per_layer=[4, 6, 2],
    rope_parameters={
        "full_attention": {"rope_type": "yarn", "rope_theta": 500000.0, "partial_rotary_factor": 0.5, "factor": 4.0,
                           "original_max_position_embeddings": 128},
        "sliding_attention": {"rope_type": "default", "rope_theta": 10000.0, "partial_rotary_factor": 1.0},
    },
)
WHY = "mlx-lm 0.32.2 does not have the family"


def published(tensors: Tensors) -> Tensors:
    """The bias of the router is beside the experts."""
    return {k.replace("mlp.gate.e_score", "mlp.experts.e_score"): t for k, t in tensors.items()}


VARIANTS = [
    Variant("by-head", BASE, because=WHY, store=published),
    Variant("by-channel", BASE | dict(
        gating="per-element", mlp_layer_types=["sparse", "dense", "sparse"], moe_router_logit_softcapping=2.0,
        num_attention_heads_per_layer=None, num_key_value_heads=1, tie_word_embeddings=True,
    ), because=WHY),
]

if __name__ == "__main__":
    main("laguna", VARIANTS)
