"""Makes test/golden/decoders/prompt-scores.json: log-probabilities of a prompt's own tokens by mlx-lm, checked with transformers.

usage: python prompt_scores.py
"""

import json
from pathlib import Path

import mlx.core as mx
import numpy as np
import torch
from transformers import AutoModelForCausalLM

from greedy import load, run_transformers

TEST = Path(__file__).parents[2] / "test"
MODEL = "tiny-f32"
# More than the engine reads in one step, and not a multiple of it.
LENGTH = 150
SEED = 5


def main() -> None:
    folder = TEST / "fixtures" / "models" / MODEL
    vocabulary = json.loads((folder / "config.json").read_text())["vocab_size"]
    prompt = np.random.default_rng(SEED).integers(0, vocabulary, LENGTH).tolist()
    logits = load(folder)(mx.array([prompt]))[0, :-1].astype(mx.float32)
    rows = np.array(logits - mx.logsumexp(logits, axis=-1, keepdims=True))
    scores = [float(row[token]) for row, token in zip(rows, prompt[1:])]
    reference = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    others = run_transformers(reference, prompt[:1], prompt[1:])
    gap = max(abs(score - row[token]) for score, row, token in zip(scores, others, prompt[1:]))
    print(f"{LENGTH} tokens, greatest difference of transformers {gap:.1e}")
    golden = {"model": MODEL, "prompt": prompt, "scores": [round(score, 5) for score in scores]}
    (TEST / "golden" / "decoders" / "prompt-scores.json").write_text(json.dumps(golden) + "\n")


main()
