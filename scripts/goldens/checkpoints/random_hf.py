"""Random checkpoints of the families that transformers knows, and their greedy continuations in float32.

For families whose checkpoints name and lay out their tensors otherwise than the model that transformers makes of
them: experts above all. A family's own file lists its variants and calls `main`. The reference is transformers, or
mlx-lm for what its own converter makes; both are run where both can.

usage, in scripts/goldens: python -m checkpoints.FAMILY
"""

import json
import math
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable

import mlx.core as mx
import numpy as np
import torch
from mlx.utils import tree_flatten
from mlx_lm.utils import load_model, quantize_model
from safetensors.torch import load_file, save_file
from transformers import AutoConfig, AutoModelForCausalLM

from greedy import load, margin, packed_steps, run_mlx

TEST = Path(__file__).parents[3] / "test"
MODELS, GOLDEN = TEST / "fixtures" / "families", TEST / "golden" / "families"
STEPS = 64
# Below this gap between best and second best, rounding decides the ids.
MARGIN = 2e-3
# The long one exceeds every window of the tiny models and one chunk of a prompt.
LENGTHS = (5, 75)
VOCAB = 96
SEED = 7

Tensors = dict[str, torch.Tensor]
FINAL_NORMS = [f"model.{name}.weight" for name in ("norm", "embedding_norm", "norm_f", "final_layernorm")]


@dataclass
class Variant:
    name: str
    config: dict
    # Keys kept as they are; the rest is what transformers writes.
    old_config: bool = False
    # If mlx-lm is not compared with transformers: why.
    because: str = ""
    # Applied to the tensors as saved.
    store: Callable[[Tensors], Tensors] | None = None
    # What the reference reads, if it differs from what is stored.
    reference: Callable[[Tensors], Tensors] | None = None
    # Keys that only the stored config has.
    extra: dict = field(default_factory=dict)
    # Run MLX's converter with this quantization ({} = none); mlx-lm is the reference then.
    mlx: dict | None = None
    seed: int = SEED


def fill(model, seed: int) -> None:
    """Values that make every part matter, which no family's own initialization does."""
    rng = np.random.default_rng(seed)
    # Stored minus 1.
    shift = 1 if model.config.model_type.startswith(("qwen3_5", "qwen3_next")) else 0
    stored = ("expert_bias", "correction_bias", "layer_scalar")
    buffers = [(name, b) for name, b in model.named_buffers() if name.endswith(stored)]
    for name, p in sorted([*model.named_parameters(), *buffers]):
        shape, last = tuple(p.shape), name.split(".")[-1]
        if name in FINAL_NORMS:
            # Both signs: otherwise a tied model repeats one token.
            values = rng.normal(0, 1.5, shape) - shift
        elif "norm" in name:
            values = 1 + rng.normal(0, 0.2, shape) - (0 if "linear_attn" in name else shift)
        elif last == "A_log":
            values = np.log(rng.uniform(1, 16, shape))
        elif last == "dt_bias":
            values = rng.uniform(-3, 1, shape)
        elif last in ("scale", "per_expert_scale", "layer_scalar", "correct_output_scale"):
            values = rng.uniform(0.5, 1.2, shape)
        elif "modality_router" in name:
            # Its input is divided by its length.
            values = rng.normal(0, 1.5 * math.sqrt(shape[-1]), shape)
        elif last in ("D", "sinks"):
            values = rng.normal(0, 1, shape)
        elif "bias" in last:
            values = rng.normal(0, 0.2, shape)
        elif "embed" in name:
            # Small compared with what the layers add: otherwise a tied model repeats its token.
            values = rng.normal(0, 0.3 / getattr(model.config, "embedding_multiplier", 1), shape)
        elif "conv" in name and len(shape) == 3:
            values = rng.normal(0, 0.6, shape)
        else:
            inputs = shape[1] if model.config.model_type == "gpt_oss" and len(shape) == 3 else shape[-1]
            values = rng.normal(0, 1.5 / math.sqrt(inputs), shape)
        p.data.copy_(torch.tensor(values))


def make(family: str, variant: Variant, folder: Path) -> None:
    """The checkpoint as Hugging Face names it, in bfloat16."""
    shutil.rmtree(folder, ignore_errors=True)
    config = AutoConfig.for_model(family, **variant.config)
    model = AutoModelForCausalLM.from_config(config).eval()
    with torch.no_grad():
        fill(model, variant.seed)
    model.to(torch.bfloat16).save_pretrained(folder)
    (folder / "generation_config.json").unlink(missing_ok=True)
    if variant.old_config:
        text = {"model_type": family, "architectures": config.architectures, "torch_dtype": "bfloat16"}
        (folder / "config.json").write_text(json.dumps(text | variant.config, indent=2) + "\n")


def rewrite(folder: Path, change: Callable[[Tensors], Tensors], extra: dict) -> None:
    path = folder / "model.safetensors"
    tensors = {name: t.contiguous() for name, t in change(load_file(path)).items()}
    save_file(tensors, path, {"format": "pt"})
    config = json.loads((folder / "config.json").read_text()) | extra
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n")


def convert(source: Path, folder: Path, quantization: dict) -> None:
    """`source` converted by mlx-lm: its own names and layouts, quantized."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    model, config = load_model(source)
    if quantization:
        model, config = quantize_model(model, config, **quantization)
    mx.save_safetensors(str(folder / "model.safetensors"), dict(tree_flatten(model.parameters())))
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n")


def run_transformers(folder: Path, prompt: list[int]) -> tuple[list[int], np.ndarray]:
    """Rereads the whole text for each token: no cache, so each step is a prefill."""
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager").eval()
    ids, rows = [], []
    with torch.no_grad():
        for _ in range(STEPS):
            row = torch.log_softmax(model(torch.tensor([prompt + ids])).logits[0, -1].float(), -1).numpy()
            ids.append(int(row.argmax()))
            rows.append(row)
    return ids, np.stack(rows)


def prompts(variant: Variant, attempt: int) -> list[list[int]]:
    rng = np.random.default_rng((variant.seed, attempt))
    return [rng.integers(3, VOCAB, length).tolist() for length in LENGTHS]


def write_model(family: str, variant: Variant, plain: Path) -> Path:
    """The folder to test; in `plain` what transformers is to read."""
    folder = MODELS / family / variant.name
    make(family, variant, plain)
    shutil.rmtree(folder, ignore_errors=True)
    if variant.mlx is not None:
        if variant.store:
            rewrite(plain, variant.store, variant.extra)
        convert(plain, folder, variant.mlx)
        return folder
    shutil.copytree(plain, folder)
    if variant.store:
        rewrite(folder, variant.store, variant.extra)
    if variant.reference:
        rewrite(plain, variant.reference, {})
    return folder


def case(variant: Variant, folder: Path, prompt: list[int]) -> tuple[dict, np.ndarray]:
    ids, rows = run_transformers(folder, prompt) if variant.mlx is None else run_mlx(load(folder), prompt, STEPS)
    return {"prompt": prompt, "ids": ids, "top": packed_steps(rows)}, rows


def golden(family: str, variant: Variant) -> dict:
    plain = MODELS / family / ".plain"
    folder = write_model(family, variant, plain)
    if variant.mlx is not None:
        plain = folder
    for attempt in range(100):
        cases, rows = zip(*(case(variant, plain, p) for p in prompts(variant, attempt)))
        margins = [margin(r) for r in rows]
        if min(margins) >= MARGIN:
            break
    else:
        raise SystemExit(f"{family} {variant.name}: no prompts with a clear best token; choose another seed")
    different = [len(set(c["ids"])) for c in cases]
    print(f"{family} {variant.name}: margin {min(margins):.4f} (attempt {attempt}), {different} different ids", flush=True)
    reference = "transformers" if variant.mlx is None else "mlx-lm"
    if reference == "transformers" and not variant.because:
        compare(plain, cases, rows)
        reference = "both"
    because = variant.because or ("transformers does not read what MLX's converter makes" if variant.mlx else "")
    return {"name": variant.name, "reference": reference, "because": because, "cases": list(cases)}


def compare(folder: Path, cases: tuple[dict, ...], expected: tuple[np.ndarray, ...]) -> None:
    model, worst = load(folder), 0.0
    for each, wanted in zip(cases, expected):
        ids, rows = run_mlx(model, each["prompt"], STEPS)
        if ids != each["ids"]:
            raise SystemExit(f"{folder}: mlx-lm goes on with {ids}")
        worst = max(worst, float(np.abs(rows - wanted).max()))
    print(f"  difference of the references {worst:.6f}", flush=True)
    if worst > 5e-4:
        raise SystemExit("the references differ: find out why, and say so in `because`")


def main(family: str, variants: list[Variant]) -> None:
    torch.set_num_threads(1)
    mx.set_default_device(mx.cpu)
    GOLDEN.mkdir(parents=True, exist_ok=True)
    text = json.dumps([golden(family, v) for v in variants], separators=(",", ":"))
    (GOLDEN / f"{family}.json").write_text(text.replace('{"', '\n{"') + "\n")
    shutil.rmtree(MODELS / family / ".plain", ignore_errors=True)
