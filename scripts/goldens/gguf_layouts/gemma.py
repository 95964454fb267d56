"""Gemma 4: windows in most layers, heads of two sizes."""

import gguf
import numpy as np

from gguf_layouts.base import Layout, Tensors, Written


class Gemma4(Layout):
    def metadata(self, writer: gguf.GGUFWriter, config: dict) -> None:
        windows = [kind == "sliding_attention" for kind in config["layer_types"]]
        own = len(windows) - config["num_kv_shared_layers"]
        wide = 2 if config["use_double_wide_mlp"] else 1
        widths = [config["intermediate_size"] * (wide if i >= own else 1) for i in range(len(windows))]
        small = config["num_key_value_heads"]
        full = config.get("num_global_key_value_heads") or small
        writer.add_feed_forward_length(widths)
        writer.add_head_count_kv([small if window else full for window in windows])
        writer.add_sliding_window_pattern(windows)
        writer.add_sliding_window(config["sliding_window"])
        writer.add_shared_kv_layers(config["num_kv_shared_layers"])
        writer.add_embedding_length_per_layer_input(config["hidden_size_per_layer_input"])
        if config.get("final_logit_softcapping"):
            writer.add_final_logit_softcapping(config["final_logit_softcapping"])
        self.heads(writer, config)
        for name in ("full", "sliding"):
            theta = config["rope_parameters"][f"{name}_attention"]["rope_theta"]
            (writer.add_rope_freq_base if name == "full" else writer.add_rope_freq_base_swa)(theta)
        if config.get("enable_moe_block"):
            writer.add_expert_count(config["num_experts"])
            writer.add_expert_used_count(config["top_k_experts"])
            writer.add_expert_feed_forward_length(config["moe_intermediate_size"])

    def heads(self, writer: gguf.GGUFWriter, config: dict) -> None:
        for dims, ending in ((config["global_head_dim"], ""), (config["head_dim"], "_swa")):
            getattr(writer, f"add_key_length{ending}")(dims)
            getattr(writer, f"add_value_length{ending}")(dims)
            getattr(writer, f"add_rope_dimension_count{ending}")(dims)

    def tensors(self, config: dict, tensors: Tensors) -> Written:
        pairs = config["global_head_dim"] // 2
        turning = int(pairs * config["rope_parameters"]["full_attention"]["partial_rotary_factor"])
        yield "rope_freqs.weight", np.array([1.0] * turning + [1e30] * (pairs - turning))
        for name, values in super().tensors(config, tensors):
            layer, _, part = name.removeprefix("model.layers.").partition(".")
            if part == "router.scale":
                name = f"blk.{layer}.ffn_gate_inp.scale"
            elif part == "router.per_expert_scale":
                name = f"blk.{layer}.ffn_down_exps.scale"
            elif part == "layer_scalar" or part.startswith("experts."):
                name += ".weight"
            yield name, values
