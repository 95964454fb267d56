"""Whether training conversations share word sequences with a folder of questions: a benchmark must not have been trained on.

The folder's .json and .jsonl files (one value, or one a line) and .txt files (one question a line) are read, also in its
folders. From JSON, strings under the keys of QUESTIONS and DEFINITIONS count, however deep. Numbers are words. Prints a
row for models/demo/PROVENANCE.md and what is shared; exit status 1 if a question shares 13 words in a row.
"""

import argparse
import json
import re
import sys
from collections import defaultdict
from pathlib import Path

SIZES = (13, 8)
QUESTIONS = {"question", "content", "prompt", "user", "query", "text", "instruction"}
DEFINITIONS = {"description"}


def words(text):
    return re.findall(r"\w+", text.lower())


def grams(text, n):
    w = words(text)
    return {" ".join(w[i:i + n]) for i in range(len(w) - n + 1)}


def strings(value, keys, key=None):
    """The strings under one of the keys."""
    if isinstance(value, str):
        if key in keys:
            yield value
    elif isinstance(value, list):
        for v in value:
            yield from strings(v, keys, key)
    elif isinstance(value, dict):
        for k, v in value.items():
            # A parameter may itself be called "query": only what is not a schema has questions.
            if k == "properties":
                yield from (s for p in v.values() for s in strings(p, keys & DEFINITIONS))
            else:
                yield from strings(v, keys, k)


def values(path):
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".txt":
        return [{"question": line} for line in text.splitlines()]
    try:
        return [json.loads(text)]
    except ValueError:
        return [json.loads(line) for line in text.splitlines() if line.strip()]


def texts_of(folder, keys):
    """[(file, text)], each text once."""
    found = {}
    for path in sorted(Path(folder).rglob("*")):
        if path.suffix in (".json", ".jsonl", ".txt"):
            for value in values(path):
                for s in strings(value, keys):
                    found.setdefault(s.strip(), path.name)
    return [(name, s) for s, name in found.items() if s]


def training_texts(seed, count):
    """What the conversations of so many groups say and what their tools are for."""
    from make_data import groups
    for g in groups(seed, count):
        for t in g["tools"]:
            yield t["function"]["description"]
        for b in g["branches"]:
            yield from (m["content"] for m in b if m["content"])


def shared(texts, ours):
    """{size: [(file, text, a sequence that it shares)]}"""
    found = defaultdict(list)
    for name, text in texts:
        for n in SIZES:
            both = grams(text, n) & ours[n]
            if both:
                found[n].append((name, text, min(both)))
    return found


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("folder", help="of questions")
    p.add_argument("--seeds", type=int, nargs="+", default=[41], help="of make_data.groups, as train.py passes them on")
    p.add_argument("--groups", type=int, default=2000, help="for each seed, about 5 conversations each")
    p.add_argument("--texts", help="compare with the questions in this folder instead of generated conversations")
    p.add_argument("--show", type=int, default=10, help="how many of each size to print")
    a = p.parse_args()
    questions, definitions = texts_of(a.folder, QUESTIONS), texts_of(a.folder, DEFINITIONS)
    if not questions:
        sys.exit(f"{a.folder} has no questions in .json, .jsonl or .txt files")
    ours, count = {n: set() for n in SIZES}, 0
    told = (s for _, s in texts_of(a.texts, QUESTIONS | DEFINITIONS)) if a.texts else (s for seed in a.seeds for s in training_texts(seed, a.groups))
    for text in told:
        count += 1
        for n in SIZES:
            ours[n] |= grams(text, n)
    print(f"| Texts | Of them | {' | '.join(f'share {n} words in a row' for n in SIZES)} |\n| --- | --- |{' --- |' * len(SIZES)}")
    rows = {}
    for title, texts in (("questions", questions), ("definitions", definitions)):
        rows[title] = found = shared(texts, ours)
        print(f"| {title} | {len(texts)} | {' | '.join(str(len(found[n])) for n in SIZES)} |")
    print(f"compared with {count} texts of training")
    for title, found in rows.items():
        for n in SIZES:
            for name, text, both in found[n][:a.show]:
                print(f"{title}, {n} words: {name}: {text[:100]!r} shares {both!r}")
    sys.exit(1 if rows["questions"][13] else 0)


if __name__ == "__main__":
    main()
