"""Attention and a dense network in each layer."""

import gguf
import numpy as np

from gguf_layouts.base import Layout, Permuted, Tensors, Written


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


class Apertus(Layout):
    """The numbers of its activation are metadata."""

    def numbers(self, writer: gguf.GGUFWriter, config: dict, tensors: Tensors) -> None:
        paths = [f"model.layers.{i}.mlp.act_fn" for i in range(config["num_hidden_layers"])]
        for name in ("alpha_p", "alpha_n", "beta", "eps"):
            getattr(writer, f"add_xielu_{name}")([tensors[f"{path}.{name}"].item() for path in paths])

    def tensors(self, config: dict, tensors: Tensors) -> Written:
        yield "rope_freqs.weight", llama3_factors(config)
        for name, values in super().tensors(config, tensors):
            if ".act_fn." not in name:
                yield name, values


def llama3_factors(config: dict) -> np.ndarray:
    """How many times slower each pair of channels turns."""
    scaling, dims = config["rope_scaling"], config["hidden_size"] // config["num_attention_heads"]
    low, high = scaling["low_freq_factor"], scaling["high_freq_factor"]
    turns = scaling["original_max_position_embeddings"] / (2 * np.pi * config["rope_theta"] ** (np.arange(0, dims, 2) / dims))
    smooth = np.clip((turns - low) / (high - low), 0, 1)
    return 1 / ((1 - smooth) / scaling["factor"] + smooth)
