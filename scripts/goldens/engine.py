"""Makes test/golden/decoders/smollm2-greedy.json: greedy continuations of the demo's base weights by mlx-lm in float32.

usage: python engine.py [PATH_OF_THE_GGUF]
"""

import json
import os
import sys
import tempfile
from pathlib import Path

import torch
from transformers import AutoModelForCausalLM

from gguf_folder import make_folder, make_tokenizer
from greedy import load, margin, run_mlx, run_transformers, top_steps

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
GGUF = CACHE / "llm-host" / "demo" / "SmolLM2-135M-Instruct.Q4_1.gguf"
OUT = Path(__file__).parents[2] / "test" / "golden" / "decoders" / "smollm2-greedy.json"
STEPS = 24


def chat(user: str, system: str = "You are a helpful assistant.") -> str:
    return (
        f"<|im_start|>system\n{system}<|im_end|>\n<|im_start|>user\n{user}<|im_end|>\n<|im_start|>assistant\n"
    )


PROMPTS = [
    "The capital of France is",
    "Once upon a time, in a village by the sea, there lived an old fisherman who",
    "def fibonacci(n):\n    \"\"\"Return the n-th Fibonacci number.\"\"\"\n",
    "1, 1, 2, 3, 5, 8, 13, 21,",
    "東京は日本の首都です。 The city of 東京",
    chat("What is the capital of France?"),
    chat("Write a haiku about the sea 🌊🐟."),
    chat("Translate to English: ¿Dónde está la biblioteca?"),
    chat("List three uses of a hammer.", system="You are a terse carpenter. Answer in one line."),
    chat('What does this do?\n```js\nconst xs = [3, 1, 2];\nconsole.log(xs.sort((a, b) => a - b));\n```'),
]


def main() -> None:
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else GGUF
    tokenizer = make_tokenizer(path)
    cases, worst, differing = [], 0.0, 0
    with tempfile.TemporaryDirectory() as folder:
        make_folder(path, Path(folder))
        model = load(Path(folder))
        reference = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
        reference.eval()
        for text in PROMPTS:
            prompt = tokenizer.encode(text).ids
            ids, rows = run_mlx(model, prompt, STEPS)
            other = run_transformers(reference, prompt, ids)
            differing += int((other.argmax(-1) != ids).sum())
            steps = top_steps(rows)
            gap = max(abs(rows[s][i] - other[s][i]) for s, step in enumerate(steps) for i in step["ids"])
            worst = max(worst, float(gap))
            cases.append({"text": text, "prompt": prompt, "ids": ids, "steps": steps})
            print(f"{len(prompt):3} ids, margin {margin(rows):.4f}, difference {gap:.6f}: {tokenizer.decode(ids)!r}",
                  flush=True)
    print(f"greatest difference to transformers in the top logprobs: {worst:.6f}; other argmax: {differing} steps")
    OUT.write_text(json.dumps(cases, ensure_ascii=False, separators=(",", ":")).replace('{"', '\n{"') + "\n")


if __name__ == "__main__":
    main()
