"""What mlx-lm launches for a token: writes tiny models to OUT and prints {name: kernels} as JSON.

usage: python launches.py OUT

A model has the layers of SmolLM2-135M, with small matrices: the number of kernels does not depend on their size. MLX's
fused functions have no operation of their own on a CPU, so each is replaced by one that has.
"""

import json
import re
import sys
from pathlib import Path

import mlx.core as mx
from mlx.utils import tree_flatten
from mlx_lm.models.cache import make_prompt_cache
from mlx_lm.utils import load_adapters, load_model

VIEWS = {
    "AsStrided", "Broadcast", "BroadcastAxes", "Contiguous", "Copy", "Depends", "ExpandDims", "Flatten", "Reshape",
    "Slice", "Split", "Squeeze", "StopGradient", "Transpose", "Unflatten", "View",
}  # fmt: skip
SHAPE = {
    "model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 30,
    "intermediate_size": 128, "num_attention_heads": 4, "num_key_value_heads": 2, "rms_norm_eps": 1e-5,
    "rope_theta": 10000.0, "max_position_embeddings": 512, "vocab_size": 128, "tie_word_embeddings": True,
}  # fmt: skip
SIZES = {"q": (64, 64), "k": (32, 64), "v": (32, 64), "o": (64, 64)}
MLP = {"gate": (128, 64), "up": (128, 64), "down": (64, 128)}
MODULES = {f"self_attn.{k}_proj": v for k, v in SIZES.items()} | {f"mlp.{k}_proj": v for k, v in MLP.items()}


def write_model(folder: Path, dtype: mx.Dtype, bits: int = 0) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    quantization = {"quantization": {"bits": bits, "group_size": 32}} if bits else {}
    (folder / "config.json").write_text(json.dumps(SHAPE | quantization))
    arrays = {"model.norm.weight": mx.ones(64, dtype)}

    def matrix(path: str, shape: tuple[int, int]) -> None:
        w = (mx.random.normal(shape) * 0.1).astype(dtype)
        names = ("weight", "scales", "biases")
        parts = mx.quantize(w, group_size=32, bits=bits) if bits else (w,)
        arrays.update({f"{path}.{name}": part for name, part in zip(names, parts)})

    matrix("model.embed_tokens", (128, 64))
    for i in range(SHAPE["num_hidden_layers"]):
        path = f"model.layers.{i}"
        for norm in ("input_layernorm", "post_attention_layernorm"):
            arrays[f"{path}.{norm}.weight"] = mx.ones(64, dtype)
        for name, shape in MODULES.items():
            matrix(f"{path}.{name}", shape)
    mx.save_safetensors(str(folder / "model.safetensors"), arrays, {"format": "mlx"})


def write_adapter(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    arrays = {}
    for i in range(SHAPE["num_hidden_layers"]):
        for name, (out, size) in MODULES.items():
            arrays[f"model.layers.{i}.{name}.lora_a"] = mx.random.normal((size, 8)).astype(mx.float32)
            arrays[f"model.layers.{i}.{name}.lora_b"] = mx.random.normal((8, out)).astype(mx.float32)
    parameters = {"rank": 8, "scale": 1.0, "dropout": 0.0, "keys": list(MODULES)}
    config = {"fine_tune_type": "lora", "num_layers": SHAPE["num_hidden_layers"], "lora_parameters": parameters}
    (folder / "adapter_config.json").write_text(json.dumps(config))
    mx.save_safetensors(str(folder / "adapters.safetensors"), arrays)


def as_one_operation() -> None:
    mx.fast.rms_norm = lambda x, weight, eps: mx.sin(x)
    mx.fast.rope = lambda x, *args, **kwargs: mx.cos(x)

    def attention(q, k, v, **kwargs):
        return mx.depends([mx.tan(q)], [k, v])[0]

    mx.fast.scaled_dot_product_attention = attention


def count(folder: Path, adapter: Path | None = None) -> int:
    model, _ = load_model(folder)
    if adapter:
        model = load_adapters(model, str(adapter))
    model.eval()
    mx.eval([p for _, p in tree_flatten(model.parameters())])
    cache = make_prompt_cache(model)
    mx.disable_compile()
    token = mx.argmax(model(mx.array([[5, 6, 7]]), cache=cache)[:, -1, :], axis=-1)
    mx.eval(token, [c.state for c in cache])
    mx.enable_compile()
    # As generate_step does.
    logits = model(token[None], cache=cache)[:, -1, :]
    token = mx.argmax(logits - mx.logsumexp(logits, keepdims=True), axis=-1)
    path = folder / "step.dot"
    mx.export_to_dot(str(path), token)
    names = re.findall(r'label ="([A-Za-z]+)', path.read_text())
    path.unlink()
    return sum(name not in VIEWS for name in names)


def main() -> None:
    out = Path(sys.argv[1])
    mx.set_default_device(mx.cpu)
    mx.random.seed(1)
    write_model(out / "bf16", mx.bfloat16)
    write_model(out / "f16", mx.float16)
    write_model(out / "4-bit", mx.bfloat16, 4)
    write_adapter(out / "adapter")
    as_one_operation()
    counts = {name: count(out / name) for name in ("bf16", "f16", "4-bit")}
    counts |= {f"{name} + adapter": count(out / name, out / "adapter") for name in ("bf16", "4-bit")}
    for folder in map(Path, sys.argv[2:]):
        counts[f"{folder.parent.name} {folder.name}"] = count(folder)
    print(json.dumps(counts))


if __name__ == "__main__":
    main()
