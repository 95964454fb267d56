"""Adds decoders that turn texts into vectors, and encoders beyond those of encoders.py, to test/fixtures/encoders/,
and makes test/golden/encoders/embedders.json.

Tiny random models in folders as sentence-transformers writes them. The reference is transformers in float32, with
sentence-transformers' own modules behind it.
"""

import json
import math
import shutil
from dataclasses import dataclass, field

import numpy as np
import torch
from encoders import BASE, MODELS, PAIRS, TEST, TEXTS, train_tokenizer as wordpiece, write
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from torch import nn
from transformers import AutoConfig, AutoModel, AutoModelForCausalLM

GOLDEN = TEST / "golden" / "encoders" / "embedders.json"
MAX_TOKENS = 96
TEXTS = TEXTS + [
    "Which planet is known as the red planet?",
    "rain",
    "one two three four five six seven",
    "A much longer text about cats, mats and the weather of tomorrow: it will rain on cats and on mats. " * 2,
    "  leading and trailing spaces  ",
    "<|endoftext|> and <eos> are words here",
    "1234567890 + 0987654321 = ?",
    "def f(x):\n    return x * 2  # code",
]

DECODER = dict(
    hidden_size=32, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2, intermediate_size=64,
    max_position_embeddings=128, rms_norm_eps=1e-6,
)
QWEN3 = DECODER | dict(head_dim=24, rope_theta=1000000.0, tie_word_embeddings=True)
GEMMA3 = DECODER | dict(
    num_hidden_layers=3, head_dim=16, use_bidirectional_attention=True, query_pre_attn_scalar=16, sliding_window=16,
    layer_types=["sliding_attention", "full_attention", "sliding_attention"], rope_theta=1000000.0,
    rope_local_base_freq=10000.0, hidden_activation="gelu_pytorch_tanh",
)


# As the code published with those checkpoints calls them.
NOMIC_KEYS = {
    "hidden_size": "n_embd", "num_attention_heads": "n_head", "intermediate_size": "n_inner",
    "num_hidden_layers": "n_layer", "max_position_embeddings": "n_positions", "layer_norm_eps": "layer_norm_epsilon",
}


@dataclass
class Variant:
    name: str
    family: str
    config: dict
    pooling: str
    # With lm_head and the prefix of a model that has one.
    head: bool = False
    dtype: torch.dtype = torch.float32
    # Affine, in groups of 32, as MLX stores it.
    bits: int = 0
    # Width, bias and activation of each matrix behind the pooling.
    dense: list = field(default_factory=list)
    # Other names for the keys of config.json.
    keys: dict = field(default_factory=dict)
    seed: int = 1


VARIANTS = [
    Variant("qwen3", "qwen3", QWEN3, "lasttoken"),
    Variant("qwen3-head", "qwen3", QWEN3 | dict(
        num_hidden_layers=3, num_key_value_heads=1, head_dim=16, attention_bias=True, tie_word_embeddings=False,
        use_sliding_window=True, sliding_window=8,
        layer_types=["sliding_attention", "full_attention", "sliding_attention"],
    ), "lasttoken", head=True, dtype=torch.bfloat16, seed=2),
    Variant("qwen3-both-ways", "qwen3", QWEN3 | dict(
        num_hidden_layers=3, head_dim=16, is_causal=False, use_sliding_window=True, sliding_window=5,
        layer_types=["sliding_attention", "full_attention", "sliding_attention"],
    ), "lasttoken", seed=9),
    Variant("qwen3-mlx", "qwen3", QWEN3 | dict(head_dim=32), "lasttoken", head=True, bits=4, seed=3),
    Variant("gemma3", "gemma3_text", GEMMA3, "mean", dense=[(64, False, "Identity"), (32, False, "Identity")], seed=4),
    # A width whose root bfloat16 holds: the reference, in float32, does not round it.
    Variant("gemma3-one-kv", "gemma3_text", GEMMA3 | dict(
        hidden_size=64, num_hidden_layers=2, num_key_value_heads=1, sliding_window=7, layer_types=["full_attention", "sliding_attention"],
    ), "mean", dtype=torch.bfloat16, dense=[(48, False, "Identity")], seed=5),
    Variant("nomic", "nomic_bert", BASE | dict(max_position_embeddings=128, head_dim=16), "mean", seed=6),
    Variant("nomic-keys", "nomic_bert", BASE | dict(
        max_position_embeddings=128, num_attention_heads=4, head_dim=8, rope_parameters={"rope_theta": 500.0},
    ), "mean", dtype=torch.float16, keys=NOMIC_KEYS, seed=7),
    Variant("bert-dense", "bert", BASE | dict(max_position_embeddings=128), "cls", dense=[(24, True, "Tanh")], seed=8),
]


def train_tokenizer(family, size=420):
    """Byte-level BPE as Qwen's, or BPE with bytes for what it does not know, as Gemma's."""
    if "bert" in family:
        return wordpiece()
    gemma = family == "gemma3_text"
    special = ["<pad>", "<eos>", "<bos>", "<unk>"] if gemma else ["<|endoftext|>"]
    if gemma:
        tokenizer = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True))
        tokenizer.normalizer = normalizers.Replace(" ", "▁")
        tokenizer.pre_tokenizer = pre_tokenizers.Split(" ", "merged_with_previous")
        tokenizer.decoder = decoders.Sequence([
            decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(),
        ])
        special = special + [f"<0x{i:02X}>" for i in range(256)]
        alphabet = sorted(set("".join(TEXTS).replace(" ", "▁")) - set("東京"))
    else:
        tokenizer = Tokenizer(models.BPE())
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        tokenizer.decoder = decoders.ByteLevel()
        alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=size, special_tokens=special, initial_alphabet=alphabet, limit_alphabet=256, show_progress=False,
    )
    corpus = [text for text in TEXTS if "東京" not in text] + [text for pair in PAIRS for text in pair]
    tokenizer.train_from_iterator(corpus, trainer)
    return finished(tokenizer, gemma)


def finished(tokenizer, gemma):
    """With the special tokens around a text."""
    eos = "<eos>" if gemma else "<|endoftext|>"
    around = processors.TemplateProcessing(
        single=f"<bos> $A {eos}" if gemma else f"$A {eos}",
        pair=f"<bos> $A {eos} <bos> $B {eos}" if gemma else f"$A {eos} $B {eos}",
        special_tokens=[(token, tokenizer.token_to_id(token)) for token in ([eos, "<bos>"] if gemma else [eos])],
    )
    tokenizer.post_processor = around if gemma else processors.Sequence([processors.ByteLevel(), around])
    if gemma:
        # Bytes are ordinary tokens.
        kept = json.loads(tokenizer.to_str())
        kept["added_tokens"] = kept["added_tokens"][:4]
        tokenizer = Tokenizer.from_str(json.dumps(kept))
    return tokenizer


def fill(model, seed):
    rng = np.random.default_rng(seed)
    for name, p in sorted(model.named_parameters()):
        if "norm" in name.lower():
            values = rng.normal(0 if "gemma" in model.config.model_type else 1, 0.2, p.shape)
        elif name.endswith("bias"):
            values = rng.normal(0, 0.3, p.shape)
        elif "embed" in name:
            values = rng.normal(0, 0.5, p.shape)
        else:
            values = rng.normal(0, 1.5 / math.sqrt(p.shape[-1]), p.shape)
        p.data.copy_(torch.tensor(values))


def quantized(tensors, bits, group=32):
    """As MLX quantizes, and the values that its weights stand for."""
    stored, values = {}, {}
    for name, t in tensors.items():
        if t.ndim != 2 or "norm" in name:
            stored[name] = values[name] = t
            continue
        groups = t.float().reshape(t.shape[0], -1, group)
        low, high = groups.amin(-1, keepdim=True), groups.amax(-1, keepdim=True)
        scales = ((high - low) / (2**bits - 1)).clamp(min=1e-6)
        codes = ((groups - low) / scales).round()
        values[name] = (codes * scales + low).reshape(t.shape)
        words = codes.reshape(t.shape[0], -1, 32 // bits).to(torch.int64)
        packed = (words << (torch.arange(32 // bits) * bits)).sum(-1)
        path = name.removesuffix(".weight")
        stored[name] = torch.from_numpy(packed.numpy().astype(np.uint32))
        stored[f"{path}.scales"], stored[f"{path}.biases"] = scales[..., 0], low[..., 0]
    return stored, values


def make(variant, tokenizer):
    config = AutoConfig.for_model(variant.family, vocab_size=tokenizer.get_vocab_size(), **variant.config)
    kind = AutoModelForCausalLM if variant.head else AutoModel
    model = kind.from_config(config, attn_implementation="eager").eval()
    with torch.no_grad():
        fill(model, variant.seed)
    model = model.to(variant.dtype)
    folder = MODELS / variant.name
    shutil.rmtree(folder, ignore_errors=True)
    model.save_pretrained(folder)
    # As it was saved: the rotation's frequencies have not been rounded with the weights.
    model = kind.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager").eval()
    (folder / "generation_config.json").unlink(missing_ok=True)
    if variant.keys:
        rename_keys(folder / "config.json", variant.keys)
    if variant.bits:
        quantize(model, folder, variant.bits)
    tokenizer.save(str(folder / "tokenizer.json"))
    write(folder / "tokenizer_config.json", {"tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": MAX_TOKENS})
    dense = make_dense(variant, folder)
    write_modules(variant, folder, len(dense))
    return (model.model if variant.head else model), dense


def rename_keys(path, keys):
    config = {keys.get(key, key): value for key, value in json.loads(path.read_text()).items()}
    theta = config.pop("rope_parameters")["rope_theta"]
    del config["hidden_act"], config["head_dim"]
    write(path, config | {"rotary_emb_base": theta, "activation_function": "swiglu", "qkv_proj_bias": False})


def quantize(model, folder, bits):
    path = folder / "model.safetensors"
    stored, values = quantized(load_file(path), bits)
    model.load_state_dict(values, strict=False)
    save_file(stored, path, {"format": "mlx"})
    config = json.loads((folder / "config.json").read_text())
    config["quantization"] = {"group_size": 32, "bits": bits}
    write(folder / "config.json", config)


ACTIVATIONS = {"Identity": ("torch.nn.modules.linear.Identity", nn.Identity()), "Tanh": ("torch.nn.modules.activation.Tanh", nn.Tanh())}


def make_dense(variant, folder):
    """Writes the modules behind the pooling -> they themselves."""
    rng = np.random.default_rng(variant.seed + 100)
    width, modules = variant.config["hidden_size"], []
    for i, (out, bias, activation) in enumerate(variant.dense):
        linear = nn.Linear(width, out, bias=bias)
        for p in linear.parameters():
            p.data.copy_(torch.tensor(rng.normal(0, 1 / math.sqrt(width), p.shape)))
        name, function = ACTIVATIONS[activation]
        path = folder / f"{i + 2}_Dense"
        write(path / "config.json", {
            "in_features": width, "out_features": out, "bias": bias, "activation_function": name,
        })
        save_file({f"linear.{key}": value for key, value in linear.state_dict().items()}, path / "model.safetensors")
        modules.append(nn.Sequential(linear, function))
        width = out
    return modules


def write_modules(variant, folder, dense):
    kinds = ["Transformer", "Pooling", *["Dense"] * dense, "Normalize"]
    write(folder / "modules.json", [
        {"idx": i, "name": str(i), "path": "" if i == 0 else f"{i}_{kind}", "type": f"sentence_transformers.models.{kind}"}
        for i, kind in enumerate(kinds)
    ])
    switches = {
        "mean": "pooling_mode_mean_tokens", "cls": "pooling_mode_cls_token", "lasttoken": "pooling_mode_lasttoken",
    }
    write(folder / "1_Pooling" / "config.json", {
        "word_embedding_dimension": variant.config["hidden_size"], "include_prompt": True,
        **{key: pooling == variant.pooling for pooling, key in switches.items()},
    })
    write(folder / "config_sentence_transformers.json", {
        "prompts": {"query": "task: find | query: ", "document": ""}, "default_prompt_name": None,
    })


def run(model, dense, variant, ids):
    given = torch.tensor([ids])
    with torch.no_grad():
        hidden = model(input_ids=given, attention_mask=torch.ones_like(given)).last_hidden_state[0]
        vector = {"mean": hidden.mean(0), "cls": hidden[0], "lasttoken": hidden[-1]}[variant.pooling]
        for module in dense:
            vector = module(vector)
    return vector


def main():
    golden = {}
    for variant in VARIANTS:
        tokenizer = train_tokenizer(variant.family)
        # What looks like a special token in a text is text.
        tokenizer.encode_special_tokens = True
        model, dense = make(variant, tokenizer)
        tokenizer.enable_truncation(MAX_TOKENS)
        cases = []
        for text in TEXTS:
            ids = tokenizer.encode(text).ids
            vector = run(model, dense, variant, ids)
            cases.append({
                "given": text, "ids": ids, "types": [0] * len(ids),
                "vector": [float(f"{x:.7g}") for x in vector.tolist()],
            })
        golden[variant.name] = cases
    GOLDEN.write_text(json.dumps(golden) + "\n")


if __name__ == "__main__":
    main()
