"""How llama.cpp's converter names and lays out the tensors of each architecture, and what it says in the metadata."""

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


class GptOss(Experts):
    def metadata(self, writer: gguf.GGUFWriter, config: dict) -> None:
        super().metadata(writer, config)
        writer.add_sliding_window(config["sliding_window"])
        writer.add_expert_feed_forward_length(config["intermediate_size"])

    def tensors(self, config: dict, tensors: Tensors) -> Written:
        for name, values in super().tensors(config, tensors):
            layer, _, module = name.removeprefix("model.layers.").partition(".mlp.experts.")
            if name.endswith(".sinks"):
                yield f"{name}.weight", values
            elif not module:
                yield name, values
            elif module.endswith("_bias"):
                for kind, rows in self.rows(module):
                    yield f"blk.{layer}.ffn_{kind}_exps.bias", values[:, rows]
            elif module.endswith("_blocks"):
                scales = tensors[name.replace("_blocks", "_scales")]
                for kind, rows in self.rows(module):
                    yield f"blk.{layer}.ffn_{kind}_exps.weight", mxfp4(values[:, rows], scales[:, rows])

    @staticmethod
    def rows(module: str) -> list[tuple[str, slice]]:
        if module.startswith("down"):
            return [("down", slice(None))]
        return [("gate", slice(0, None, 2)), ("up", slice(1, None, 2))]


def mxfp4(blocks: np.ndarray, scales: np.ndarray) -> tuple[np.ndarray, gguf.GGMLQuantizationType]:
    """gpt-oss's bytes hold neighbours, ggml's a weight of the first and one of the second half of a block."""
    codes = np.stack([blocks & 15, blocks >> 4], -1).reshape(*blocks.shape[:-1], 32)
    packed = codes[..., :16] | codes[..., 16:] << 4
    data = np.concatenate([scales[..., None], packed], -1)
    return data.reshape(*data.shape[:-2], -1), gguf.GGMLQuantizationType.MXFP4


def granite_scales(writer: gguf.GGUFWriter, config: dict) -> None:
    writer.add_attention_scale(config["attention_multiplier"])
    writer.add_embedding_scale(config["embedding_multiplier"])
    writer.add_residual_scale(config["residual_multiplier"])
    writer.add_logit_scale(config["logits_scaling"])
    if config.get("shared_intermediate_size"):
        writer.add_expert_shared_feed_forward_length(config["shared_intermediate_size"])


class GraniteMoe(Experts):
    permuted = True

    def metadata(self, writer: gguf.GGUFWriter, config: dict) -> None:
        super().metadata(writer, config)
        granite_scales(writer, config)

    def tensors(self, config: dict, tensors: Tensors) -> Written:
        for name, values in super().tensors(config, tensors):
            layer = name.removeprefix("model.layers.").partition(".")[0]
            for module, ending in (("block_sparse_moe", "_exps"), ("shared_mlp", "_shexp")):
                if f".{module}.input_linear." in name:
                    for kind, half in zip(("gate", "up"), np.split(values, 2, -2)):
                        yield f"blk.{layer}.ffn_{kind}{ending}.weight", half
                    break
                if f".{module}.output_linear." in name:
                    yield f"blk.{layer}.ffn_down{ending}.weight", values
                    break
            else:
                yield name, values


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


class Glm4Moe(Experts):
    def metadata(self, writer: gguf.GGUFWriter, config: dict) -> None:
        super().metadata(writer, config)
        writer.add_expert_shared_count(config["n_shared_experts"])
        writer.add_leading_dense_block_count(config["first_k_dense_replace"])
        writer.add_expert_gating_func(gguf.ExpertGatingFuncType.SIGMOID)
        writer.add_expert_weights_scale(config["routed_scaling_factor"])
        writer.add_expert_weights_norm(config["norm_topk_prob"])

    def tensors(self, config: dict, tensors: Tensors) -> Written:
        for name, values in super().tensors(config, tensors):
            yield name.replace("e_score_correction_bias", "e_score_correction.bias"), values


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


LAYOUTS = {
    "falcon-h1": FalconH1(),
    "nemotron_h": NemotronH(),
    "nemotron_h_moe": NemotronH(),
    "qwen3next": DeltaExperts(),
    "qwen35": Tiled(),
    "qwen35moe": TiledExperts(),
    "qwen3moe": Experts(),
    "gpt-oss": GptOss(),
    "granitemoe": GraniteMoe(),
    "glm4moe": Glm4Moe(),
    "lfm2": Lfm2(),
    "lfm2moe": Lfm2Moe(),
    "granitehybrid": GraniteHybrid(),
    "phi3": Phi3(),
    "smollm3": Permuted(),
    "mistral3": Mistral3(),
}
