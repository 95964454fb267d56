"""Texts as people paste them, with what is asked of them: logs, recipes, minutes, letters, stories, tables."""

import functools

from phrase_files import FOLDER

from .facts import FOODS, MONTHS, PHRASES as FACTS, THINGS
from .messages import say, user
from .values import CITIES, DAYS, ITEMS, NAMES, clock, word

ASKED_FIRST = "ask-first"


@functools.cache
def texts():
    """[(text, [(question, answer)])] and the ways to put a question and a text in one message."""
    found, forms, section = [], [], None
    for block in (FOLDER / "pastes.txt").read_text(encoding="utf-8").split("\n\n"):
        lines = [line for line in block.splitlines() if line and not line.startswith("##")]
        if lines and lines[0][0] == "[" and lines[0][-1] == "]":
            section = lines.pop(0)[1:-1]
        if section == ASKED_FIRST:
            forms += [line.replace("\\n", "\n") for line in lines]
        elif lines:
            found.append((lines[0].replace("\\n", "\n"), [tuple(line.split("|")) for line in lines[1:]]))
    return found, forms


def _slots(r):
    times = sorted(clock(r) for _ in range(3))
    names, cities, days = r.sample(NAMES, 3), r.sample(CITIES, 2), r.sample(DAYS[:7], 2)
    items, foods, things = r.sample(ITEMS, 2), r.sample(FOODS, 2), r.sample(THINGS, 2)
    numbers = r.sample(range(2, 400), 4)
    numbered = dict(n=names, c=cities, d=days, t=times, k=numbers, i=items, h=foods, g=things, w=[word(r), word(r)])
    return {f"{key}{at or ''}": v for key, values in numbered.items() for at, v in ((i + 1 if i else 0, v) for i, v in enumerate(values))} | {
        "m": r.choice(MONTHS), "s": f"{word(r).capitalize()} {r.choice(['cake', 'pie', 'bread', 'rolls', 'biscuits'])}"}


def pasted(r, between):
    """A text and one to three questions on it, the first in the same message or after it."""
    (text, asked), slots = r.choice(texts()[0]), _slots(r)
    text = text.format(**slots)
    questions = [(q.format(**slots), a.format(**slots)) for q, a in r.sample(asked, r.choice([1, 1, 2, 3]))]
    lower = lambda q: q if r.random() < 0.7 else q[0].lower() + q[1:]
    if r.random() < 0.5:
        (q, a), *more = questions
        out = [user(r.choice(texts()[1]).format(q=q, x=text)), say(a)]
    else:
        lead, more = r.choice(FACTS["paste"]), questions
        out = [user(r.choice([f"{lead}\n{text}", f"{lead}\n\n{text}", text])), say(r.choice(FACTS["paste-ready"]))]
        out += between() if r.random() < 0.1 else []
    return out + [m for q, a in more for m in (user(lower(q)), say(a))]
