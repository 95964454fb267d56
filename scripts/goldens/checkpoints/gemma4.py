"""Makes test/golden/families/gemma4_text.json and gemma4_unified_text.json, and their models."""

import torch

from checkpoints.random_hf import VOCAB, Tensors, Variant, main

BASE = dict(
    # The square roots of these sizes need no rounding.
    vocab_size=VOCAB, hidden_size=64, intermediate_size=48, num_attention_heads=4, num_key_value_heads=2, head_dim=16,
    global_head_dim=32, max_position_embeddings=512, rms_norm_eps=1e-6, bos_token_id=2, eos_token_id=1,
    sliding_window=8, hidden_activation="gelu_pytorch_tanh", vocab_size_per_layer_input=VOCAB,
    tie_word_embeddings=True, rope_parameters={
        "full_attention": {"rope_type": "proportional", "rope_theta": 1000000.0, "partial_rotary_factor": 0.25},
        "sliding_attention": {"rope_type": "default", "rope_theta": 10000.0},
    },
)
# As in E2B and E4B: embeddings for each layer, and the last layers without keys and values of their own.
SHARING = BASE | dict(
    num_hidden_layers=6, num_key_value_heads=1, hidden_size_per_layer_input=16, num_kv_shared_layers=3,
    use_double_wide_mlp=True, final_logit_softcapping=12.0,
    layer_types=["sliding_attention", "full_attention", "sliding_attention"] * 2,
)
SHARING["layer_types"][-1] = "full_attention"
# As in 31B: values of full layers are their keys.
VALUES = BASE | dict(
    num_hidden_layers=4, hidden_size_per_layer_input=0, attention_k_eq_v=True, num_global_key_value_heads=1,
    num_kv_shared_layers=0, use_double_wide_mlp=False,
    layer_types=["sliding_attention", "full_attention"] * 2,
)
# As in 26B-A4B.
EXPERTS = VALUES | dict(enable_moe_block=True, num_experts=5, top_k_experts=2, moe_intermediate_size=24)
WIDE = SHARING | dict(
    intermediate_size=64, hidden_size_per_layer_input=64, num_hidden_layers=4, num_kv_shared_layers=2,
    layer_types=["sliding_attention", "full_attention"] * 2, head_dim=32,
)
WIDE_EXPERTS = EXPERTS | dict(intermediate_size=64, moe_intermediate_size=32, head_dim=32, final_logit_softcapping=12.0)


def published(tensors: Tensors) -> Tensors:
    """Named as in checkpoints that also see and hear, whose sharing layers still have keys and values."""
    text = {"model.language_model." + k.removeprefix("model."): t for k, t in tensors.items()}
    towers = ("vision_tower.patch_embedder.input_proj", "audio_tower.output_proj", "embed_vision.embedding_projection",
              "embed_audio.embedding_projection")
    unused = [f"language_model.layers.5.self_attn.{name}" for name in ("k_proj", "v_proj", "k_norm")]
    return text | {f"model.{name}.weight": torch.ones(4, dtype=torch.bfloat16) for name in (*towers, *unused)}


WRAPPER = {"model_type": "gemma4", "text_config": SHARING | {"model_type": "gemma4_text"}}
WHY = "mlx-lm rounds the factors of the embeddings to bfloat16 and does not rotate full layers as transformers does"

VARIANTS = [
    Variant("sharing", SHARING, old_config=True, because=WHY),
    Variant("published", SHARING, old_config=True, store=published, extra=WRAPPER, because=WHY, seed=8),
    Variant("keys-as-values", VALUES, because=WHY),
    Variant("experts", EXPERTS, old_config=True, because=WHY),
    Variant("mlx", WIDE, old_config=True, mlx={"bits": 4, "group_size": 32}),
    Variant("experts-mlx", WIDE_EXPERTS, old_config=True, mlx={"bits": 8, "group_size": 32}),
]

# As 12B, which has neither embeddings for each layer nor experts.
UNIFIED = {k: v for k, v in VALUES.items() if k not in ("hidden_size_per_layer_input", "vocab_size_per_layer_input")}
UNIFIED_VARIANTS = [
    Variant("keys-as-values", UNIFIED, old_config=True, because=WHY, seed=9),
    Variant("sharing", UNIFIED | dict(
        num_kv_shared_layers=2, attention_k_eq_v=False, num_key_value_heads=4, use_double_wide_mlp=True,
        tie_word_embeddings=False,
    ), because=WHY),
]

if __name__ == "__main__":
    main("gemma4_text", VARIANTS)
    main("gemma4_unified_text", UNIFIED_VARIANTS)
