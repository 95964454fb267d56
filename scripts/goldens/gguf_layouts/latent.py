"""Multi-head latent attention."""

import re

import gguf

from gguf_layouts.base import Experts, Layout, Tensors, Written


def latent_sizes(writer: gguf.GGUFWriter, config: dict) -> None:
    if config["q_lora_rank"]:
        writer.add_q_lora_rank(config["q_lora_rank"])
    writer.add_kv_lora_rank(config["kv_lora_rank"])
    writer.add_rope_dimension_count(config["qk_rope_head_dim"])


class DeepSeek2(Experts):
    """With kv_b_proj in two, the half for keys transposed."""

    def metadata(self, writer: gguf.GGUFWriter, config: dict) -> None:
        # One head of keys, which are the latents.
        super().metadata(writer, config | {"num_key_value_heads": 1})
        latent_sizes(writer, config)
        writer.add_leading_dense_block_count(config["first_k_dense_replace"])
        writer.add_expert_shared_count(config["n_shared_experts"])
        writer.add_expert_group_count(config["n_group"])
        writer.add_expert_group_used_count(config["topk_group"])
        writer.add_expert_gating_func(gguf.ExpertGatingFuncType.SIGMOID)
        writer.add_expert_weights_scale(config["routed_scaling_factor"])
        writer.add_expert_weights_norm(config["norm_topk_prob"])
        if config["rope_scaling"]:
            writer.add_rope_scaling_yarn_log_mul(0.1 * config["rope_scaling"]["mscale_all_dim"])

    def heads(self, writer: gguf.GGUFWriter, config: dict) -> None:
        writer.add_key_length(config["kv_lora_rank"] + config["qk_rope_head_dim"])
        writer.add_value_length(config["kv_lora_rank"])
        writer.add_key_length_mla(config["qk_nope_head_dim"] + config["qk_rope_head_dim"])
        writer.add_value_length_mla(config["v_head_dim"])

    def tensors(self, config: dict, tensors: Tensors) -> Written:
        layers, heads = config["num_hidden_layers"], config["num_attention_heads"]
        kept = {k: v for k, v in tensors.items() if int((re.search(r"\.layers\.(\d+)", k) or [0, 0])[1]) < layers}
        for name, values in super().tensors(config, kept):
            name = name.replace("e_score_correction_bias", "e_score_correction.bias")
            if name.endswith(".kv_b_proj.weight"):
                both = values.reshape(heads, -1, values.shape[-1])
                keys, rest = both[:, : config["qk_nope_head_dim"]], both[:, config["qk_nope_head_dim"] :]
                yield name.replace("kv_b_proj", "k_b_proj"), keys.swapaxes(1, 2)
                yield name.replace("kv_b_proj", "v_b_proj"), rest
            else:
                yield name, values


class MiniCpm3(Layout):
    def heads(self, writer: gguf.GGUFWriter, config: dict) -> None:
        writer.add_key_length(config["qk_nope_head_dim"] + config["qk_rope_head_dim"])
        latent_sizes(writer, config)
