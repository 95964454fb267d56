"""Layers without keys and values: convolutions, or Mamba-2's states."""

import re

import gguf
import numpy as np

from gguf_layouts.base import STACKS, Experts, Layout, Tensors, Written
from gguf_layouts.experts import GraniteMoe


class GraniteHybrid(GraniteMoe):
    def metadata(self, writer: gguf.GGUFWriter, config: dict) -> None:
        config = config | {"num_key_value_heads": kv_heads(config)}
        super().metadata(writer, config)
        writer.add_rope_scaling_finetuned(config["position_embedding_type"] == "rope")
        writer.add_ssm_conv_kernel(config["mamba_d_conv"])
        writer.add_ssm_state_size(config["mamba_d_state"])
        writer.add_ssm_group_count(config["mamba_n_groups"])
        writer.add_ssm_inner_size(config["mamba_n_heads"] * config["mamba_d_head"])
        writer.add_ssm_time_step_rank(config["mamba_n_heads"])

    def tensors(self, config: dict, tensors: Tensors) -> Written:
        for name, values in super().tensors(config, tensors):
            yield mamba2(name, values, config["mamba_n_groups"])


def mamba2(name: str, values: np.ndarray, groups: int) -> tuple[str, np.ndarray]:
    """A, D and the norm's weights in two dimensions; A itself instead of its logarithm."""
    layer, _, part = name.removeprefix("model.layers.").partition(".mamba.")
    names = {"A_log": "ssm_a", "D": "ssm_d", "dt_bias": "ssm_dt.bias"}
    if part == "A_log":
        values = -np.exp(values)
    if part in ("A_log", "D"):
        values = values.reshape(-1, 1)
    if part == "conv1d.weight":
        values = values.squeeze(1)
    if part == "norm.weight":
        values = values.reshape(groups, -1)
    return (f"blk.{layer}.{names[part]}" if part in names else name), values


def kv_heads(config: dict) -> list[int]:
    """0 where a layer has none."""
    attention = ("attention", "full_attention")
    return [config["num_key_value_heads"] if t in attention else 0 for t in config["layer_types"]]


class Lfm2(Layout):
    def metadata(self, writer: gguf.GGUFWriter, config: dict) -> None:
        width = self.width(config)
        super().metadata(writer, config | {"num_key_value_heads": kv_heads(config), "intermediate_size": width})
        writer.add_shortconv_l_cache(config["conv_L_cache"])
        writer.add_layer_norm_rms_eps(config["norm_eps"])

    def width(self, config: dict) -> int:
        width, multiple = int(2 * config["block_ff_dim"] / 3), config["block_multiple_of"]
        return (width + multiple - 1) // multiple * multiple

    def tensors(self, config: dict, tensors: Tensors) -> Written:
        for name, values in super().tensors(config, tensors):
            if name == "model.embedding_norm.weight":
                name = "token_embd_norm.weight"
            name = name.replace(".expert_bias", ".expert_bias.bias")
            yield name, values.squeeze(1) if name.endswith("conv.conv.weight") else values


class Lfm2Moe(Lfm2, Experts):
    def metadata(self, writer: gguf.GGUFWriter, config: dict) -> None:
        super().metadata(writer, config)
        writer.add_leading_dense_block_count(config["num_dense_layers"])
        writer.add_expert_gating_func(gguf.ExpertGatingFuncType.SIGMOID)

    def width(self, config: dict) -> int:
        return config["intermediate_size"]


class FalconH1(Layout):
    """Its factors are multiplied into the weights."""

    def metadata(self, writer: gguf.GGUFWriter, config: dict) -> None:
        super().metadata(writer, config)
        ssm_sizes(writer, config["mamba_n_heads"], config["mamba_d_head"], config["mamba_n_groups"])
        writer.add_ssm_conv_kernel(config["mamba_d_conv"])
        writer.add_ssm_state_size(config["mamba_d_state"])

    def tensors(self, config: dict, tensors: Tensors) -> Written:
        enters = config["attention_in_multiplier"]
        factors = {
            "down_proj": config["mlp_multipliers"][1], "gate_proj": config["mlp_multipliers"][0],
            "q_proj": enters, "k_proj": enters * config["key_multiplier"], "v_proj": enters,
            "o_proj": config["attention_out_multiplier"], "out_proj": config["ssm_out_multiplier"],
            "lm_head": config["lm_head_multiplier"], "embed_tokens": config["embedding_multiplier"],
        }
        inner, states = config["mamba_d_ssm"], config["mamba_n_groups"] * config["mamba_d_state"]
        rows = np.repeat(config["ssm_multipliers"], [inner, inner, states, states, config["mamba_n_heads"]])
        for name, values in super().tensors(config, tensors):
            module = name.split(".")[-2]
            if name.endswith("mamba.in_proj.weight"):
                values = values * config["ssm_in_multiplier"] * rows[:, None]
            elif module in factors:
                values = values * factors[module]
            yield mamba2(name, values, config["mamba_n_groups"])


def ssm_sizes(writer: gguf.GGUFWriter, heads: int, dims: int, groups: int) -> None:
    writer.add_ssm_group_count(groups)
    writer.add_ssm_inner_size(heads * dims)
    writer.add_ssm_time_step_rank(heads)


class NemotronH(Layout):
    def metadata(self, writer: gguf.GGUFWriter, config: dict) -> None:
        letters = config.get("hybrid_override_pattern") or [
            {"linear_attention": "M", "full_attention": "*", "moe": "E"}[t] for t in config["layers_block_type"]
        ]
        width = config["moe_intermediate_size"] if "E" in letters else config["intermediate_size"]
        writer.add_layer_norm_eps(config["layer_norm_epsilon"])
        writer.add_feed_forward_length([width if letter in "-E" else 0 for letter in letters])
        writer.add_head_count_kv([config["num_key_value_heads"] if letter == "*" else 0 for letter in letters])
        self.heads(writer, config)
        ssm_sizes(writer, config["mamba_num_heads"], config["mamba_head_dim"], config["n_groups"])
        writer.add_ssm_conv_kernel(config["conv_kernel"])
        writer.add_ssm_state_size(config["ssm_state_size"])
        if "E" in letters:
            writer.add_expert_count(config["n_routed_experts"])
            writer.add_expert_used_count(config["num_experts_per_tok"])
            writer.add_expert_feed_forward_length(width)
            writer.add_expert_shared_feed_forward_length(config["moe_shared_expert_intermediate_size"])
            writer.add_expert_shared_count(config["n_shared_experts"])
            writer.add_expert_weights_norm(config["norm_topk_prob"])
            writer.add_expert_weights_scale(config["routed_scaling_factor"])
            writer.add_expert_group_count(config["n_group"])

    def heads(self, writer: gguf.GGUFWriter, config: dict) -> None:
        writer.add_key_length(config["head_dim"])
        writer.add_value_length(config["head_dim"])
        # The converter does not look at head_dim here, and nothing is rotated.
        writer.add_rope_dimension_count(config["hidden_size"] // config["num_attention_heads"])

    def tensors(self, config: dict, tensors: Tensors) -> Written:
        stacks: dict[str, list[np.ndarray]] = {}
        for name, values in super().tensors(config, tensors):
            single = re.fullmatch(r"backbone\.layers\.(\d+)\.mixer\.experts\.\d+\.(\w+)\.weight", name)
            if single:
                stack = f"blk.{single[1]}.{STACKS[single[2]]}.weight"
                stacks.setdefault(stack, []).append(values)
                continue
            name = name.replace("e_score_correction_bias", "e_score_correction.bias")
            as_mamba = name.replace("backbone.layers.", "model.layers.").replace(".mixer.", ".mamba.")
            new, values = mamba2(as_mamba, values, config["n_groups"])
            yield (name if new == as_mamba else new), values
        for name, matrices in stacks.items():
            yield name, np.stack(matrices)
