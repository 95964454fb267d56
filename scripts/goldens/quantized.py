"""Makes tiny models in every quantization in test/fixtures/quantized/ and their goldens in test/golden/quantized/quantized.json.

usage: python quantized.py
"""

import json
from itertools import cycle
from pathlib import Path

import mlx.core as mx
import numpy as np

import tiny
from greedy import load, margin, run_mlx, top_steps

TEST = Path(__file__).parents[2] / "test"
MODELS = TEST / "fixtures" / "quantized"
OUT = TEST / "golden" / "quantized" / "quantized.json"
SEED, STEPS = 11, 8

SMALL = tiny.BASE | {"hidden_size": 64, "intermediate_size": 64, "num_hidden_layers": 1, "vocab_size": 96}
# Rows of 128 for the largest groups, and more modules than there are affine variants.
WIDE = tiny.BASE | {
    "hidden_size": 128, "intermediate_size": 128, "num_hidden_layers": 3, "num_attention_heads": 4, "head_dim": 32,
    "num_key_value_heads": 1, "vocab_size": 96, "tie_word_embeddings": False,
}
AFFINE = [(bits, group) for bits in (8, 6, 5, 4, 3, 2) for group in (32, 64, 128)]


def save(name: str, config: dict, quantization: dict) -> None:
    """Each matrix by its own entry or the defaults; entries without a mode are affine, as in mlx-lm."""
    folder = MODELS / name
    tiny.write_config(folder, config | {"quantization": quantization, "quantization_config": quantization})
    arrays = {}
    for key, w in tiny.random_weights(config, np.random.default_rng(SEED)).items():
        array = mx.array(w).astype(mx.bfloat16)
        path = key.removesuffix(".weight")
        entry = quantization.get(path, quantization)
        if array.ndim != 2 or entry is False:
            arrays[key] = array
            continue
        entry = quantization if entry is True else entry
        parts = mx.quantize(
            array, group_size=entry["group_size"], bits=entry["bits"], mode=entry.get("mode", "affine")
        )
        arrays |= dict(zip((key, f"{path}.scales", f"{path}.biases"), parts))
    mx.save_safetensors(str(folder / "model.safetensors"), arrays, {"format": "mlx"})


def golden(name: str, vocab: int) -> dict:
    model = load(MODELS / name)
    cases = []
    for prompt in tiny.prompts(vocab)[:2]:
        ids, rows = run_mlx(model, prompt, STEPS)
        print(f"{name} {len(prompt)} ids: margin {margin(rows):.4f}", flush=True)
        cases.append({"prompt": prompt, "ids": ids, "steps": top_steps(rows)})
    return {"model": name, "cases": cases}


def affine_in_all_forms() -> dict:
    modules = [k.removesuffix(".weight") for k, w in tiny.random_weights(WIDE, np.random.default_rng(SEED)).items()
               if w.ndim == 2]
    forms = dict(zip(modules, cycle(AFFINE)))
    entries = {path: {"group_size": group, "bits": bits} for path, (bits, group) in forms.items()}
    return {"group_size": 64, "bits": 4} | entries


def main() -> None:
    mx.set_default_device(mx.cpu)
    down, value = "model.layers.0.mlp.down_proj", "model.layers.0.self_attn.v_proj"
    mxfp4 = {"group_size": 32, "bits": 4, "mode": "mxfp4"}
    nvfp4 = {"group_size": 16, "bits": 4, "mode": "nvfp4"}
    mxfp8 = {"group_size": 32, "bits": 8, "mode": "mxfp8"}
    save("affine", WIDE, affine_in_all_forms())
    save("mxfp4", SMALL, mxfp4 | {down: {"group_size": 64, "bits": 8}, value: False})
    save("nvfp4", SMALL, nvfp4 | {down: mxfp4, value: True})
    save("mxfp8", SMALL, mxfp8)
    goldens = [golden(name, 96) for name in ("affine", "mxfp4", "nvfp4", "mxfp8")]
    OUT.write_text(json.dumps(goldens, separators=(",", ":")).replace('{"', '\n{"') + "\n")


if __name__ == "__main__":
    main()
