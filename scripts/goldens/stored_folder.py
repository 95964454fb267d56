"""Reads a model folder of one safetensors file, with numpy alone."""

import json
from pathlib import Path

import numpy as np


def read_folder(folder: Path) -> tuple[dict, dict[str, np.ndarray]]:
    """config.json, and the tensors by name: bfloat16 as float32, other types as they are."""
    config = json.loads((folder / "config.json").read_text())
    data = (folder / "model.safetensors").read_bytes()
    start = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:start])
    header.pop("__metadata__", None)
    return config, {name: values(entry, data[start:]) for name, entry in header.items()}


def values(entry: dict, data: bytes) -> np.ndarray:
    begin, end = entry["data_offsets"]
    dtype = {"F32": np.float32, "F16": np.float16, "BF16": np.uint16, "U8": np.uint8}[entry["dtype"]]
    array = np.frombuffer(data[begin:end], dtype).reshape(entry["shape"])
    if entry["dtype"] == "BF16":
        return (array.astype(np.uint32) << 16).view(np.float32)
    return array
