"""Writes the held-out cases: models/demo/heldout.jsonl and the tool definitions it names."""

import json
import random

from phrase_files import lines, sections
from tools import BUNDLED, CALCULATOR, DEMO, FILES, define

PHRASES = sections("heldout.txt")
# The values that fill the phrasings and the expected calls.
NUMBERS = {
    "add": [(318, 77), (37, 58), (1046, 289), (4.75, 12.5), (90215, 4407), (63, 1998)],
    "subtract": [(250, 19), (873, 418), (6004, 1237), (15.5, 2.25), (71, 38), (58230, 46110)],
    "multiply": [(14, 27), (306, 45), (8, 125), (39, 62), (7.5, 16), (1203, 11)],
    "divide": [(144, 12), (975, 25), (84, 7), (2310, 42), (58.5, 9), (640, 16)],
    "power": [(3, 7), (12, 4), (2.5, 6), (9, 5), (17, 4), (6, 8)],
    "square_root": [(81,), (1369,), (2025,), (30.25,), (784,), (5929,)],
}
SQUARED = [("What's {a} squared equal to, please?", 2), ("help me cube {a}", 3), ("So {a} cubed would be?", 3), ("Square {a} for me, would you", 2)]
FILE_VALUES = {
    "list_files": [dict(directory=d) for d in ("harvest", "tax_papers", "Photos2021", "band-demos", "letters", "workshop")],
    "read_file": [dict(filename=f, directory=d) for f, d in (("todo.txt", "cabin"), ("quarterly_budget.md", "finance"), ("gardenlog7.txt", "outdoors"),
         ("wishes.txt", "xmas"), ("boat-repairs.txt", "harbour"), ("Server_Notes.log", "ops"))],
    "write_file": [dict(filename=f, content=c, directory=d) for f, c, d in (("list.txt", "buy milk", "errands"), ("plumber.txt", "the plumber comes on Thursday at 9", "house"),
         ("score.md", "Reds 4, Blues 2", "matches"), ("idea-5.txt", "a lamp that follows the sun", "inventions"),
         ("pw_hint.txt", "name of the first goldfish", "private"), ("greet.txt", "Good evening, everyone!", "stage"))],
    "delete_file": [dict(filename=f, directory=d) for f, d in (("old.log", "attic"), ("draft_two.md", "novel"), ("tmp-cache.txt", "builds"),
         ("Receipt88.txt", "travel"), ("expired_coupons.csv", "shopping"), ("hello.html", "website"))],
}


def bundled_listing(rng, needed=None):
    roll = rng.random()
    if roll < 0.4:
        return CALCULATOR + FILES
    if roll < 0.7:
        return FILES + CALCULATOR
    some = rng.sample(BUNDLED, len(BUNDLED) if roll < 0.85 else rng.randint(3, 7))
    if needed and needed not in [t["function"]["name"] for t in some]:
        some[rng.randrange(len(some))] = next(t for t in BUNDLED if t["function"]["name"] == needed)
    return some


def bundled_cases(rng):
    for name, values in NUMBERS.items():
        keys = {"power": ("base", "exponent"), "square_root": ("number",)}.get(name, ("a", "b"))
        for i, p in enumerate(PHRASES[name]):
            for k in range(2):
                v = values[(2 * i + k) % len(values)]
                yield p.format(**dict(zip("ab", v))), name, dict(zip(keys, v))
    for i, (p, exponent) in enumerate(SQUARED):
        for base in (13 + i, 24 + 3 * i):
            yield p.format(a=base), "power", {"base": base, "exponent": exponent}
    for name, values in FILE_VALUES.items():
        for i, p in enumerate(PHRASES[name]):
            for k in range(2 if "{" in p else 1):
                v = values[(2 * i + k) % len(values)]
                yield p.format(**v), name, {a: x for a, x in v.items() if "{" + a + "}" in p}


def unseen_tools():
    found, current = [], None
    for line in lines("heldout-tools.txt"):
        if " | {" in line:
            question, arguments = line.split(" | {", 1)
            current[1].append((question, json.loads("{" + arguments)))
        else:
            current = (define(line), [])
            found.append(current)
    return found


def cases(seed=20):
    rng = random.Random(seed)
    for question, name, arguments in bundled_cases(rng):
        yield "bundled", question, bundled_listing(rng, name), {"name": name, "arguments": arguments}
    unseen = unseen_tools()
    others = [t for t, _ in unseen]
    for tool, questions in unseen:
        rest = [t for t in others if t is not tool]
        for question, arguments in questions:
            listed = [tool] + (BUNDLED if rng.random() < 0.25 else rng.sample(rest, rng.randint(0, 5)))
            rng.shuffle(listed)
            yield "unseen", question, listed, {"name": tool["function"]["name"], "arguments": arguments}
    for i, question in enumerate(PHRASES["chat"]):
        yield "none", question, bundled_listing(rng) if i % 4 else rng.sample(others, rng.randint(1, 6)), None
    for group in ("bundled", "calculator", "files"):
        for question in PHRASES[f"missing.{group}"]:
            listed = {"bundled": bundled_listing(rng), "calculator": CALCULATOR, "files": FILES}[group]
            yield "none", question, listed, None


def asked():
    """Every held-out question that training must not repeat, also of the requests and dialogues in models/demo/heldout."""
    yield from (q for _, q, _, _ in cases())
    rows = lambda name: [json.loads(line) for line in (DEMO / "heldout" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]
    yield from (row["user"] for name in ("denial", "plain") for row in rows(name))
    # Shorter ones ("by 12", "again") are too common to be anyone's.
    yield from (step["user"] for row in rows("dialogues") for step in row["judged"] if len(step.get("user", "").split()) > 3)


def main():
    rows, used, count = [], {}, {}
    for group, question, listed, expect in cases():
        count[group] = count.get(group, 0) + 1
        used.update({t["function"]["name"]: t["function"] for t in listed})
        rows.append({"id": f"{group}-{count[group]:03d}", "group": group, "messages": [{"role": "user", "content": question}],
                     "tools": [t["function"]["name"] for t in listed], "expect": expect})
    write = lambda name, text: (DEMO / name).write_text(text, encoding="utf-8")
    write("heldout.jsonl", "".join(json.dumps(r, ensure_ascii=False) + "\n" for r in rows))
    write("heldout-tools.json", json.dumps(used, ensure_ascii=False, indent=1) + "\n")
    print(count, len(used), "tools")


if __name__ == "__main__":
    main()
