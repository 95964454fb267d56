"""Makes test/golden/families/mistral4.json and its models."""

from transformers import AutoModelForCausalLM, Mistral4Config, Mistral4ForCausalLM

from checkpoints.deepseek_v3 import GROUPS
from checkpoints.random_hf import VOCAB, Variant, main

# transformers knows it below an image model only.
AutoModelForCausalLM.register(Mistral4Config, Mistral4ForCausalLM, exist_ok=True)

# Of a whole head.
SHARE = "partial_rotary_factor"
ROPE = {"type": "yarn", "rope_type": "yarn", "rope_theta": 10000.0, "factor": 8.0, "beta_fast": 32.0, "beta_slow": 1.0,
        "original_max_position_embeddings": 16, "mscale": 1.0, "mscale_all_dim": 1.0, "llama_4_scaling_beta": 0.1, SHARE: 0.5}
BASE = dict(
    vocab_size=VOCAB, hidden_size=32, intermediate_size=48, num_hidden_layers=2, num_attention_heads=4,
    num_key_value_heads=4, max_position_embeddings=512, rms_norm_eps=1e-6, bos_token_id=1, eos_token_id=2,
    q_lora_rank=24, kv_lora_rank=16, qk_nope_head_dim=8, qk_rope_head_dim=8, v_head_dim=10, moe_intermediate_size=24,
    n_routed_experts=6, num_experts_per_tok=2, n_shared_experts=1, n_group=1, topk_group=1, first_k_dense_replace=0,
    routed_scaling_factor=1.0, norm_topk_prob=True, attention_bias=False, tie_word_embeddings=False,
    rope_parameters=ROPE,
)
VARIANTS = [
    Variant("plain", BASE),
    Variant("groups", BASE | dict(
        n_group=2, topk_group=1, n_routed_experts=8, norm_topk_prob=False, routed_scaling_factor=1.5, q_lora_rank=None,
        num_hidden_layers=3, first_k_dense_replace=1, n_shared_experts=2, qk_nope_head_dim=12,
        rope_parameters=ROPE | {SHARE: 0.4},
    )),
    Variant("mlx", BASE | dict(hidden_size=64, intermediate_size=64, moe_intermediate_size=32, q_lora_rank=32,
                               kv_lora_rank=32, qk_nope_head_dim=32, qk_rope_head_dim=32, v_head_dim=32), mlx=GROUPS),
]

if __name__ == "__main__":
    main("mistral4", VARIANTS)
