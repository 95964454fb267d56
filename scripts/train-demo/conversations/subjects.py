"""What a text is about, so that no request is refused that a listed tool answers; and what its blanks are filled with."""

import re

from .other_tools import KINDS
from .talk import NEAR
from .values import CITIES, DAYS, ITEMS, NAMES, clock, filename, word

FILE_WORDS = set("file files path note notes text document documents content folder directory page copy archive source target output destination save delete remove".split())
SUM_WORDS = set("average modulo percentage percent tip math calculate remainder mean sum".split())
NO_SUBJECT = set("a an the i me my of to in on at is for it and s what with by or no tool do api v now action please two".split())


def subjects(text):
    """The words of a text and the worlds that they belong to."""
    found = {w.rstrip("s") for w in re.findall("[a-z]+", re.sub("([a-z])([A-Z])", r"\1 \2", text).replace("_", " ").lower()) if w not in NO_SUBJECT}
    return found | {i for i, world in enumerate(NEAR) if any(w.rstrip("s") in found for w in world)}


def slots(r):
    (n, n2), (c, c2), k = r.sample(NAMES, 2), r.sample(CITIES, 2), r.randint(2, 60)
    made = {s: KINDS[kind](r) for s, kind in dict(l="language", e="email", g="image", h="host", u="url", x="code", s="title", y="phone").items()}
    return dict(n=n, n2=n2, d=r.choice(DAYS[:7]), c=c, c2=c2, t=clock(r), k=k, k2=k + r.randint(1, 40), w=word(r), w2=word(r), i=r.choice(ITEMS), f=filename(r), **made)
