"""Makes test/golden/families/mellum.json and its models."""

from checkpoints.random_hf import VOCAB, Variant, main

ROPE = {
    "full_attention": {
        "rope_type": "yarn", "rope_theta": 50000.0, "factor": 4.0, "original_max_position_embeddings": 32,
    },
    "sliding_attention": {"rope_type": "default", "rope_theta": 10000.0},
}
BASE = dict(
    vocab_size=VOCAB, hidden_size=32, intermediate_size=48, num_attention_heads=4, num_key_value_heads=2,
    max_position_embeddings=512, rms_norm_eps=1e-6, bos_token_id=1, eos_token_id=2, sliding_window=8,
    rope_parameters=ROPE, moe_intermediate_size=24, tie_word_embeddings=False,
)

VARIANTS = [
    Variant("windows", BASE | dict(
        num_hidden_layers=3, head_dim=12, num_experts=6, num_experts_per_tok=2, norm_topk_prob=True,
        layer_types=["full_attention", "sliding_attention", "sliding_attention"],
    ), old_config=True),
    Variant("dense-first", BASE | dict(
        num_hidden_layers=2, head_dim=16, num_key_value_heads=1, num_experts=4, num_experts_per_tok=3,
        norm_topk_prob=False, layer_types=["sliding_attention", "full_attention"],
        mlp_layer_types=["dense", "sparse"], attention_bias=True,
    ), old_config=True, because="mlx-lm reads neither dense layers nor biases here"),
]

if __name__ == "__main__":
    main("mellum", VARIANTS)
