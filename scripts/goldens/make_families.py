"""Makes the tiny models of test/fixtures/families/ and the references' results in test/golden/families/.

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

from checkpoints.random_hf import convert
from gguf_file import write_gguf
from greedy import margin, packed_steps
from references import MlxLm, Transformers, shapes
from variant import Variant, weights

ROOT = Path(__file__).parents[2] / "test"
MODELS, GOLDEN = ROOT / "fixtures" / "families", ROOT / "golden" / "families"
STEPS = 64
# Below this gap between best and second best, rounding decides the ids.
MARGIN = 2e-3
# The long one exceeds every window and every length at which a tiny model's rope changes.
LENGTHS = (5, 60)


def folder_of(family: str, variant: Variant) -> Path:
    """What the references read."""
    # A GGUF file's values as a folder: not kept.
    return MODELS / family / (f".{variant.name}" if variant.gguf else variant.weights_of or variant.name)


def write_weights(family: str, variant: Variant) -> None:
    folder = folder_of(family, variant)
    plain = folder.with_name(".plain") if variant.mlx_lm_converts else folder
    arrays = weights(shapes(variant.config), variant)
    dtype = {"float32": mx.float32}.get(variant.config.get("dtype"), mx.bfloat16)
    if variant.gguf:
        arrays = write_gguf(folder.with_name(f"{variant.name}.gguf"), variant.gguf, variant.config, arrays)
        dtype = mx.float32
    shutil.rmtree(plain, ignore_errors=True)
    plain.mkdir(parents=True)
    write_config(plain, variant.config)
    arrays = {k: mx.array(w).astype(dtype) for k, w in arrays.items()}
    mx.save_safetensors(str(plain / "model.safetensors"), arrays, {"format": "pt"})
    if variant.mlx_lm_converts:
        convert(plain, folder, variant.mlx_lm_converts)
        shutil.rmtree(plain)


def write_config(folder: Path, config: dict) -> None:
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n")


def prompts(variant: Variant, attempt: int) -> list[list[int]]:
    rng = np.random.default_rng((variant.seed, attempt))
    return [rng.integers(3, variant.config["vocab_size"], length).tolist() for length in LENGTHS]


def case(variant: Variant, folder: Path, prompt: list[int]) -> tuple[dict, float, float]:
    """The deciding reference's result, its margin, and the other one's greatest difference."""
    references = []
    if variant.reference != "mlx-lm":
        references.append(Transformers(folder, variant.cached))
    if variant.reference != "transformers":
        references.append(MlxLm(folder, variant.mlx))
    ids, rows = references[0].run(prompt, STEPS)
    gap = 0.0
    for other in references[1:]:
        _, others = other.run(prompt, STEPS, forced=ids)
        gap = max(gap, float(np.abs(rows - others).max()))
    return {"prompt": prompt, "ids": ids, "top": packed_steps(rows)}, margin(rows), gap


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
    if variant.gguf:
        shutil.rmtree(folder)
        entry |= {"file": f"{variant.name}.gguf"}
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
