"""Makes tiny random models in test/fixtures/models/ and their goldens in test/golden/decoders/tiny.json.

usage: python tiny.py
"""

import json
import shutil
from pathlib import Path

import gguf
import mlx.core as mx
import numpy as np
import torch
from transformers import AutoModelForCausalLM

from gguf_file import finish, sizes
from gguf_folder import make_folder, permute
from greedy import load, margin, run_mlx, run_transformers, top_steps
from llama_gguf import LAYER_NAMES, TOP_NAMES

TEST = Path(__file__).parents[2] / "test"
MODELS = TEST / "fixtures" / "models"
OUT = TEST / "golden" / "decoders" / "tiny.json"
SEED, STEPS, RANK = 7, 12, 4

BASE = {
    "model_type": "llama",
    "architectures": ["LlamaForCausalLM"],
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "intermediate_size": 64,
    "num_attention_heads": 2,
    "num_key_value_heads": 1,
    "rms_norm_eps": 1e-5,
    "rope_theta": 10000.0,
    "max_position_embeddings": 512,
    "vocab_size": 128,
    "tie_word_embeddings": True,
    "hidden_act": "silu",
    "bos_token_id": 1,
    "eos_token_id": 2,
}
WIDE = BASE | {"hidden_size": 64, "intermediate_size": 128, "num_attention_heads": 4, "num_key_value_heads": 2}
LLAMA3 = {
    "rope_type": "llama3",
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 256,
}


def linear_shapes(config: dict) -> dict[str, tuple[int, int]]:
    """[out, in] of each linear of one layer."""
    hidden, inner = config["hidden_size"], config["intermediate_size"]
    head_dim = config.get("head_dim") or hidden // config["num_attention_heads"]
    q, kv = head_dim * config["num_attention_heads"], head_dim * config["num_key_value_heads"]
    return {
        "self_attn.q_proj": (q, hidden),
        "self_attn.k_proj": (kv, hidden),
        "self_attn.v_proj": (kv, hidden),
        "self_attn.o_proj": (hidden, q),
        "mlp.gate_proj": (inner, hidden),
        "mlp.up_proj": (inner, hidden),
        "mlp.down_proj": (hidden, inner),
    }


def random_weights(config: dict, rng: np.random.Generator) -> dict[str, np.ndarray]:
    hidden, vocab = config["hidden_size"], config["vocab_size"]

    def matrix(out: int, size: int) -> np.ndarray:
        # Twice the usual deviation: attention far from uniform exposes mistakes.
        return rng.normal(0, 2 * size**-0.5, (out, size)).astype(np.float32)

    def norm() -> np.ndarray:
        return rng.normal(1, 0.2, hidden).astype(np.float32)

    weights = {"model.embed_tokens.weight": rng.normal(0, 0.5, (vocab, hidden)).astype(np.float32)}
    for i in range(config["num_hidden_layers"]):
        path = f"model.layers.{i}"
        weights[f"{path}.input_layernorm.weight"] = norm()
        weights[f"{path}.post_attention_layernorm.weight"] = norm()
        for name, (out, size) in linear_shapes(config).items():
            weights[f"{path}.{name}.weight"] = matrix(out, size)
            if config.get("attention_bias" if name.startswith("self_attn") else "mlp_bias"):
                weights[f"{path}.{name}.bias"] = rng.normal(0, 0.5, out).astype(np.float32)
    weights["model.norm.weight"] = norm()
    if not config["tie_word_embeddings"]:
        weights["lm_head.weight"] = matrix(vocab, hidden)
    return weights


def write_config(folder: Path, config: dict) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n")


def write_dense(name: str, config: dict, dtype: mx.Dtype, shards: int = 1) -> None:
    folder = MODELS / name
    write_config(folder, config)
    weights = random_weights(config, np.random.default_rng(SEED))
    arrays = {k: mx.array(w).astype(dtype) for k, w in weights.items()}
    if shards == 1:
        mx.save_safetensors(str(folder / "model.safetensors"), arrays, {"format": "mlx"})
        return
    names = sorted(arrays)
    weight_map = {}
    for s in range(shards):
        file = f"model-{s + 1:05}-of-{shards:05}.safetensors"
        part = names[s::shards]
        mx.save_safetensors(str(folder / file), {k: arrays[k] for k in part}, {"format": "mlx"})
        weight_map |= {k: file for k in part}
    total = sum(a.nbytes for a in arrays.values())
    index = {"metadata": {"total_size": total}, "weight_map": dict(sorted(weight_map.items()))}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index, indent=2) + "\n")


def write_quantized(name: str, config: dict, quantization: dict, dtype: mx.Dtype) -> None:
    folder = MODELS / name
    write_config(folder, config | {"quantization": quantization, "quantization_config": quantization})
    arrays = {}
    for key, w in random_weights(config, np.random.default_rng(SEED)).items():
        array = mx.array(w).astype(dtype)
        path = key.removesuffix(".weight")
        entry = quantization.get(path, quantization)
        if array.ndim != 2 or entry is False:
            arrays[key] = array
            continue
        parts = mx.quantize(array, group_size=entry["group_size"], bits=entry["bits"])
        arrays |= dict(zip((key, f"{path}.scales", f"{path}.biases"), parts))
    mx.save_safetensors(str(folder / "model.safetensors"), arrays, {"format": "mlx"})


def write_adapter(name: str, config: dict) -> None:
    folder = MODELS / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    rng = np.random.default_rng(SEED + 1)
    keys = ["self_attn.q_proj", "self_attn.v_proj", "mlp.down_proj"]
    arrays = {}
    for i in range(config["num_hidden_layers"]):
        for key in keys:
            out, size = linear_shapes(config)[key]
            path = f"model.layers.{i}.{key}"
            arrays[f"{path}.lora_a"] = mx.array(rng.normal(0, size**-0.5, (size, RANK)).astype(np.float32))
            arrays[f"{path}.lora_b"] = mx.array(rng.normal(0, 0.5, (RANK, out)).astype(np.float32))
    parameters = {"rank": RANK, "scale": 1.5, "dropout": 0.0, "keys": keys}
    adapter = {"fine_tune_type": "lora", "num_layers": config["num_hidden_layers"], "lora_parameters": parameters}
    (folder / "adapter_config.json").write_text(json.dumps(adapter, indent=2) + "\n")
    mx.save_safetensors(str(folder / "adapters.safetensors"), arrays)


def write_gguf(name: str, config: dict) -> Path:
    """One file with every float and block type, an untied head, and Llama 3.1's frequency factors."""
    kinds = gguf.GGMLQuantizationType
    type_of = {
        "token_embd": kinds.BF16, "output": kinds.Q8_0, "attn_q": kinds.Q4_0, "attn_k": kinds.Q4_1,
        "attn_v": kinds.F16, "attn_output": kinds.Q8_0, "ffn_gate": kinds.Q4_1, "ffn_up": kinds.Q4_0,
        "ffn_down": kinds.F32,
    }
    hf_stems = {v: k for k, v in (LAYER_NAMES | TOP_NAMES).items()}
    path = MODELS / name
    writer = gguf.GGUFWriter(path, "llama")
    sizes(writer, config)
    writer.add_tensor("rope_freqs.weight", llama3_factors(config))
    for key, w in random_weights(config, np.random.default_rng(SEED)).items():
        module = key.removesuffix(".weight")
        layer, _, part = module.removeprefix("model.layers.").partition(".")
        stem = hf_stems.get(module) or hf_stems[part]
        if stem in ("attn_q", "attn_k"):
            w = permute(w, config["num_attention_heads" if stem == "attn_q" else "num_key_value_heads"])
        kind = type_of.get(stem, kinds.F32)
        full = f"{stem}.weight" if module in hf_stems else f"blk.{layer}.{stem}.weight"
        writer.add_tensor(full, gguf.quants.quantize(w, kind), raw_dtype=kind)
    finish(writer)
    return path


def llama3_factors(config: dict) -> np.ndarray:
    """What llama.cpp's converter stores: the factor on each period."""
    scaling = config["rope_scaling"]
    low, high = scaling["low_freq_factor"], scaling["high_freq_factor"]
    original, factor = scaling["original_max_position_embeddings"], scaling["factor"]
    dims = config["hidden_size"] // config["num_attention_heads"]
    wavelength = 2 * np.pi * config["rope_theta"] ** (np.arange(0, dims, 2) / dims)
    smooth = np.clip((original / wavelength - low) / (high - low), 0, 1)
    return (1 / ((1 - smooth) / factor + smooth)).astype(np.float32)


def prompts(vocab: int) -> list[list[int]]:
    """A single id, a short prompt, and one longer than a block of the KV cache."""
    rng = np.random.default_rng(SEED + 2)
    return [[5], rng.integers(0, vocab, 11).tolist(), rng.integers(0, vocab, 290).tolist()]


def golden(name: str, folder: Path, adapter: str | None = None, check: bool = False) -> dict:
    model = load(folder, MODELS / adapter if adapter else None)
    reference = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval() if check else None
    cases = []
    for prompt in prompts(BASE["vocab_size"]):
        ids, rows = run_mlx(model, prompt, STEPS)
        note = ""
        if reference is not None:
            gap = np.abs(rows - run_transformers(reference, prompt, ids)).max()
            note = f", difference to transformers {gap:.6f}"
        print(f"{name} {adapter or ''} {len(prompt)} ids: margin {margin(rows):.4f}{note}", flush=True)
        cases.append({"prompt": prompt, "ids": ids, "steps": top_steps(rows)})
    return {"model": name, **({"adapter": adapter} if adapter else {}), "cases": cases}


def main() -> None:
    mx.set_default_device(mx.cpu)
    biased = BASE | {
        "tie_word_embeddings": False, "attention_bias": True, "mlp_bias": True, "rope_scaling": LLAMA3,
    }
    mistral = BASE | {
        "model_type": "mistral", "architectures": ["MistralForCausalLM"], "head_dim": 24, "sliding_window": None,
        "rope_scaling": {"type": "linear", "factor": 2.0}, "tie_word_embeddings": False,
    }
    q4 = {"group_size": 64, "bits": 4, "model.layers.0.mlp.down_proj": {"group_size": 32, "bits": 8},
          "model.layers.1.self_attn.v_proj": False}
    q8 = {"group_size": 32, "bits": 8}
    write_dense("tiny-f32", BASE, mx.float32)
    write_dense("tiny-f16", BASE, mx.float16)
    write_dense("tiny-bf16", BASE, mx.bfloat16)
    write_dense("tiny-bias-llama3", biased, mx.bfloat16)
    write_dense("tiny-mistral", mistral, mx.float16, shards=2)
    write_quantized("tiny-q4", WIDE, q4, mx.bfloat16)
    write_quantized("tiny-q8", WIDE | {"tie_word_embeddings": False}, q8, mx.float16)
    write_adapter("tiny-f32-adapter", BASE)
    write_adapter("tiny-q4-adapter", WIDE)
    goldens = [
        golden(name, MODELS / name, check=True)
        for name in ("tiny-f32", "tiny-f16", "tiny-bf16", "tiny-bias-llama3", "tiny-mistral")
    ]
    goldens += [golden(name, MODELS / name) for name in ("tiny-q4", "tiny-q8")]
    goldens += [golden(name, MODELS / name, f"{name}-adapter") for name in ("tiny-f32", "tiny-q4")]

    llama = WIDE | {"tie_word_embeddings": False, "rope_scaling": LLAMA3 | {"original_max_position_embeddings": 8192}}
    path = write_gguf("tiny-mixed.gguf", llama)
    folder = MODELS / ".gguf-as-folder"
    make_folder(path, folder, {"rope_scaling": llama["rope_scaling"]})
    goldens.append(golden(path.name, folder, check=True))
    shutil.rmtree(folder)
    OUT.write_text(json.dumps(goldens, separators=(",", ":")).replace('{"', '\n{"') + "\n")


if __name__ == "__main__":
    main()
