"""Makes test/golden/precision/smollm2-bf16.json: greedy texts of the demo's base weights by mlx-lm in bfloat16.

usage: python greedy_text.py [PATH_OF_THE_GGUF]
"""

import json
import os
import sys
import tempfile
from pathlib import Path

import mlx.core as mx
import numpy as np
from mlx_lm.generate import generate_step
from mlx_lm.utils import load_model

from gguf_folder import make_folder, make_tokenizer

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
GGUF = CACHE / "llm-host" / "demo" / "SmolLM2-135M-Instruct.Q4_1.gguf"
GOLDEN = Path(__file__).parents[2] / "test" / "golden"
STEPS = 64

# Beside the ten of smollm2-greedy.json.
TEXTS = [
    "Water boils at",
    "The three primary colours are",
    "To make a cup of tea, first",
    "SELECT name, age FROM users WHERE",
    "<html>\n<head>\n<title>",
    "Dear Sir or Madam,\n\nI am writing to",
    "In 1969, the first human being",
    "Q: What is the largest planet?\nA:",
    "The quick brown fox jumps over the lazy dog. The",
    "La capitale de l'Italie est",
]


def in_bfloat16(folder: Path) -> None:
    weights = mx.load(str(folder / "model.safetensors"))
    rounded = {name: weight.astype(mx.bfloat16) for name, weight in weights.items()}
    mx.eval(rounded)
    mx.save_safetensors(str(folder / "model.safetensors"), rounded, {"format": "pt"})


def case(model, text: str, prompt: list[int]) -> dict:
    """The ids, and of each step how much likelier the best token is than the second best: with 0, two are the same."""
    ids, gaps = [], []
    for token, logprobs in generate_step(mx.array(prompt), model, max_tokens=STEPS):
        second, best = np.sort(np.array(logprobs.astype(mx.float32)))[-2:]
        ids.append(int(token))
        gaps.append(round(float(best - second), 4))
    return {"text": text, "prompt": prompt, "ids": ids, "gaps": gaps}


def main() -> None:
    mx.set_default_device(mx.cpu)
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else GGUF
    tokenizer = make_tokenizer(path)
    known = json.loads((GOLDEN / "decoders" / "smollm2-greedy.json").read_text())
    prompts = [(c["text"], c["prompt"]) for c in known] + [(t, tokenizer.encode(t).ids) for t in TEXTS]
    cases = []
    with tempfile.TemporaryDirectory() as folder:
        make_folder(path, Path(folder))
        in_bfloat16(Path(folder))
        model, _ = load_model(Path(folder))
        for text, prompt in prompts:
            cases.append(case(model, text, prompt))
            print(f"{min(cases[-1]['gaps']):.4f} {tokenizer.decode(cases[-1]['ids'])!r}", flush=True)
    written = json.dumps(cases, ensure_ascii=False, separators=(",", ":"))
    (GOLDEN / "precision" / "smollm2-bf16.json").write_text(written.replace('{"', '\n{"') + "\n")


if __name__ == "__main__":
    main()
