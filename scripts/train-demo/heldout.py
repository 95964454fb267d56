"""Writes the held-out cases: models/demo/heldout.jsonl and the tool definitions it names."""

import json
import random

import heldout_cases
import heldout_more
from tools import BUNDLED, CALCULATOR, DEMO, FILES, define


def patterns(text):
    return [p.strip() for p in text.replace("\n", "").split("|")]


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
    for name, text in heldout_cases.CALC.items():
        keys = {"power": ("base", "exponent"), "square_root": ("number",)}.get(name, ("a", "b"))
        values = heldout_cases.NUMBERS[name]
        for i, p in enumerate(patterns(text)):
            for k in range(2):
                v = values[(2 * i + k) % len(values)]
                yield p.format(**dict(zip("ab", v))), name, dict(zip(keys, v))
    for i, (p, exponent) in enumerate(heldout_cases.SQUARED):
        for base in (13 + i, 24 + 3 * i):
            yield p.format(a=base), "power", {"base": base, "exponent": exponent}
    for name, (text, values) in heldout_cases.FILE_CASES.items():
        for i, p in enumerate(patterns(text)):
            for k in range(2 if "{" in p else 1):
                v = values[(2 * i + k) % len(values)]
                yield p.format(**v), name, {a: x for a, x in v.items() if "{" + a + "}" in p}


def unseen_tools():
    found, current = [], None
    for line in (heldout_cases.UNSEEN + heldout_more.UNSEEN).strip().splitlines():
        if not line.strip():
            continue
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
    for i, question in enumerate(patterns(heldout_more.CHAT)):
        yield "none", question, bundled_listing(rng) if i % 4 else rng.sample(others, rng.randint(1, 6)), None
    for group, text in heldout_more.MISSING.items():
        for question in patterns(text):
            listed = {"bundled": bundled_listing(rng), "calculator": CALCULATOR, "files": FILES}[group]
            yield "none", question, listed, None


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
