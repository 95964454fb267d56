"""Makes test/golden/families/gemma3n_text.json and its models."""

from checkpoints.random_hf import VOCAB, Variant, main

BASE = dict(
    vocab_size=VOCAB, hidden_size=64, num_hidden_layers=4, num_attention_heads=4, num_key_value_heads=2, head_dim=16,
    max_position_embeddings=512, rms_norm_eps=1e-6, bos_token_id=2, eos_token_id=1, sliding_window=8,
    hidden_activation="gelu_pytorch_tanh", vocab_size_per_layer_input=VOCAB, hidden_size_per_layer_input=16,
    altup_num_inputs=3, altup_active_idx=0, altup_coef_clip=120.0, altup_correct_scale=True, laurel_rank=8,
    intermediate_size=[48, 48, 32, 48], activation_sparsity_pattern=[0.9, 0.5, 0.0, 0.0], num_kv_shared_layers=2,
    layer_types=["sliding_attention", "full_attention"] * 2, final_logit_softcapping=12.0, tie_word_embeddings=True,
    rope_theta=1000000.0, rope_local_base_freq=10000.0,
)
WHY = "mlx-lm computes in other types than transformers"
VARIANTS = [
    Variant("sharing", BASE, old_config=True, because=WHY, seed=3),
    Variant("apart", BASE | dict(
        num_kv_shared_layers=0, num_key_value_heads=1, altup_num_inputs=4, altup_active_idx=1,
        altup_correct_scale=False, intermediate_size=[40] * 4, activation_sparsity_pattern=[0.0] * 4,
    ), old_config=True, because=WHY),
]

if __name__ == "__main__":
    main("gemma3n_text", VARIANTS)
