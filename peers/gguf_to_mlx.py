"""Rewrites a llama-architecture GGUF file as a folder that mlx-lm loads, with the same weights.

MLX reads Q4_0, Q4_1 and Q8_0 blocks as its own affine form, exactly; scales and biases become float32, in which the
CPU computes fastest. usage: python gguf_to_mlx.py FILE.gguf FOLDER
"""

import json
import sys
from pathlib import Path

import mlx.core as mx

sys.path.insert(0, str(Path(__file__).parents[2] / "lib"))
from llama_gguf import hf_name, unpermute  # noqa: E402

GROUP = 32


def main() -> None:
    source, folder = sys.argv[1], Path(sys.argv[2])
    arrays, metadata = mx.load(source, return_metadata=True)
    if metadata["general.architecture"] != "llama":
        sys.exit(f"{source} is of the architecture {metadata['general.architecture']}, not llama")

    def number(name: str):
        return metadata[f"llama.{name}"].item()

    heads = number("attention.head_count")
    kv_heads = number("attention.head_count_kv")
    weights = {}
    for name, array in arrays.items():
        if ".attn_q." in name:
            array = unpermute(array, heads)
        elif ".attn_k." in name:
            array = unpermute(array, kv_heads)
        weights[hf_name(name)] = array if array.dtype == mx.uint32 else array.astype(mx.float32)
    quantization = {"group_size": GROUP, "bits": 4}
    for name, array in weights.items():
        module = name.removesuffix(".scales")
        if module != name:
            bits = 32 * weights[f"{module}.weight"].shape[-1] // (array.shape[-1] * GROUP)
            quantization[module] = {"group_size": GROUP, "bits": bits}
    config = {
        "model_type": "llama",
        "hidden_size": number("embedding_length"),
        "num_hidden_layers": number("block_count"),
        "intermediate_size": number("feed_forward_length"),
        "num_attention_heads": heads,
        "num_key_value_heads": kv_heads,
        "rms_norm_eps": number("attention.layer_norm_rms_epsilon"),
        "rope_theta": number("rope.freq_base"),
        "max_position_embeddings": number("context_length"),
        "vocab_size": weights["model.embed_tokens.weight"].shape[0],
        "tie_word_embeddings": "lm_head.weight" not in weights,
    }
    if len(quantization) > 2:
        config["quantization"] = quantization
    folder.mkdir(parents=True, exist_ok=True)
    mx.save_safetensors(str(folder / "model.safetensors"), weights, {"format": "mlx"})
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n")


main()
