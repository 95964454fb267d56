"""Makes the tiny models of test/fixtures/families/ and what the references say of them in test/golden/families/.

usage: python make_families.py [FAMILY ...]

One file a family in families/, each with a list VARIANTS.
"""

import importlib
import json
import shutil
import sys
from pathlib import Path

import mlx.core as mx
import numpy as np

from greedy import margin, top_steps
from references import MlxLm, Transformers, shapes
from variant import Variant, weights

ROOT = Path(__file__).parents[2] / "test"
MODELS, GOLDEN = ROOT / "fixtures" / "families", ROOT / "golden" / "families"
STEPS, KEPT = 64, (0, 1, 2, 15, 31, 63)
# Ids are a matter of rounding where the best and the second best are nearer than this.
MARGIN = 2e-3
# The long one is past every window and every length at which a tiny model's positions change.
LENGTHS = (5, 60)


def folder_of(family: str, variant: Variant) -> Path:
    return MODELS / family / (variant.weights_of or variant.name)


def write_weights(family: str, variant: Variant) -> None:
    folder = folder_of(family, variant)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    write_config(folder, variant.config)
    arrays = {k: mx.array(w) for k, w in weights(shapes(variant.config), variant).items()}
    dtype = {"float32": mx.float32}.get(variant.config.get("dtype"), mx.bfloat16)
    arrays = {k: a.astype(dtype) for k, a in arrays.items()}
    mx.save_safetensors(str(folder / "model.safetensors"), arrays, {"format": "pt"})


def write_config(folder: Path, config: dict) -> None:
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n")


def prompts(variant: Variant, attempt: int) -> list[list[int]]:
    rng = np.random.default_rng((variant.seed, attempt))
    return [rng.integers(3, variant.config["vocab_size"], length).tolist() for length in LENGTHS]


def mlx_changes(variant: Variant) -> dict:
    return variant.mlx


def case(variant: Variant, folder: Path, prompt: list[int]) -> tuple[dict, float, float]:
    """What the counting reference says, its margin, and the other one's greatest difference."""
    references = []
    if variant.reference != "mlx-lm":
        references.append(Transformers(folder, variant.cached))
    if variant.reference != "transformers":
        references.append(MlxLm(folder, mlx_changes(variant)))
    ids, rows = references[0].run(prompt, STEPS)
    gap = 0.0
    for other in references[1:]:
        _, others = other.run(prompt, STEPS, forced=ids)
        gap = max(gap, float(np.abs(rows - others).max()))
    steps = top_steps(rows)
    kept = [{"step": s, **steps[s]} for s in KEPT]
    for entry in kept:
        entry["logprobs"] = [round(value, 4) for value in entry["logprobs"]]
    return {"prompt": prompt, "ids": ids, "steps": kept}, margin(rows), gap


def golden(family: str, variant: Variant) -> dict:
    folder = folder_of(family, variant)
    if variant.weights_of:
        base, folder = folder, MODELS / family / f".{variant.name}"
        shutil.copytree(base, folder, dirs_exist_ok=True)
        write_config(folder, variant.config)
    for attempt in range(100):
        cases, margins, gaps = zip(*(case(variant, folder, p) for p in prompts(variant, attempt)))
        if min(margins) >= MARGIN:
            break
    else:
        raise SystemExit(f"{family} {variant.name}: no prompts with a clear best token; choose another seed")
    note = f"difference of the references {max(gaps):.6f}" if variant.reference == "both" else variant.reference
    print(f"{family} {variant.name}: margin {min(margins):.4f} (attempt {attempt}), {note}", flush=True)
    if max(gaps) > 5e-4:
        raise SystemExit("the references differ: find out why, and name the one that counts")
    entry = {"name": variant.name, "reference": variant.reference, "because": variant.because}
    if variant.weights_of:
        shutil.rmtree(folder)
        entry |= {"weights": variant.weights_of, "config": variant.config}
    return {**entry, "cases": list(cases)}


def make(family: str) -> None:
    variants: list[Variant] = importlib.import_module(f"families.{family}").VARIANTS
    for variant in variants:
        if not variant.weights_of:
            write_weights(family, variant)
    GOLDEN.mkdir(parents=True, exist_ok=True)
    text = json.dumps([golden(family, v) for v in variants], separators=(",", ":"))
    (GOLDEN / f"{family}.json").write_text(text.replace('{"', '\n{"') + "\n")


def main() -> None:
    here = Path(__file__).parent / "families"
    for family in sys.argv[1:] or sorted(p.stem for p in here.glob("[a-z]*.py")):
        make(family)


if __name__ == "__main__":
    main()
