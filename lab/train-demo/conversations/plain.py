"""Plain requests that need no tool, with answers of our own: lists, code, short texts, other languages."""

from phrase_files import lines, sections

from .arithmetic import SMALL
from .frames import dress
from .values import capital, listing

PHRASES = sections("plain.txt")
CATEGORIES = [(c, [m.strip() for m in members.split(",")]) for c, members in (line.split(": ", 1) for line in PHRASES["categories"])]
PAIRS = {kind: [tuple(line.replace("\\n", "\n").split("|", 1)) for line in PHRASES[kind]] for kind in ("code", "writing", "texts", "advice")}
ANSWERS = [tuple(line.replace("\\n", "\n").split("|", 1)) for line in lines("plain-answers.txt")]
LANGUAGES = [tuple(line.split("|")) for line in sections("languages.txt")["talk"]]


def some_of(r):
    """So many members of a category."""
    c, members = r.choice(CATEGORIES)
    k = r.randint(2, min(6, len(members)))
    chosen, number = r.sample(members, k), SMALL[k] if r.random() < 0.75 else str(k)
    q = r.choice(PHRASES["list-ask"]).format(k=number, c=c)
    if r.random() < 0.3:
        return dress(r, capital(q)), "\n".join("- " + capital(m) for m in chosen)
    if r.random() < 0.25:
        return dress(r, capital(q)), "\n".join(f"{i}. {capital(m)}" for i, m in enumerate(chosen, 1))
    return dress(r, capital(q) if r.random() < 0.7 else q), capital(r.choice(PHRASES["list-say"]).format(k=SMALL[k], c=c, l=listing(chosen)))


def request(r):
    """(question, answer)"""
    k = r.random()
    if k < 0.25:
        return some_of(r)
    if k < 0.32:
        return r.choice(LANGUAGES)
    q, a = r.choice(ANSWERS) if k < 0.75 else r.choice(PAIRS[r.choice(list(PAIRS))])
    return (q if r.random() < 0.8 else q[0].lower() + q[1:] if r.random() < 0.5 else "Please: " + q), a
