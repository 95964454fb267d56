"""How llama.cpp's converter names and lays out the tensors of each architecture, and what it says in the metadata."""

from collections.abc import Iterator

import gguf
import numpy as np

from gguf_folder import permute

Tensors = dict[str, np.ndarray]
# By the folder's name, or llama.cpp's own; with a type if the values are in blocks already.
Written = Iterator[tuple[str, np.ndarray | tuple[np.ndarray, gguf.GGMLQuantizationType]]]


class Layout:
    """As the folder has it."""

    permuted = False

    def metadata(self, writer: gguf.GGUFWriter, config: dict) -> None:
        writer.add_feed_forward_length(config["intermediate_size"])
        writer.add_head_count_kv(config["num_key_value_heads"])
        self.heads(writer, config)

    def heads(self, writer: gguf.GGUFWriter, config: dict) -> None:
        dims = config.get("head_dim") or config["hidden_size"] // config["num_attention_heads"]
        writer.add_key_length(dims)
        writer.add_value_length(dims)
        writer.add_rope_dimension_count(int(dims * config.get("partial_rotary_factor", 1)))

    def tensors(self, config: dict, tensors: Tensors) -> Written:
        for name, values in tensors.items():
            for module, heads in (("q_proj", "num_attention_heads"), ("k_proj", "num_key_value_heads")):
                if self.permuted and f".{module}." in name:
                    values = permute(values.reshape(len(values), -1), config[heads]).reshape(values.shape)
            yield name, values


class Permuted(Layout):
    permuted = True


class Phi3(Layout):
    def metadata(self, writer: gguf.GGUFWriter, config: dict) -> None:
        super().metadata(writer, config)
        original = config["original_max_position_embeddings"]
        writer.add_rope_scaling_orig_ctx_len(original)
        writer.add_sliding_window(config["sliding_window"] or 0)
        if config["rope_scaling"]:
            scale = config["max_position_embeddings"] / original
            writer.add_rope_scaling_attn_factors(float(np.sqrt(1 + np.log(scale) / np.log(original))))

    def tensors(self, config: dict, tensors: Tensors) -> Written:
        for kind in ("long", "short") if config["rope_scaling"] else ():
            yield f"rope_factors_{kind}.weight", np.array(config["rope_scaling"][f"{kind}_factor"])
        yield from super().tensors(config, tensors)


class Mistral3(Permuted):
    def metadata(self, writer: gguf.GGUFWriter, config: dict) -> None:
        super().metadata(writer, config)
        rope = config["rope_parameters"]
        writer.add_rope_scaling_yarn_log_mul(rope["mscale_all_dim"])
        writer.add_attn_temperature_scale(rope["llama_4_scaling_beta"])


LAYOUTS = {
    "phi3": Phi3(),
    "smollm3": Permuted(),
    "mistral3": Mistral3(),
}
