"""Plain requests that look as if they were for a tool of files or sums: whole lists, counting, spelling, what words mean."""

import string

from phrase_files import sections

from .frames import dress
from .values import capital, listing, word

PHRASES = sections("everyday.txt")
WHOLE = [(c, [m.strip() for m in members.split(",")]) for c, members in (line.split(": ", 1) for line in PHRASES["whole-lists"])]
CONCEPTS = [tuple(line.split("|")) for line in PHRASES["concepts"]]


def whole_list(r):
    """All members of a list that has an end."""
    c, members = r.choice(WHOLE)
    q = r.choice(PHRASES["whole-ask"]).format(c=c)
    if r.random() < 0.25:
        return dress(r, capital(q)), "\n".join("- " + capital(m) for m in members)
    return dress(r, capital(q) if r.random() < 0.6 else q), capital(r.choice(PHRASES["whole-say"]).format(c=c, l=listing(members)))


def counted(r):
    """Numbers or letters in order, up or down."""
    if r.random() < 0.3:
        at, n = r.randrange(20), r.randint(3, 6)
        letters = string.ascii_lowercase[at:at + n]
        return r.choice(PHRASES["letters-ask"]).format(x=letters[0], y=letters[-1]), ", ".join(letters) + "."
    a = r.choice([0, 1, 1, 1, r.randint(2, 40)])
    b = a + r.randint(2, 9)
    names = {n: w for n, w in enumerate("zero one two three four five six seven eight nine ten eleven twelve".split())}
    show = (lambda n: names[n]) if b < 13 and r.random() < 0.5 else str
    down = r.random() < 0.35
    numbers = range(b, a - 1, -1) if down else range(a, b + 1)
    q = r.choice(PHRASES["count-down" if down else "count-ask"]).format(a=show(a), b=show(b))
    return q, capital(", ".join(map(show, numbers)) + ".")


def spelled(r):
    w = word(r)
    return r.choice(PHRASES["spell-ask"]).format(w=w), "-".join(w.upper() if r.random() < 0.7 else w) + "."


def request(r):
    """(question, answer)"""
    k = r.random()
    if k < 0.3:
        return whole_list(r)
    if k < 0.42:
        return counted(r)
    if k < 0.47:
        return spelled(r)
    q, a = r.choice(CONCEPTS)
    return (q if r.random() < 0.8 else q[0].lower() + q[1:]), a
