"""What needs no tool, and what no listed tool can do."""

import json

from phrase_files import FOLDER, sections

from .messages import say, user

TALK, ABSENT = sections("talk.txt"), sections("absent.txt")
PAIRS = [tuple(line.split("|")) for line in TALK["pairs"]]
SUBJECTS = [(purpose, question) for purpose, *questions in (line.split("|") for line in ABSENT["subjects"]) for question in questions]
SYSTEMS, REFUSALS = TALK["systems"], ABSENT["refusals"]
NO_TOOL = ABSENT["refusals-nameless"]
NEAR = [set(line.split()) for line in ABSENT["near"]]
CAPITALS = dict(line.split(": ") for line in TALK["capitals"])

PURPOSE = {"add": "add numbers", "subtract": "subtract numbers", "multiply": "multiply numbers", "divide": "divide numbers", "power": "work out powers", "square_root": "take square roots",
           "list_files": "list files", "read_file": "read files", "write_file": "write files", "delete_file": "delete files"}

OPS = list(PURPOSE)[:6]

# Other names for the same purposes.
PURPOSES = {k: [v] + more for (k, v), more in zip(PURPOSE.items(), [
    ["do additions", "work out sums"], ["do subtractions", "take numbers away"], ["do multiplications", "work out products"], ["do divisions"], ["raise numbers to powers"],
    ["find square roots", "work out square roots"], ["look into folders", "show which files there are"], ["open files", "show what a file says"], ["create files", "save text to files"], ["remove files"]])}


def answered():
    """Questions with the untuned model's own answers, the capitals put right."""
    rows = [json.loads(line) for line in (FOLDER / "chat-answers.jsonl").read_text(encoding="utf-8").splitlines()]
    fix = lambda q, a: next((f"The capital of {c} is {t}." for c, t in CAPITALS.items() if "capital" in q and c in q), a)
    return [(row["question"], fix(row["question"], row["answer"])) for row in rows]


def own_replies():
    """Dialogues with the untuned model's own replies, word for word, the last of them perhaps `open`: cut off."""
    rows = [json.loads(line) for line in (FOLDER / "own-replies.jsonl").read_text(encoding="utf-8").splitlines()]
    return [[(user, say)[i % 2](text) for i, text in enumerate(row["turns"][:-1])] + [say(row["turns"][-1]) | {"open": row["open"]}] for row in rows]


def elliptic(r):
    """A question, then one or two that leave out what was said: "And of Italy?"."""
    first, short, answer, values = r.choice(TALK["elliptic"]).split("|")
    pairs = list(CAPITALS.items()) if values == "capitals" else [v.split("=") for v in values.split(",")]
    out = []
    for i, (x, y) in enumerate(r.sample(pairs, r.choice([2, 2, 3]))):
        said = answer.format(x=x, y=y)
        out += [user((r.choice(short.split(";")) if i else first).format(x=x)), say(said[0].upper() + said[1:])]
    return out
