"""An exported adapter as packages/demo-weights stores it: 8 bits a number, a scale for each row of A and each column of B.

Usage: python eight_bits.py [FOLDER [TO]]
"""

import shutil
import sys
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file, save_file

HERE = Path(__file__).resolve().parent
STORED = HERE.parents[1] / "packages" / "demo-weights" / "adapter"


def eight_bits(tensors) -> dict:
    out = {}
    for name, tensor in tensors.items():
        numbers = tensor.astype(np.float64)
        largest = np.abs(numbers).max(1 if name.endswith("lora_a") else 0, keepdims=True)
        scales = (np.maximum(largest, 1e-4) / 127).astype(np.float16)
        out[name] = np.clip(np.round(numbers / scales.astype(np.float64)), -127, 127).astype(np.int8)
        out[name + ".scales"] = scales
    return out


def main():
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else HERE / ".cache" / "adapter")
    to = Path(sys.argv[2]) if len(sys.argv) > 2 else STORED
    save_file(eight_bits(load_file(folder / "adapters.safetensors")), to / "adapters.int8.safetensors", metadata={"format": "mlx"})
    shutil.copy(folder / "adapter_config.json", to)


if __name__ == "__main__":
    main()
