"""Converts the demo's base weights to folders in the Hugging Face layout: OUT/float32 and OUT/bfloat16.

usage: python smollm2_folders.py OUT [PATH_OF_THE_GGUF]
"""

import shutil
import sys
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file

from engine import GGUF
from gguf_folder import make_folder, make_tokenizer


def main() -> None:
    out = Path(sys.argv[1])
    path = Path(sys.argv[2]) if len(sys.argv) > 2 else GGUF
    full, half = out / "float32", out / "bfloat16"
    make_folder(path, full)
    make_tokenizer(path).save(str(full / "tokenizer.json"))
    half.mkdir(parents=True, exist_ok=True)
    for name in ["config.json", "tokenizer.json"]:
        shutil.copy(full / name, half / name)
    weights = load_file(full / "model.safetensors")
    rounded = {name: tensor.to(torch.bfloat16) for name, tensor in weights.items()}
    save_file(rounded, half / "model.safetensors", metadata={"format": "pt"})


if __name__ == "__main__":
    main()
