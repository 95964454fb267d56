"""How llama.cpp names and orders the tensors of the llama architecture."""

TOP_NAMES = {"token_embd": "model.embed_tokens", "output_norm": "model.norm", "output": "lm_head"}
LAYER_NAMES = {
    "attn_norm": "input_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}


def hf_name(name: str) -> str:
    """`blk.3.attn_q.weight` -> `model.layers.3.self_attn.q_proj.weight`."""
    stem, part = name.rsplit(".", 1)
    if not stem.startswith("blk."):
        return f"{TOP_NAMES[stem]}.{part}"
    _, layer, module = stem.split(".")
    return f"model.layers.{layer}.{LAYER_NAMES[module]}.{part}"


def unpermute(rows, heads: int):
    """Rows of q or k, as numpy or MLX arrays: llama.cpp interleaves the two rotary halves of each head, Hugging Face keeps them apart."""
    half = rows.shape[0] // heads // 2
    return rows.reshape(heads, half, 2, -1).swapaxes(1, 2).reshape(rows.shape)
