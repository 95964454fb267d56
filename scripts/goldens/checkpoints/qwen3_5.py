"""Makes test/golden/families/qwen3_5_text.json and qwen3_5_moe_text.json, and their models."""

from checkpoints.random_hf import VOCAB, Tensors, Variant, main

BASE = dict(
    vocab_size=VOCAB, hidden_size=32, intermediate_size=48, num_attention_heads=4, num_key_value_heads=2, head_dim=16,
    max_position_embeddings=512, rms_norm_eps=1e-6, bos_token_id=1, eos_token_id=2, linear_num_key_heads=2,
    linear_num_value_heads=4, linear_key_head_dim=8, linear_value_head_dim=12, linear_conv_kernel_dim=4,
    rope_parameters={"rope_type": "default", "rope_theta": 10000.0, "partial_rotary_factor": 0.25},
    tie_word_embeddings=False,
)
MOE = dict(num_experts=5, num_experts_per_tok=2, moe_intermediate_size=24, shared_expert_intermediate_size=16)
WIDE = BASE | dict(
    hidden_size=64, intermediate_size=64, num_hidden_layers=2, full_attention_interval=2, linear_key_head_dim=16,
    linear_value_head_dim=16, layer_types=["linear_attention", "full_attention"],
)
WHY = "mlx-lm reads the family only as the text part of a checkpoint with images"


def wrapped(tensors: Tensors) -> Tensors:
    """As in published checkpoints, which also read images."""
    return {("" if k == "lm_head.weight" else "model.language_model.") + k.removeprefix("model."): t
            for k, t in tensors.items()}


def wrapper(family: str, config: dict) -> dict:
    return {"model_type": family.removesuffix("_text"), "text_config": config | {"model_type": family}}


DENSE = "qwen3_5_text"
VARIANTS = [
    Variant("every-fourth", BASE | dict(num_hidden_layers=4), old_config=True, because=WHY),
    Variant("tied", BASE | dict(
        num_hidden_layers=2, layer_types=["full_attention", "linear_attention"], num_key_value_heads=1,
        linear_num_key_heads=4, linear_value_head_dim=8, tie_word_embeddings=True,
    ), old_config=True, because=WHY),
    Variant("mlx", WIDE, old_config=True, store=wrapped, extra=wrapper(DENSE, WIDE), mlx={"bits": 4, "group_size": 32}),
]
SPARSE = "qwen3_5_moe_text"
WIDE_MOE = WIDE | MOE | dict(moe_intermediate_size=32, shared_expert_intermediate_size=32)
MOE_VARIANTS = [
    Variant("plain", BASE | MOE | dict(num_hidden_layers=4), old_config=True, because=WHY),
    Variant("one-head", BASE | MOE | dict(
        num_hidden_layers=2, layer_types=["full_attention", "linear_attention"], num_key_value_heads=1, num_experts=4,
        num_experts_per_tok=3,
    ), old_config=True, because=WHY),
]

if __name__ == "__main__":
    main(DENSE, VARIANTS)
    main(SPARSE, MOE_VARIANTS)
