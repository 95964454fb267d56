"""Writes the tiny models of test/fixtures/families/ as GGUF files, as llama.cpp's converter does, beside their folders.

usage: python gguf_families.py [ARCHITECTURE ...]

The values stay those of the folder: float matrices are bfloat16, everything else float32. `--float32 FOLDER` writes
all of it in float32 to that folder instead, for gguf_peer.py.
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import gguf
import numpy as np

from gguf_file import finish
from gguf_layouts import LAYOUTS, Tensors
from stored_folder import read_folder

FAMILIES = Path(__file__).parents[2] / "test" / "fixtures" / "families"
KINDS = gguf.GGMLQuantizationType


@dataclass(frozen=True)
class File:
    """A file of `architecture` with the weights of a variant of a family."""

    architecture: str
    family: str
    variant: str
    # What llama.cpp fixes, where the variant has it otherwise.
    config: dict = field(default_factory=dict)
    # Leading layers to leave out: llama.cpp knows no dense ones in some mixtures of experts.
    skip_layers: int = 0
    # Channels of a value head of Gated DeltaNet, if fewer: llama.cpp wants as many as a key head has.
    value_dim: int = 0
    # A layer to leave out, with its embeddings.
    left_out: int | None = None
    name: str = "gguf"
    # Whether llama.cpp computes the same.
    peer: bool = True

    @property
    def path(self) -> Path:
        return FAMILIES / self.family / f"{self.name}.gguf"


FILES = (
    # Without longrope (plain, partial) llama.cpp computes the same.
    File("phi3", "phi3", "longrope", peer=False),
    File("smollm3", "smollm3", "default"),
    File("mistral3", "ministral3", "full"),
    File("qwen3moe", "qwen3_moe", "plain", skip_layers=1),
    File("gpt-oss", "gpt_oss", "mxfp4", config={"swiglu_limit": 7.0}),
    File("granitemoe", "granitemoe", "plain"),
    File("glm4moe", "glm4_moe", "norms"),
    File("lfm2", "lfm2", "plain"),
    File("lfm2moe", "lfm2_moe", "plain"),
    File("granitehybrid", "granitemoehybrid", "hybrid"),
    File("falcon-h1", "falcon_h1", "multiplied"),
    File("nemotron_h", "nemotron_h", "networks"),
    File("nemotron_h_moe", "nemotron_h", "experts", name="experts"),
    File("qwen3next", "qwen3_next", "experts", {"full_attention_interval": 2}, skip_layers=2, value_dim=8),
    File("qwen35", "qwen3_5_text", "every-fourth", peer=False),
    File("qwen35", "qwen3_5_text", "every-fourth", value_dim=8, name="narrow"),
    File("qwen35moe", "qwen3_5_moe_text", "plain", peer=False),
    # The only scaling of Llama 3's kind that a file's factors tell.
    File("apertus", "apertus", "llama3", config={
        "rope_theta": 12000000.0,
        "rope_scaling": {
            "rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
            "original_max_position_embeddings": 8192,
        },
    }),
    File("deepseek2", "deepseek_v3", "yarn"),
    File("minicpm3", "minicpm3", "plain", config={"scale_emb": 12, "dim_model_base": 256}),
    # llama.cpp wants a window and a full layer to be the last two with keys of their own.
    File("gemma4", "gemma4_text", "sharing", peer=False),
    File("gemma4", "gemma4_text", "sharing", left_out=2, name="window-then-full"),
    # Which llama.cpp assumes where a file has none.
    File("gemma4", "gemma4_text", "experts", {"final_logit_softcapping": 30.0}, name="experts"),
)


def renamed(tensors: Tensors, skipped: int) -> Iterator[tuple[str, np.ndarray]]:
    for name, values in tensors.items():
        parts = name.split(".")
        if parts[:2] == ["model", "layers"]:
            layer = int(parts[2]) - skipped
            if layer < 0:
                continue
            parts[2] = str(layer)
        yield ".".join(parts), values


def without_layer(config: dict, tensors: Tensors, layer: int) -> tuple[dict, Tensors]:
    """Of a model with embeddings for each layer."""
    size, kept = config["hidden_size_per_layer_input"], {}
    for name, values in tensors.items():
        parts = name.split(".")
        if parts[:2] == ["model", "layers"]:
            number = int(parts[2])
            if number == layer:
                continue
            parts[2] = str(number - (number > layer))
        columns = slice(layer * size, (layer + 1) * size)
        if name.startswith("model.embed_tokens_per_layer."):
            values = np.delete(values, columns, 1)
        elif name.startswith("model.per_layer_model_projection."):
            values = np.delete(values, columns, 0)
        kept[".".join(parts)] = values
    types = [kind for i, kind in enumerate(config["layer_types"]) if i != layer]
    return config | {"num_hidden_layers": len(types), "layer_types": types}, kept


def narrowed(config: dict, tensors: Tensors, dims: int) -> Iterator[tuple[str, np.ndarray]]:
    """The first `dims` channels of each value head."""
    keys, heads = config["linear_num_key_heads"], config["linear_num_value_heads"]
    both, group = config["linear_key_head_dim"] * 2, heads // keys

    def cut(values: np.ndarray) -> np.ndarray:
        shape = (heads, config["linear_value_head_dim"], *values.shape[1:])
        return values.reshape(shape)[:, :dims].reshape(-1, *values.shape[1:])

    for name, values in tensors.items():
        if name.endswith((".in_proj_qkv.weight", ".conv1d.weight")):
            values = np.concatenate([values[: both * keys], cut(values[both * keys :])])
        elif name.endswith(".in_proj_qkvz.weight"):
            rows = values.reshape(keys, -1, values.shape[-1])
            wide = group * config["linear_value_head_dim"]
            v, z = (cut(part.reshape(-1, values.shape[-1])) for part in (rows[:, both : both + wide], rows[:, both + wide :]))
            parts = [rows[:, :both], *(part.reshape(keys, -1, values.shape[-1]) for part in (v, z))]
            values = np.concatenate(parts, 1).reshape(-1, values.shape[-1])
        elif name.endswith(".in_proj_z.weight"):
            values = cut(values)
        elif name.endswith("linear_attn.out_proj.weight"):
            values = cut(values.T).T
        elif name.endswith("linear_attn.norm.weight"):
            values = values[:dims]
        yield name, values


def layers_of(config: dict) -> int:
    return config.get("num_hidden_layers") or len(config["layers_block_type"])


def source(file: File) -> tuple[dict, Tensors]:
    config, tensors = read_folder(FAMILIES / file.family / file.variant)
    config |= file.config
    config["num_hidden_layers"] = layers_of(config) - file.skip_layers
    if file.value_dim:
        tensors = dict(narrowed(config, tensors, file.value_dim))
        config["linear_value_head_dim"] = file.value_dim
    if file.left_out is not None:
        config, tensors = without_layer(config, tensors, file.left_out)
    return config, dict(renamed(tensors, file.skip_layers))


def write(file: File, path: Path, float32: bool) -> None:
    config, tensors = source(file)
    layout = LAYOUTS[file.architecture]
    writer = gguf.GGUFWriter(path, file.architecture)
    metadata(writer, file.architecture, config)
    layout.metadata(writer, config)
    layout.numbers(writer, config, tensors)
    arch = next(a for a, name in gguf.MODEL_ARCH_NAMES.items() if name == file.architecture)
    names = gguf.get_tensor_name_map(arch, config["num_hidden_layers"])
    for name, values in layout.tensors(config, tensors):
        if isinstance(values, tuple):
            values, kind = values
            if float32:
                values, kind = gguf.quants.dequantize(values, kind), KINDS.F32
        else:
            matrix = values.ndim > 1 and not any(part in name for part in ("conv", "ssm_", "norm"))
            # falcon-h1's values are products, which bfloat16 cannot hold.
            matrix = matrix and file.architecture != "falcon-h1"
            kind = KINDS.BF16 if matrix and not float32 else KINDS.F32
            values = gguf.quants.quantize(np.ascontiguousarray(values, dtype=np.float32), kind)
        writer.add_tensor(gguf_name(names, name), values, raw_dtype=kind)
    finish(writer)


def gguf_name(names: gguf.TensorNameMap, name: str) -> str:
    """By gguf's own table; a name that it lacks is llama.cpp's already."""
    return names.get_name(name, try_suffixes=(".weight", ".bias")) or name


def metadata(writer: gguf.GGUFWriter, architecture: str, config: dict) -> None:
    """Common to all architectures, with a vocabulary of words that llama.cpp can read."""
    heads = config["num_attention_heads"]
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_head_count(heads)
    if "rms_norm_eps" in config:
        writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
    rope = config.get("rope_parameters") or config.get("rope_scaling") or {}
    theta = rope.get("rope_theta") or config.get("rope_theta")
    if theta:
        writer.add_rope_freq_base(theta)
    if rope.get("rope_type") == "yarn":
        writer.add_rope_scaling_type(gguf.RopeScalingType.YARN)
        writer.add_rope_scaling_factor(rope["factor"])
        writer.add_rope_scaling_orig_ctx_len(rope["original_max_position_embeddings"])
        writer.add_rope_scaling_yarn_beta_fast(rope["beta_fast"])
        writer.add_rope_scaling_yarn_beta_slow(rope["beta_slow"])
    writer.add_vocab_size(config["vocab_size"])
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("default")
    writer.add_token_list([f"word{i}" for i in range(config["vocab_size"])])
    writer.add_token_types([gguf.TokenType.NORMAL] * config["vocab_size"])
    writer.add_token_merges(["w o"])
    writer.add_bos_token_id(config["bos_token_id"])
    writer.add_eos_token_id(config["eos_token_id"])


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("architectures", nargs="*")
    parser.add_argument("--float32", type=Path)
    options = parser.parse_args()
    for file in FILES:
        if options.architectures and file.architecture not in options.architectures:
            continue
        path = options.float32 / f"{file.architecture}.gguf" if options.float32 else file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        write(file, path, options.float32 is not None)
        print(path, flush=True)


if __name__ == "__main__":
    main()
