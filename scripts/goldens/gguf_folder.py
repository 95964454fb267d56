"""Dequantizes a llama-architecture GGUF file to a float32 folder in the Hugging Face layout."""

import json
import sys
from pathlib import Path

import gguf
import numpy as np
from gguf.quants import dequantize
from safetensors.numpy import save_file
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

sys.path.insert(0, str(Path(__file__).parents[1] / "lib"))
from llama_gguf import hf_name, unpermute  # noqa: E402


def _field(reader: gguf.GGUFReader, name: str):
    return reader.fields[name].contents()


def permute(w: np.ndarray, heads: int) -> np.ndarray:
    """The inverse: from Hugging Face's row order to llama.cpp's."""
    half = w.shape[0] // heads // 2
    return w.reshape(heads, 2, half, -1).swapaxes(1, 2).reshape(w.shape)


def make_folder(path: Path, folder: Path, extra: dict | None = None) -> None:
    """Writes config.json (with `extra` entries) and model.safetensors (float32) to `folder`."""
    reader = gguf.GGUFReader(path)
    heads = _field(reader, "llama.attention.head_count")
    kv_heads = _field(reader, "llama.attention.head_count_kv")
    weights = {}
    for tensor in reader.tensors:
        if tensor.name == "rope_freqs.weight":
            continue  # told by `extra`
        w = dequantize(tensor.data, tensor.tensor_type).astype(np.float32)
        if tensor.name.endswith("attn_q.weight"):
            w = unpermute(w, heads)
        elif tensor.name.endswith("attn_k.weight"):
            w = unpermute(w, kv_heads)
        weights[hf_name(tensor.name)] = np.ascontiguousarray(w)
    config = {
        "model_type": "llama",
        "architectures": ["LlamaForCausalLM"],
        "hidden_size": _field(reader, "llama.embedding_length"),
        "num_hidden_layers": _field(reader, "llama.block_count"),
        "intermediate_size": _field(reader, "llama.feed_forward_length"),
        "num_attention_heads": heads,
        "num_key_value_heads": kv_heads,
        "rms_norm_eps": _field(reader, "llama.attention.layer_norm_rms_epsilon"),
        "rope_theta": _field(reader, "llama.rope.freq_base"),
        "max_position_embeddings": _field(reader, "llama.context_length"),
        "vocab_size": _field(reader, "llama.vocab_size"),
        "tie_word_embeddings": "lm_head.weight" not in weights,
        "hidden_act": "silu",
        "eos_token_id": _field(reader, "tokenizer.ggml.eos_token_id"),
    }
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config | (extra or {}), indent=2))
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})


def make_tokenizer(path: Path) -> Tokenizer:
    """The byte-level BPE of the file, with the SmolLM pre-tokenizer (single digits, then GPT-2's pattern)."""
    reader = gguf.GGUFReader(path)
    tokens = _field(reader, "tokenizer.ggml.tokens")
    merges = [tuple(m.split(" ")) for m in _field(reader, "tokenizer.ggml.merges")]
    types = _field(reader, "tokenizer.ggml.token_type")
    tokenizer = Tokenizer(models.BPE(vocab={t: i for i, t in enumerate(tokens)}, merges=merges))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Digits(individual_digits=True),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True),
    ])
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([
        AddedToken(t, special=True, normalized=False) for t, kind in zip(tokens, types) if kind == 3
    ])
    return tokenizer
