"""Makes test/golden/precision/stored.json: what mlx-lm computes of the tiny models in the types that their files hold.

usage: python stored.py [FAMILY ...]

Those named are computed again, the others kept.
Each step is forced along the ids of the float32 goldens, so that rounding decides none of them.
"""

import importlib
import json
import shutil
import sys
from pathlib import Path

import mlx.core as mx
import numpy as np
from mlx_lm.models.cache import make_prompt_cache
from mlx_lm.utils import load_model

from greedy import packed_steps

ROOT = Path(__file__).parents[2] / "test"
MODELS, GOLDEN = ROOT / "fixtures", ROOT / "golden"
STEPS = 8


def rows(folder: Path, changes: dict, prompt: list[int], ids: list[int]) -> np.ndarray:
    """Log-probabilities [STEPS, vocabulary], in float32 from logits of the model's own type."""
    model, _ = load_model(folder, model_config=changes)
    model.eval()
    cache, feed, result = make_prompt_cache(model), prompt, []
    for step in range(STEPS):
        logits = model(mx.array([feed]), cache=cache)[0, -1].astype(mx.float32)
        result.append(np.array(logits - mx.logsumexp(logits, axis=-1, keepdims=True)))
        feed = ids[step : step + 1]
    return np.stack(result)


def variants():
    """Folder, changes for mlx-lm and the float32 golden of each model that mlx-lm reads correctly."""
    for path in sorted((GOLDEN / "families").glob("*.json")):
        known = {}
        try:
            known = {v.name: v.mlx for v in importlib.import_module(f"families.{path.stem}").VARIANTS}
        except ModuleNotFoundError:
            pass
        for golden in json.loads(path.read_text()):
            if golden["reference"] != "transformers" and "file" not in golden:
                yield path.stem, golden, known.get(golden["name"], {})


def folder_of(family: str, golden: dict, scratch: Path) -> Path:
    base = MODELS / "families" / family / golden.get("weights", golden["name"])
    if "config" not in golden:
        return base
    shutil.rmtree(scratch, ignore_errors=True)
    shutil.copytree(base, scratch)
    (scratch / "config.json").write_text(json.dumps(golden["config"]))
    return scratch


def cases(folder: Path, changes: dict, golden: dict) -> dict:
    """All of them, or why there are none."""
    print(folder.parent.name, folder.name, golden.get("name", ""), flush=True)
    try:
        return {"cases": [case(folder, changes, each) for each in golden["cases"]]}
    except RuntimeError as error:
        if "GatherMM" not in str(error):
            raise
        return {"skip": "MLX's CPU backend multiplies dense experts in float32 only (GatherMM)"}


def case(folder: Path, changes: dict, golden: dict) -> dict:
    top = packed_steps(rows(folder, changes, golden["prompt"], golden["ids"]))
    return {"prompt": golden["prompt"], "ids": golden["ids"][:STEPS], "top": top}


def main() -> None:
    mx.set_default_device(mx.cpu)
    scratch = MODELS / ".stored"
    wanted, results = sys.argv[1:], []
    if wanted:
        results = [row for row in json.loads((GOLDEN / "precision" / "stored.json").read_text()) if row.get("family") not in wanted]
    for family, golden, changes in variants():
        if wanted and family not in wanted:
            continue
        folder = folder_of(family, golden, scratch)
        results.append({"family": family, "name": golden["name"]} | cases(folder, changes, golden))
    tiny = ("tiny-bf16", "tiny-f16", "tiny-bias-llama3", "tiny-mistral", "tiny-q4", "tiny-q8")
    for name in () if wanted else tiny:
        golden = next(g for g in json.loads((GOLDEN / "decoders" / "tiny.json").read_text()) if g["model"] == name)
        results.append({"model": name} | cases(MODELS / "models" / name, {}, golden))
    shutil.rmtree(scratch, ignore_errors=True)
    text = json.dumps(results, separators=(",", ":"))
    (GOLDEN / "precision" / "stored.json").write_text(text.replace('{"', '\n{"') + "\n")


if __name__ == "__main__":
    main()
