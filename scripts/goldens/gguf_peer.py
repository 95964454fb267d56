"""What llama.cpp itself computes from the files of gguf_families.py: test/golden/quantized/gguf-llama-cpp.json.

usage: python gguf_peer.py [ARCHITECTURE ...]

Those named are computed again, the others kept.
Needs xllamacpp (tested with 2026.10.11549) beside requirements.txt. The files are written in float32, which llama.cpp
multiplies without rounding activations, with keys and values in float32.
"""

import json
import sys
import tempfile
from pathlib import Path

import numpy as np
import xllamacpp as llama

from gguf_families import FILES, File, write

OUT = Path(__file__).parents[2] / "test" / "golden" / "quantized" / "gguf-llama-cpp.json"
STEPS = 32
# Below this gap between best and second best, rounding decides the ids.
MARGIN = 5e-3
LENGTHS = (5, 60)


def server(path: Path) -> llama.Server:
    params = llama.CommonParams()
    params.model.path = str(path)
    params.n_ctx = 512
    params.n_parallel = 1
    params.warmup = False
    params.verbosity = -1
    params.cache_type_k = params.cache_type_v = llama.ggml_type.GGML_TYPE_F32
    params.flash_attn_type = llama.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_DISABLED
    return llama.Server(params)


def reply(model: llama.Server, prompt: list[int]) -> list[dict]:
    request = {
        "prompt": prompt, "n_predict": STEPS, "temperature": 0, "logprobs": 2, "cache_prompt": False,
    }
    return model.handle_completions(request)["choices"][0]["logprobs"]["content"]


def case(model: llama.Server, vocabulary: int, length: int) -> dict:
    rng = np.random.default_rng((length, 1))
    for _ in range(50):
        prompt = rng.integers(3, vocabulary, length).tolist()
        steps = reply(model, prompt)
        tops = [[top["logprob"] for top in step["top_logprobs"]] for step in steps]
        # An end token ends the reply.
        if len(steps) == STEPS and min(first - second for first, second in tops) >= MARGIN:
            logprobs = [round(step["logprob"], 5) for step in steps]
            return {"prompt": prompt, "ids": [step["id"] for step in steps], "logprobs": logprobs}
    raise SystemExit("no prompt with a clear best token")


def golden(file: File, folder: Path) -> dict:
    path = folder / f"{file.architecture}.gguf"
    write(file, path, float32=True)
    model = server(path)
    cases = [case(model, 96, length) for length in LENGTHS]
    return {"architecture": file.architecture, "file": f"{file.family}/{file.name}.gguf", "cases": cases}


def main() -> None:
    wanted, rows = sys.argv[1:], []
    kept = {row["file"]: row for row in json.loads(OUT.read_text())} if wanted else {}
    with tempfile.TemporaryDirectory() as folder:
        for file in FILES:
            if not file.peer:
                continue
            if wanted and file.architecture not in wanted:
                rows.append(kept[f"{file.family}/{file.name}.gguf"])
                continue
            rows.append(golden(file, Path(folder)))
            print(file.architecture, flush=True)
    OUT.write_text(json.dumps(rows, separators=(",", ":")).replace('{"', '\n{"') + "\n")


if __name__ == "__main__":
    main()
