"""Scores an exported adapter on cases like models/demo/heldout.jsonl, decoding greedily."""

import argparse
import json
import random
import re
from collections import Counter
from pathlib import Path

import torch
from safetensors.torch import load_file

from base_model import IM_END, LAYERS, load_tokenizer
from model import FUSED, SCALE, Model, generate
from tools import DEMO, render

CALL = re.compile(r"<tool_call>\n?(.*?)\n?</tool_call>", re.S)


def load_adapter(model, folder):
    """Merges the exported tensors, so that what is scored is what is shipped."""
    t = load_file(Path(folder) / "adapters.safetensors")
    for i in range(LAYERS):
        for name, (_, parts) in FUSED.items():
            delta = [(t[f"model.layers.{i}.{m}.lora_a"].float() @ t[f"model.layers.{i}.{m}.lora_b"].float()).t() for m, _ in parts]
            w = model.base[i][name]
            model.merged[i][name] = (w.float() + SCALE * torch.cat(delta)).to(w.dtype)


def same(a, b):
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return a == b
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    return type(a) is type(b) and a == b


def score(text, case, names):
    """(right, kind of fault, called an unlisted tool)"""
    blocks = CALL.findall(text)
    calls = []
    for b in blocks:
        try:
            c = json.loads(b)
            calls.append((c["name"], c["arguments"]))
        except (ValueError, KeyError, TypeError):
            calls.append((None, None))
    unlisted = any(n not in names for n, _ in calls)
    expect = case["expect"]
    if expect is None:
        return ("<tool_call>" not in text), "false call", unlisted
    if not calls:
        return False, "no call", unlisted
    if len(calls) > 1:
        return False, "several calls", unlisted
    if calls[0][0] != expect["name"]:
        return False, "wrong tool", unlisted
    return same(calls[0][1], expect["arguments"]), "wrong arguments", unlisted


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--adapter", default=str(CACHE / "adapter"))
    p.add_argument("--cases", default=str(DEMO / "heldout.jsonl"))
    p.add_argument("--tools", default=str(DEMO / "heldout-tools.json"))
    p.add_argument("--base", action="store_true", help="score the untuned model")
    p.add_argument("--float32", action="store_true")
    p.add_argument("--show", default="", help="groups whose failures are printed; for development cases only")
    p.add_argument("--shard", default="0/1", help="which part of the cases, as 0/2 and 1/2 to score in two processes")
    p.add_argument("--batch", type=int, default=48)
    a = p.parse_args()
    shard, shards = map(int, a.shard.split("/"))
    torch.set_num_threads(2 if shards == 1 else 1)
    tok, model = load_tokenizer(), Model(torch.float32 if a.float32 else torch.bfloat16)
    if not a.base:
        load_adapter(model, a.adapter)
    library = json.loads(Path(a.tools).read_text(encoding="utf-8"))
    cases = [json.loads(l) for l in Path(a.cases).read_text(encoding="utf-8").splitlines()]
    for c in cases:
        c["tools"] = [{"type": "function", "function": library[t]} if isinstance(t, str) else t for t in c["tools"]]
        c["ids"] = tok.encode(render(c["messages"], c["tools"], True)).ids
    cases.sort(key=lambda c: ([t["function"]["name"] for t in c["tools"]], len(c["ids"])))
    parts = []
    for c in cases:
        # Cases with one tool list go together: their common beginning is computed once.
        if parts and len(parts[-1]) < a.batch and parts[-1][0]["tools"] == c["tools"]:
            parts[-1].append(c)
        else:
            parts.append([c])
    alone = sorted((p[0] for p in parts if len(p) == 1), key=lambda c: len(c["ids"]))
    parts = [p for p in parts if len(p) > 1] + [alone[i:i + a.batch // 2] for i in range(0, len(alone), a.batch // 2)]
    # Shuffled, so that the running totals say something before the end.
    random.Random(0).shuffle(parts)
    right, total, faults, unlisted = Counter(), Counter(), Counter(), 0
    for part in parts[shard::shards]:
        for c, out in zip(part, generate(model, [c["ids"] for c in part], 80)):
            text = tok.decode([t for t in out if t != IM_END])
            ok, fault, stray = score(text, c, [t["function"]["name"] for t in c["tools"]])
            total[c["group"]] += 1
            right[c["group"]] += ok
            unlisted += stray
            if not ok:
                faults[c["group"], (c["expect"] or {}).get("name") if c["group"] == "bundled" else "-", fault] += 1
                if c["group"] in a.show:
                    print(c["messages"][-1]["content"], "|", c["expect"], "|", repr(text))
        print("so far", dict(right), "of", dict(total), flush=True)
    for g in sorted(total):
        print(f"{g}: {right[g]}/{total[g]} = {right[g] / total[g]:.1%}")
    print("calls of a tool not listed:", unlisted)
    for k, n in sorted(faults.items(), key=str):
        print("  ", *k, n)


if __name__ == "__main__":
    main()
