"""The untuned model's own replies where no tool is listed, word for word: training on them keeps its manner of speaking."""

import argparse
import json
import random
from pathlib import Path

from chat_questions import FORMS
from conversations import plain
from make_data import forbidden, normal
from phrase_files import FOLDER, sections

OUT = FOLDER / "own-replies.jsonl"
SYSTEM = "You are a helpful assistant."
LONGEST = 80  # tokens
BATCH = 64
GO_ON = sections("talk.txt")["go-on"]


def questions(seed: int) -> list[str]:
    """What needs no tool and is nobody's held-out question, in random order."""
    r = random.Random(seed)
    found = {p.format(v) for patterns, values in FORMS for v in values for p in r.sample(patterns, min(len(patterns), 4))}
    found |= {q for q, _ in plain.ANSWERS} | {plain.request(r)[0] for _ in range(700)}
    kept = sorted(q for q in found if normal(q) not in forbidden())
    r.shuffle(kept)
    return kept


def dialogue_text(turns: list[str]) -> str:
    """The prompt behind turns that the user and the model take in order, the user's first and last."""
    said = "".join(f"<|im_start|>{('user', 'assistant')[i % 2]}\n{text}<|im_end|>\n" for i, text in enumerate(turns))
    return f"<|im_start|>system\n{SYSTEM}<|im_end|>\n{said}<|im_start|>assistant\n"


def replied(tok, model, dialogues: list[list[str]]) -> list[dict]:
    """Each with the model's reply behind it, `open` where that was cut at LONGEST."""
    from model import generate
    outs = generate(model, [tok.encode(dialogue_text(turns)).ids for turns in dialogues], LONGEST)
    return [{"turns": turns + [tok.decode(out)], "open": len(out) == LONGEST} for turns, out in zip(dialogues, outs)]


def main():
    import torch

    from base_model import load_tokenizer
    from model import Model
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--count", type=int, default=2000)
    p.add_argument("--asked", help="a file of questions, one JSON object with `user` a line, instead of those for training")
    p.add_argument("--out", default=str(OUT))
    a = p.parse_args()
    torch.set_num_threads(2)
    tok, model, r, rows = load_tokenizer(), Model(), random.Random(a.seed), []
    todo = [json.loads(line)["user"] for line in Path(a.asked).read_text(encoding="utf-8").splitlines()] if a.asked else questions(a.seed)[:a.count]
    # Alike in length, so that little of a batch is padding.
    todo.sort(key=len)
    for at in range(0, len(todo), BATCH):
        done = replied(tok, model, [[q] for q in todo[at:at + BATCH]])
        # Half of those that came to their end go on.
        more = [i for i, row in enumerate(done) if not a.asked and not row["open"] and r.random() < 0.5]
        if more:
            for i, row in zip(more, replied(tok, model, [done[i]["turns"] + [r.choice(GO_ON)] for i in more])):
                done[i] = row
        rows += done
        print(len(rows), "of", len(todo), flush=True)
    Path(a.out).write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


if __name__ == "__main__":
    main()
