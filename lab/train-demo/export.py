"""Writes a checkpoint as an MLX LoRA adapter."""

import argparse
import json
import os

import torch
from safetensors.torch import load_file, save_file

from base_model import CACHE, LAYERS
from model import FUSED, RANK, SCALE


def adapter_tensors(state) -> dict:
    out = {}
    for i, layer in enumerate(state):
        for name, (_, parts) in FUSED.items():
            a, b = layer[name]
            col = 0
            for k, (module, size) in enumerate(parts):
                rows = slice(k * RANK, (k + 1) * RANK)
                key = f"model.layers.{i}.{module}"
                out[key + ".lora_a"] = a[:, rows].half().contiguous()
                out[key + ".lora_b"] = b[rows, col:col + size].half().contiguous()
                col += size
    return out


def exported_state(folder) -> list:
    """The inverse of `adapter_tensors`: a checkpoint from an exported adapter, to train on from it."""
    t = load_file(os.path.join(folder, "adapters.safetensors"))
    state = []
    for i in range(LAYERS):
        layer = {}
        for name, (_, parts) in FUSED.items():
            keys = [f"model.layers.{i}.{module}" for module, _ in parts]
            a = torch.cat([t[key + ".lora_a"].float() for key in keys], 1)
            b = torch.block_diag(*[t[key + ".lora_b"].float() for key in keys])
            layer[name] = (a, b)
        state.append(layer)
    return state


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--checkpoint", default=str(CACHE / "adapter.pt"))
    p.add_argument("--to", default=str(CACHE / "adapter"))
    a = p.parse_args()
    os.makedirs(a.to, exist_ok=True)
    path = os.path.join(a.to, "adapters.safetensors")
    save_file(adapter_tensors(torch.load(a.checkpoint)), path + ".tmp", metadata={"format": "mlx"})
    os.replace(path + ".tmp", path)
    config = {"fine_tune_type": "lora", "num_layers": LAYERS,
              "lora_parameters": {"rank": RANK, "scale": SCALE, "dropout": 0.0,
                                  "keys": [module for _, parts in FUSED.values() for module, _ in parts]},
              "llm_host": {"call_confidence": 0.5, "look_up_first": True}}
    with open(os.path.join(a.to, "adapter_config.json"), "w", encoding="utf-8") as f:
        json.dump(config, f, indent=2)
        f.write("\n")


if __name__ == "__main__":
    main()
