"""Makes test/golden/text/sentencepiece.json: tiny vocabularies as GGUF files hold them, and ids by the sentencepiece library.

usage: python sentencepiece_bpe.py
"""

import io
import json
from pathlib import Path

import sentencepiece as spm

OUT = Path(__file__).parents[3] / "test" / "golden" / "text" / "sentencepiece.json"
CORPUS = [
    "the quick brown fox jumps over the lazy dog", "a quick answer is better than a slow one",
    "the answer to the question is in the book", "books and foxes and dogs", "questions, answers; and more!",
    "1 2 3 12 23 123 2024", "Übermut tut selten gut", "le renard brun saute par-dessus le chien",
] * 4
TEXTS = [
    "the quick brown fox", "The answer is 42.", " leading space", "two  spaces   three", "tab\tand\nnewline\n\n",
    "Übermut", "naïve café", "東京", "🦊 emoji", "x", "", "answers answers", "123 1234", "end ",
]
TYPES = {"normal": 1, "unknown": 2, "control": 3, "user": 4, "byte": 6}


def kind(model: spm.SentencePieceProcessor, i: int) -> int:
    if model.IsUnknown(i):
        return TYPES["unknown"]
    if model.IsControl(i):
        return TYPES["control"]
    return TYPES["byte"] if model.IsByte(i) else TYPES["normal"]


def vocabulary(name: str, prefix: bool) -> dict:
    written = io.BytesIO()
    spm.SentencePieceTrainer.train(
        sentence_iterator=iter(CORPUS), model_writer=written, model_type="bpe", vocab_size=400, byte_fallback=True,
        add_dummy_prefix=prefix, remove_extra_whitespaces=False, normalization_rule_name="identity",
        hard_vocab_limit=False, minloglevel=2,
    )
    model = spm.SentencePieceProcessor(model_proto=written.getvalue())
    ids = range(model.vocab_size())
    return {
        "name": name,
        "tokens": [model.IdToPiece(i) for i in ids],
        "scores": [model.GetScore(i) for i in ids],
        "types": [kind(model, i) for i in ids],
        "prefix": prefix,
        "cases": [{"text": text, "ids": model.EncodeAsIds(text)} for text in TEXTS],
    }


def main() -> None:
    vocabularies = [vocabulary("llama", True), vocabulary("gemma", False)]
    OUT.write_text(json.dumps(vocabularies, ensure_ascii=False, separators=(",", ":")).replace('{"text"', '\n{"text"') + "\n")
    print(f"{OUT}: {[len(v['tokens']) for v in vocabularies]} tokens")


if __name__ == "__main__":
    main()
