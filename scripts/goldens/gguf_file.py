"""Writes a dense model as a GGUF file, as llama.cpp's converter does: names, order of rows, norms and metadata."""

from itertools import cycle
from pathlib import Path

import gguf
import numpy as np
from gguf.quants import dequantize, quantize

from gguf_folder import permute

KINDS = gguf.GGMLQuantizationType
# Matrices use these types in turn; everything else is float32.
MATRICES = (KINDS.Q8_0, KINDS.Q4_1, KINDS.BF16, KINDS.Q4_0, KINDS.F16)


def write_gguf(path: Path, architecture: str, config: dict, weights: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """`weights` by Hugging Face's names. Returns the values that the file holds, by the same names."""
    path.parent.mkdir(parents=True, exist_ok=True)
    layers = config["num_hidden_layers"]
    arch = next(a for a, name in gguf.MODEL_ARCH_NAMES.items() if name == architecture)
    names = gguf.get_tensor_name_map(arch, layers)
    writer = gguf.GGUFWriter(path, architecture)
    metadata(writer, architecture, config)
    kinds, values = cycle(MATRICES), {}
    for key, w in weights.items():
        kind = next(kinds) if w.ndim == 2 else KINDS.F32
        stored = w
        for module, heads in (("q_proj", "num_attention_heads"), ("k_proj", "num_key_value_heads")):
            if architecture in ("llama", "granite") and f".{module}." in key:
                stored = permute(w.reshape(len(w), -1), config[heads]).reshape(w.shape)
        if architecture in ("gemma2", "gemma3") and "norm" in key:
            stored = w + 1
        data = quantize(np.ascontiguousarray(stored, dtype=np.float32), kind)
        stem, kind_of_tensor = key.rsplit(".", 1)
        writer.add_tensor(f"{names.get_name(stem)}.{kind_of_tensor}", data, raw_dtype=kind)
        # Blocks run along rows, so permuting rows does not change the values in a block.
        values[key] = w if w.ndim == 1 else dequantize(quantize(w, kind), kind).astype(np.float32)
    finish(writer)
    return values


def finish(writer: gguf.GGUFWriter) -> None:
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def sizes(writer: gguf.GGUFWriter, config: dict) -> None:
    """Metadata common to all architectures."""
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_head_count(config["num_attention_heads"])
    writer.add_head_count_kv(config["num_key_value_heads"])
    if "layer_norm_eps" in config:
        writer.add_layer_norm_eps(config["layer_norm_eps"])
    else:
        writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
    writer.add_rope_freq_base(config["rope_theta"])
    writer.add_vocab_size(config["vocab_size"])
    writer.add_eos_token_id(config["eos_token_id"])


def metadata(writer: gguf.GGUFWriter, architecture: str, config: dict) -> None:
    sizes(writer, config)
    head_dim = config.get("head_dim") or config["hidden_size"] // config["num_attention_heads"]
    writer.add_key_length(head_dim)
    writer.add_value_length(head_dim)
    scaling = config.get("rope_scaling")
    if scaling:
        kind = scaling.get("rope_type") or scaling["type"]
        writer.add_rope_scaling_type(gguf.RopeScalingType(kind))
        writer.add_rope_scaling_factor(scaling["factor"])
        if kind == "yarn":
            writer.add_rope_scaling_orig_ctx_len(scaling["original_max_position_embeddings"])
    if architecture == "granite":
        writer.add_attention_scale(config["attention_multiplier"])
        writer.add_embedding_scale(config["embedding_multiplier"])
        writer.add_residual_scale(config["residual_multiplier"])
        writer.add_logit_scale(config["logits_scaling"])
    if "partial_rotary_factor" in config:
        writer.add_rope_dimension_count(int(head_dim * config["partial_rotary_factor"]))
    if "logit_scale" in config:
        writer.add_logit_scale(config["logit_scale"])
    if architecture == "gemma2":
        writer.add_attn_logit_softcapping(config["attn_logit_softcapping"])
        writer.add_final_logit_softcapping(config["final_logit_softcapping"])
    if config.get("sliding_window"):
        writer.add_sliding_window(config["sliding_window"])
