"""Makes test/fixtures/encoders/ and test/golden/encoders/encoders.json: tiny random encoders with a tokenizer, and their vectors.

The reference is transformers in float32, pooled as sentence-transformers does.
"""

import json
import math
import shutil
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import AutoConfig, AutoModel, AutoModelForSequenceClassification

TEST = Path(__file__).parents[2] / "test"
MODELS, GOLDEN = TEST / "fixtures" / "encoders", TEST / "golden" / "encoders" / "encoders.json"
SEED = 7

TEXTS = [
    "A cat sits on the mat.",
    "",
    "a",
    "The weather is lovely today, and it will rain tomorrow.",
    "Crème brûlée, naïve café: ÀÉÎ ß straße",
    "東京は日本の首都です。 北京",
    "don't stop-believing... (2 + 3 = 5) e-mail@example.org",
    "tab\tnew\nline \u00a0 space\u200b\ufeff control\x07 \ufffd",
    "x" * 130 + " short",
    "[CLS] is not special here [SEP] [UNK]",
    "Привет, мир! مرحبا \U0001f600 \U0001d4b3",
    "word " * 60,
]
PAIRS = [["What sits on the mat?", text] for text in TEXTS[:4]] + [["word " * 40, "cat " * 50]]

BASE = dict(
    hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64, max_position_embeddings=64,
    type_vocab_size=2, layer_norm_eps=1e-12,
)


@dataclass
class Variant:
    name: str
    family: str
    config: dict
    pooling: str = "mean"
    classifier: bool = False
    # As bert-base-uncased stores them: with the head's prefix, gamma and beta, and a table of positions.
    old_names: bool = False
    dtype: torch.dtype = torch.float32
    max_tokens: int = 48
    extra: dict = field(default_factory=dict)


VARIANTS = [
    Variant("bert-mean", "bert", BASE),
    Variant("bert-cls", "bert", BASE | dict(num_attention_heads=4, hidden_act="gelu_new"), pooling="cls",
            old_names=True, dtype=torch.float16),
    Variant("roberta", "roberta", BASE | dict(type_vocab_size=1, max_position_embeddings=65, pad_token_id=0,
                                              layer_norm_eps=1e-5), pooling="mean"),
    Variant("bert-rerank", "bert", BASE | dict(num_labels=1), classifier=True),
]


def corpus():
    return TEXTS + [text for pair in PAIRS for text in pair] + ["the cat sat on a mat with other words"] * 3


def train_tokenizer(size=220):
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]", max_input_chars_per_word=100))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(
        vocab_size=size, special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"], show_progress=False,
    )
    tokenizer.train_from_iterator(corpus(), trainer)
    cls, sep = tokenizer.token_to_id("[CLS]"), tokenizer.token_to_id("[SEP]")
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", cls), ("[SEP]", sep)],
    )
    tokenizer.decoder = decoders.WordPiece()
    return tokenizer


def fill(model):
    rng = np.random.default_rng(SEED)
    for name, p in sorted(model.named_parameters()):
        if "LayerNorm.weight" in name:
            values = 1 + rng.normal(0, 0.2, p.shape)
        elif name.endswith("bias"):
            values = rng.normal(0, 0.2, p.shape)
        elif "embeddings" in name:
            values = rng.normal(0, 0.5, p.shape)
        else:
            values = rng.normal(0, 1 / math.sqrt(p.shape[-1]), p.shape)
        p.data.copy_(torch.tensor(values))


def make(variant, tokenizer):
    config = AutoConfig.for_model(variant.family, vocab_size=tokenizer.get_vocab_size(), **variant.config)
    kind = AutoModelForSequenceClassification if variant.classifier else AutoModel
    model = kind.from_config(config, attn_implementation="eager").eval()
    with torch.no_grad():
        fill(model)
    model = model.to(variant.dtype)
    folder = MODELS / variant.name
    shutil.rmtree(folder, ignore_errors=True)
    model.save_pretrained(folder)
    if variant.old_names:
        rename(folder / "model.safetensors", variant)
    tokenizer.save(str(folder / "tokenizer.json"))
    write(folder / "tokenizer_config.json", {"tokenizer_class": "BertTokenizer", "model_max_length": variant.max_tokens})
    if not variant.classifier:
        modules = ["Transformer", "Pooling", "Normalize"]
        paths = ["", "1_Pooling", "2_Normalize"]
        write(folder / "modules.json", [
            {"idx": i, "name": str(i), "path": path, "type": f"sentence_transformers.models.{module}"}
            for i, (module, path) in enumerate(zip(modules, paths))
        ])
        switches = {"cls": "pooling_mode_cls_token", "mean": "pooling_mode_mean_tokens"}
        write(folder / "1_Pooling" / "config.json", {
            "word_embedding_dimension": config.hidden_size,
            **{key: pooling == variant.pooling for pooling, key in switches.items()},
        })
        prompts = {"query": "the word ", "document": ""}
        write(folder / "config_sentence_transformers.json", {"prompts": prompts, "default_prompt_name": None})
    return model.to(torch.float32)


def rename(path, variant):
    tensors = {}
    for name, t in load_file(path).items():
        name = name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta")
        tensors[f"bert.{name}"] = t
    tensors["bert.embeddings.position_ids"] = torch.arange(variant.config["max_position_embeddings"])[None]
    tensors["cls.predictions.bias"] = torch.zeros(4)
    save_file(tensors, path, {"format": "pt"})


def write(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=2) + "\n")


def run(model, variant, encoding):
    ids = torch.tensor([encoding.ids])
    inputs = {"input_ids": ids, "attention_mask": torch.ones_like(ids)}
    if variant.config["type_vocab_size"] > 1:
        inputs["token_type_ids"] = torch.tensor([encoding.type_ids])
    with torch.no_grad():
        output = model(**inputs)
    if variant.classifier:
        return output.logits[0]
    hidden = output.last_hidden_state[0]
    return hidden[0] if variant.pooling == "cls" else hidden.mean(0)


def main():
    tokenizer = train_tokenizer()
    # What looks like a special token in a text is text.
    tokenizer.encode_special_tokens = True
    golden = {}
    for variant in VARIANTS:
        model = make(variant, tokenizer)
        tokenizer.enable_truncation(variant.max_tokens)
        inputs = PAIRS if variant.classifier else TEXTS
        cases = []
        for given in inputs:
            encoding = tokenizer.encode(*given) if variant.classifier else tokenizer.encode(given)
            vector = run(model, variant, encoding)
            cases.append({
                "given": given, "ids": encoding.ids, "types": encoding.type_ids,
                "vector": [float(f"{x:.7g}") for x in vector.tolist()],
            })
        tokenizer.no_truncation()
        golden[variant.name] = cases
    GOLDEN.write_text(json.dumps(golden) + "\n")


if __name__ == "__main__":
    main()
