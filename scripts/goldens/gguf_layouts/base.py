"""What most architectures of llama.cpp's converter share: names, the order of rows, metadata."""

import re
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

    def numbers(self, writer: gguf.GGUFWriter, config: dict, tensors: Tensors) -> None:
        """Adds the metadata that are tensors in the folder."""

    def tensors(self, config: dict, tensors: Tensors) -> Written:
        for name, values in tensors.items():
            for module, heads in (("q_proj", "num_attention_heads"), ("k_proj", "num_key_value_heads")):
                if self.permuted and f".{module}." in name:
                    values = permute(values.reshape(len(values), -1), config[heads]).reshape(values.shape)
            yield name, values


class Permuted(Layout):
    permuted = True


# One tensor for a matrix of all experts.
STACKS = {"gate_proj": "ffn_gate_exps", "up_proj": "ffn_up_exps", "down_proj": "ffn_down_exps"}
LETTERS = {"w1": "gate_proj", "w3": "up_proj", "w2": "down_proj"}


class Experts(Layout):
    def metadata(self, writer: gguf.GGUFWriter, config: dict) -> None:
        super().metadata(writer, config)
        count = next(config[k] for k in ("num_experts", "num_local_experts", "n_routed_experts") if k in config)
        writer.add_expert_count(count)
        writer.add_expert_used_count(config["num_experts_per_tok"])
        if "moe_intermediate_size" in config:
            writer.add_expert_feed_forward_length(config["moe_intermediate_size"])

    def tensors(self, config: dict, tensors: Tensors) -> Written:
        stacks: dict[str, list[np.ndarray]] = {}
        for name, values in super().tensors(config, tensors):
            single = re.fullmatch(r"model\.layers\.(\d+)\..*\.experts\.\d+\.(\w+)\.weight", name)
            if single:
                layer, module = single.groups()
                stack = f"blk.{layer}.{STACKS[LETTERS.get(module, module)]}.weight"
                stacks.setdefault(stack, []).append(values)
            else:
                yield name, values
        # Files list them by expert, in order.
        for name, matrices in stacks.items():
            yield name, np.stack(matrices)
