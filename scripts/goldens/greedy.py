"""Greedy continuations with the log-probabilities of every step, by mlx-lm and by transformers, both in float32."""

import base64
from pathlib import Path

import mlx.core as mx
import numpy as np
import torch
from mlx_lm.models.cache import make_prompt_cache
from mlx_lm.utils import load_adapters, load_model

TOP = 20


def load(folder: Path, adapter: Path | None = None):
    """An mlx-lm model that computes in float32 on the CPU, whatever its weights' type."""
    mx.set_default_device(mx.cpu)
    model, _ = load_model(folder)
    if adapter is not None:
        model = load_adapters(model, str(adapter))
    model.set_dtype(mx.float32)
    model.eval()
    return model


def _log_softmax(logits: mx.array) -> np.ndarray:
    logits = logits.astype(mx.float32)
    return np.array(logits - mx.logsumexp(logits, axis=-1, keepdims=True))


def run_mlx(model, prompt: list[int], steps: int) -> tuple[list[int], np.ndarray]:
    """Ids [steps] and log-probabilities [steps, vocabulary]. End-of-sequence ids do not stop it."""
    cache = make_prompt_cache(model)
    ids, rows, feed = [], [], prompt
    for _ in range(steps):
        row = _log_softmax(model(mx.array([feed]), cache=cache)[0, -1])
        ids.append(int(row.argmax()))
        rows.append(row)
        feed = ids[-1:]
    return ids, np.stack(rows)


def run_transformers(model, prompt: list[int], ids: list[int]) -> np.ndarray:
    """Log-probabilities [len(ids), vocabulary] where `model` is forced along `ids`."""
    with torch.no_grad():
        logits = model(torch.tensor([prompt + ids[:-1]])).logits[0, len(prompt) - 1 :]
    return torch.log_softmax(logits.float(), -1).numpy()


def top_steps(rows: np.ndarray) -> list[dict]:
    """The TOP best ids of each step, best first, with log-probabilities rounded to 1e-5."""
    steps = []
    for row in rows:
        best = np.argsort(-row, kind="stable")[:TOP]
        steps.append({"ids": best.tolist(), "logprobs": [round(float(row[i]), 5) for i in best]})
    return steps


def packed_steps(rows: np.ndarray) -> dict:
    """The TOP best ids of each step, and how far each log-probability is below the one before (the first below 0).

    In base64: a byte for each id; each distance in units of 1e-4, seven bits a byte, the lowest first, the eighth set
    where more follow.
    """
    best = np.argsort(-rows, axis=-1, kind="stable")[:, :TOP]
    units = np.rint(-np.take_along_axis(rows, best, -1).astype(np.float64) * 1e4).astype(np.int64)
    drops = np.diff(units, axis=-1, prepend=0).ravel().tolist()
    packed = b"".join(_seven_bits(drop) for drop in drops)
    return {"ids": base64.b64encode(best.astype("u1").tobytes()).decode(), "drops": base64.b64encode(packed).decode()}


def _seven_bits(value: int) -> bytes:
    out = bytearray()
    while value >= 128:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def margin(rows: np.ndarray) -> float:
    """The smallest gap between the best and second best: with a tiny one, rounding would decide the ids."""
    best = np.sort(rows, axis=-1)
    return float((best[:, -1] - best[:, -2]).min())
