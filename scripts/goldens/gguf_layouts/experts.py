"""Mixtures of experts in place of dense networks."""

import gguf
import numpy as np

from gguf_layouts.base import Experts, Tensors, Written


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
