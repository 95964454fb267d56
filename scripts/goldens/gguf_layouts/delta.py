"""Gated DeltaNet in most layers."""

import gguf
import numpy as np

from gguf_layouts.base import Experts, Layout, Tensors, Written


class Delta(Layout):
    """Gated DeltaNet of qwen3next."""

    def metadata(self, writer: gguf.GGUFWriter, config: dict) -> None:
        rope = config.get("rope_parameters", {})
        super().metadata(writer, config | {"partial_rotary_factor": 0.25} | rope)
        writer.add_ssm_conv_kernel(config["linear_conv_kernel_dim"])
        writer.add_ssm_state_size(config["linear_key_head_dim"])
        writer.add_ssm_group_count(config["linear_num_key_heads"])
        writer.add_ssm_time_step_rank(config["linear_num_value_heads"])
        writer.add_ssm_inner_size(config["linear_value_head_dim"] * config["linear_num_value_heads"])
        writer.add_full_attention_interval(config.get("full_attention_interval", 4))
        if "shared_expert_intermediate_size" in config:
            writer.add_expert_shared_feed_forward_length(config["shared_expert_intermediate_size"])

    def tensors(self, config: dict, tensors: Tensors) -> Written:
        for name, values in super().tensors(config, tensors):
            if name.endswith("norm.weight") and not name.endswith("linear_attn.norm.weight"):
                values = values + 1
            if name.endswith(".A_log"):
                values = -np.exp(values)
            if name.endswith("conv1d.weight"):
                values = values.squeeze(1)
            if name.endswith("shared_expert_gate.weight"):
                values = values.squeeze(0)
            name = name.replace(".dt_bias", ".dt_proj.bias")
            if "in_proj_qkvz" in name:
                layer = name.removeprefix("model.layers.").partition(".")[0]
                qkv, z = self.split(config, values)
                yield f"blk.{layer}.attn_qkv.weight", qkv
                yield f"blk.{layer}.attn_gate.weight", z
            else:
                yield name, values

    @staticmethod
    def split(config: dict, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        keys, dims = config["linear_num_key_heads"], config["linear_key_head_dim"]
        of_values = config["linear_num_value_heads"] // keys * config["linear_value_head_dim"]
        heads = values.reshape(keys, -1, values.shape[-1])
        parts = np.split(heads, np.cumsum([dims, dims, of_values]), 1)
        q, k, v, z = (part.reshape(-1, values.shape[-1]) for part in parts)
        return np.concatenate([q, k, v]), z


class DeltaExperts(Delta, Experts):
    pass


class Tiled(Delta):
    """qwen35, whose value heads are sorted so that the key heads repeat as a whole."""

    def metadata(self, writer: gguf.GGUFWriter, config: dict) -> None:
        super().metadata(writer, config)
        writer.add_rope_dimension_sections([1, 1, 0, 0])

    def tensors(self, config: dict, tensors: Tensors) -> Written:
        size = config["linear_value_head_dim"]
        keys = 2 * config["linear_num_key_heads"] * config["linear_key_head_dim"]

        def tiled(values: np.ndarray, head: int) -> np.ndarray:
            heads = values.reshape(config["linear_num_key_heads"], -1, head, *values.shape[1:])
            return heads.swapaxes(0, 1).reshape(values.shape)

        for name, values in super().tensors(config, tensors):
            if name.endswith((".in_proj_qkv.weight", ".conv1d.weight")):
                values = np.concatenate([values[:keys], tiled(values[keys:], size)])
            elif name.endswith(".in_proj_z.weight"):
                values = tiled(values, size)
            elif name.endswith((".in_proj_a.weight", ".in_proj_b.weight", ".A_log", ".dt_proj.bias")):
                values = tiled(values, 1)
            elif name.endswith("linear_attn.out_proj.weight"):
                values = tiled(values.T, size).T
            yield name, values


class TiledExperts(Tiled, Experts):
    pass
