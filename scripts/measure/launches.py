"""What mlx-lm launches for a token: writes models to OUT and prints {name: kernels} as JSON.

usage: python launches.py OUT FAMILIES [GGUF ADAPTER]

The models have small matrices, since the number of kernels does not depend on their size, and as many layers as a
published one: those of SmolLM2-135M, and for other families the tests' models of FAMILIES with their layers repeated.
GGUF and ADAPTER are counted as "demo". What is one kernel on a GPU and has no operation of its own on a CPU is replaced by
one that has: MLX's fused functions, and mlx-lm's own kernels for a step of Mamba-2 and of Gated DeltaNet.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

import mlx.core as mx
import mlx_lm.models.granitemoehybrid as granitemoehybrid
import mlx_lm.models.qwen3_next as qwen3_next
from mlx.utils import tree_flatten
from mlx_lm.models.cache import make_prompt_cache
from mlx_lm.models.gated_delta import compute_g
from mlx_lm.models.ssm import compute_dt
from mlx_lm.utils import load_adapters, load_model

VIEWS = {
    "AsStrided", "Broadcast", "BroadcastAxes", "Copy", "Depends", "ExpandDims", "Flatten", "Reshape", "Slice", "Split",
    "Squeeze", "StopGradient", "Transpose", "Unflatten", "View",
}  # fmt: skip
# The tests' model, the published one that it is as deep as, and which of its layers come in which order.
DEEP = {
    "llama plain": ("Llama-3.2-1B", [0, 1] * 8),
    "qwen2 tied": ("Qwen2.5-0.5B", [0, 1] * 12),
    "qwen3 plain": ("Qwen3-0.6B", [0, 1] * 14),
    "mistral full": ("Mistral-7B", [0, 1] * 16),
    "ministral3 full": ("Ministral-3-3B", [0, 1] * 13),
    "phi3 plain": ("Phi-3-mini", [0, 1] * 16),
    "gemma3_text older-keys": ("gemma-3-1b", [0, 0, 0, 0, 0, 1] * 4 + [0, 0]),
    "granite tied": ("granite-4.0-1b", [0, 1] * 20),
    "smollm3 default": ("SmolLM3-3B", [0, 1, 2, 3] * 9),
    "gemma2 wide": ("gemma-2-2b", [0, 1] * 13),
    "seed_oss plain": ("Seed-OSS-36B", [0, 1] * 32),
    "ernie4_5 plain": ("ERNIE-4.5-0.3B", [0, 1] * 9),
    "glm4 biased": ("GLM-4-9B-0414", [0, 1] * 20),
    "hunyuan_v1_dense alpha": ("Hunyuan-7B", [0, 1] * 16),
    "olmo2 plain": ("OLMo-2-1B", [0, 1] * 8),
    "olmo3 every-fourth": ("Olmo-3-7B", [0, 1, 2, 3] * 8),
    "exaone4 no-windows": ("EXAONE-4.0-1.2B", [0, 1] * 15),
    "cohere2 every-fourth": ("c4ai-command-r7b", [0, 1, 2, 3] * 8),
    "phi plain": ("phi-2", [0, 1] * 16),
    "apertus llama3": ("Apertus-8B", [0, 1] * 16),
    "qwen3_next mlx": ("Qwen3-Next-80B-A3B", [0, 1, 2, 3] * 12),
    "lfm2 plain": ("LFM2-1.2B", [0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 1, 0, 1, 0, 1, 0]),
    "granitemoehybrid hybrid-dense": ("granite-4.0-h-1b", ([1] * 5 + [0] + [1] * 4) * 4),
    "granitemoe mlx": ("granite-3.1-1b-a400m", [0, 1] * 12),
    "qwen3_moe mlx": ("Qwen3-30B-A3B", [0] * 48),
    "lfm2_moe mlx": ("LFM2-8B-A1B", [0, 0] + ([1] + [2] * 3) * 5 + [1, 2]),
    "gpt_oss mlx": ("gpt-oss-20b", [0, 1] * 12),
}
# These also with matrices of 4 bits.
IN_4_BITS = ["phi3 plain"]
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


def write_deep(source: Path, layers: list[int], folder: Path, bits: int = 0) -> None:
    """The model of `source` with these of its layers, its matrices quantized if `bits` says so."""
    folder.mkdir(parents=True)
    config = json.loads((source / "config.json").read_text())
    old = config["num_hidden_layers"]
    for key, value in config.items():
        if isinstance(value, list) and len(value) == old and key != "time_step_limit":
            config[key] = [value[i] for i in layers]
    config["num_hidden_layers"] = len(layers)
    if "mlp_only_layers" in config:
        config["mlp_only_layers"] = []
    if "num_dense_layers" in config:
        config["num_dense_layers"] = layers.count(0)
    for key in ("quantization", "quantization_config"):
        for name, value in list(config.get(key, {}).items()):
            config[key] |= {new: value for new in copies(name, layers)}
    arrays = {}
    for file in source.glob("*.safetensors"):
        for name, array in mx.load(str(file)).items():
            arrays |= {new: array for new in copies(name, layers)}
    if bits:
        # The tests' models have no whole groups here.
        config |= {"intermediate_size": 64, "quantization": {"bits": bits, "group_size": 32}}
        wide = {"gate_up_proj": (128, config["hidden_size"]), "down_proj": (config["hidden_size"], 64)}
        for name in [name for name, array in arrays.items() if array.ndim == 2]:
            path, array = name.removesuffix(".weight"), arrays.pop(name)
            shape = wide.get(path.split(".")[-1], array.shape)
            parts = mx.quantize(mx.random.normal(shape).astype(array.dtype), 32, bits)
            arrays |= {f"{path}.{part}": value for part, value in zip(("weight", "scales", "biases"), parts)}
    (folder / "config.json").write_text(json.dumps(config))
    mx.save_safetensors(str(folder / "model.safetensors"), arrays, {"format": "mlx"})


def copies(name: str, layers: list[int]) -> list[str]:
    match = re.match(r"model\.layers\.(\d+)(\..*)", name)
    if not match:
        return [name]
    return [f"model.layers.{i}{match[2]}" for i, source in enumerate(layers) if source == int(match[1])]


def as_one_operation() -> None:
    mx.fast.rms_norm = lambda x, weight, eps: mx.sin(x)
    mx.fast.layer_norm = lambda x, weight, bias, eps: mx.sin(x)
    mx.fast.rope = lambda x, *args, **kwargs: mx.cos(x)

    def attention(q, k, v, **kwargs):
        return mx.depends([mx.tan(q)], [k, v])[0]

    mx.fast.scaled_dot_product_attention = attention

    def dequantize(w, scales, biases=None, **kwargs):
        bits = kwargs.get("bits", 4)
        wide = mx.broadcast_to(scales[..., :1], (*w.shape[:-1], w.shape[-1] * 32 // bits))
        return mx.depends([mx.erf(wide)], [w])[0]

    mx.dequantize = dequantize
    plain = granitemoehybrid.ssm_update

    def ssm_update(x, a_log, b, c, d, dt, dt_bias, state, limits, mask=None, lengths=None):
        if x.shape[1] > 1:
            return plain(x, a_log, b, c, d, dt, dt_bias, state, limits, mask, lengths)
        y = mx.depends([mx.erf(x)], [b, c, d, compute_dt(dt, dt_bias, limits), state])[0]
        return y, mx.depends([state], [y])[0]

    granitemoehybrid.ssm_update = ssm_update
    whole = qwen3_next.gated_delta_update

    def gated_delta_update(q, k, v, a, b, a_log, dt_bias, state, mask, use_kernel):
        if q.shape[1] > 1:
            return whole(q, k, v, a, b, a_log, dt_bias, state, mask)
        y = mx.depends([mx.erf(v)], [q, k, compute_g(a_log, a, dt_bias), mx.sigmoid(b), state])[0]
        return y, mx.depends([state], [y])[0]

    qwen3_next.gated_delta_update = gated_delta_update


def count(folder: Path, adapter: Path | None = None) -> int:
    model, _ = load_model(folder)
    if adapter:
        model = load_adapters(model, str(adapter))
    model.eval()
    mx.eval([p for _, p in tree_flatten(model.parameters())])
    cache = make_prompt_cache(model)
    mx.disable_compile()
    # The first token after a prompt makes room in some caches.
    for ids in [[5, 6, 7]], [[8]]:
        token = mx.argmax(model(mx.array(ids), cache=cache)[:, -1, :], axis=-1)
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
    for name, (published, layers) in DEEP.items():
        write_deep(Path(sys.argv[2], *name.split()), layers, out / name)
        counts[f"{name} as {published}"] = count(out / name)
        if name in IN_4_BITS:
            small = f"{name} 4-bit"
            write_deep(Path(sys.argv[2], *name.split()), layers, out / small, 4)
            counts[f"{small} as {published}"] = count(out / small)
    if len(sys.argv) > 3:
        converted = out / "demo"
        script = Path(__file__).parents[2] / "peers/gguf_to_mlx.py"
        subprocess.run([sys.executable, script, sys.argv[3], converted], check=True, stdout=sys.stderr)
        counts |= {"GGUF": count(converted), "demo": count(converted, Path(sys.argv[4]))}
    print(json.dumps(counts))


if __name__ == "__main__":
    main()
