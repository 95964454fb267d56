"""Perplexity of the untuned model's own replies, without and with an adapter: how much of its manner the adapter keeps.

Usage: python own_replies.py --asked ../../models/demo/heldout/plain.jsonl --out .cache/held-replies.jsonl
       python reply_perplexity.py
"""

import argparse
import json
import math
from pathlib import Path

import torch
import torch.nn.functional as F

from base_model import CACHE, load_tokenizer
from evaluate import load_adapter
from model import Model
from own_replies import dialogue_text
from tools import DEMO

BATCH = 16


def prepared(tok, rows):
    """(ids, index of the first token of the last reply) of each dialogue."""
    for row in rows:
        *before, reply = row["turns"]
        head = tok.encode(dialogue_text(before)).ids
        ids = tok.encode(dialogue_text(before) + reply + ("" if row["open"] else "<|im_end|>")).ids
        yield ids, len(head)


@torch.no_grad()
def perplexity(model, dialogues):
    lost, count = 0.0, 0
    dialogues = sorted(dialogues, key=lambda d: len(d[0]))
    for at in range(0, len(dialogues), BATCH):
        part = dialogues[at:at + BATCH]
        t = max(len(ids) for ids, _ in part)
        ids = torch.zeros(len(part), t, dtype=torch.long)
        learn = torch.zeros(len(part), t, dtype=torch.bool)
        for r, (tokens, start) in enumerate(part):
            ids[r, :len(tokens)] = torch.tensor(tokens)
            learn[r, start - 1:len(tokens) - 1] = True
        h = model.hidden(ids).view(len(part), t, -1)[learn]
        lost += F.cross_entropy(model.logits(h).float(), ids[:, 1:][learn[:, :-1]], reduction="sum").item()
        count += len(h)
    return math.exp(lost / count), count


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--adapter", default=str(CACHE / "adapter"))
    p.add_argument("--replies", default=str(CACHE / "held-replies.jsonl"))
    a = p.parse_args()
    torch.set_num_threads(2)
    tok, model = load_tokenizer(), Model()
    rows = [json.loads(line) for line in Path(a.replies).read_text(encoding="utf-8").splitlines()]
    dialogues = list(prepared(tok, rows))
    without, count = perplexity(model, dialogues)
    load_adapter(model, a.adapter)
    with_it, _ = perplexity(model, dialogues)
    print(f"{len(rows)} replies, {count} tokens: {without:.3f} without, {with_it:.3f} with the adapter ({with_it / without - 1:+.1%})")


if __name__ == "__main__":
    main()
