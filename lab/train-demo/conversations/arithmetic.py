"""Training questions for arithmetic, built from a small grammar. The held-out phrasings are not read here."""

import math

from phrase_files import sections

from .frames import dress, sloppy
from .values import ITEMS, NAMES, capital, number, show, word

SMALL = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
nineteen twenty""".split()
PHRASES = sections("arithmetic.txt")
STORIES = sections("stories.txt")
EACH = [f"{story} {question}" for story in STORIES["each"] for question in STORIES["how-many"]]


def _special(section):
    rows = (line.split(" ", 2) for line in PHRASES[section])
    return [(form, op, int(value)) for op, value, form in rows]


SPECIAL = {"noun": _special("special.noun"), "verb": _special("special.verb")}


def _values(r, op):
    if op == "power":
        return (number(r, 60) if r.random() < 0.3 else r.choice([r.randint(2, 30), round(r.uniform(1, 9), 1), -r.randint(2, 9)])), \
            r.randint(0, 12) if r.random() < 0.9 else r.choice([0.5, 1.5, -1, -2])
    if op == "square_root":
        k = r.random()
        return (r.randint(1, 120) ** 2 if k < 0.6 else abs(number(r)) if k < 0.96 else -r.randint(1, 99)),
    a, b = number(r), number(r)
    if op == "divide":
        k = r.random()
        b = 0 if k < 0.03 else r.randint(2, 60) if k < 0.8 else b
        if k < 0.5 and b:
            a = b * r.randint(2, 200)
    elif op == "subtract" and a < b and r.random() < 0.85:
        a, b = b, a
    return a, b


def _shown(r, n, spell):
    if spell and isinstance(n, int) and 0 <= n <= 20:
        return SMALL[n]
    if isinstance(n, int) and n >= 1000 and r.random() < 0.06:
        return f"{n:,}"
    return ("minus " + show(-n)) if n < 0 and r.random() < 0.2 else show(n)


def _varied_stories(op):
    varied = STORIES[op + ".varied"]
    return varied * 5 + EACH if op == "multiply" else varied


def _story(r, op, a, b):
    n, n2 = r.sample(NAMES, 2)
    mine = r.random() < 0.4
    i, i2 = r.sample(ITEMS, 2)
    fields = dict(a=a, b=b, n=n, n2=n2, i=i, i2=i2, w=word(r), w2=word(r), who="I" if mine else n, has=r.choice(["had", "have" if mine else "has", "collected", "owned"]),
                  gets=r.choice(["find" if mine else "finds", "got", "received", "bought", "picked up", "won"]),
                  loses=r.choice(["gave away", "sold", "ate", "dropped", "gave " + n2, "used", "lost", "threw out"]),
                  how_many=r.choice([f"How many {i} are there now?", f"How many {i} in total?", f"How many {'do I' if mine else 'does ' + n} have now?", "How many is that?", "What's the total?"]),
                  how_many_left=r.choice([f"How many {i} are left?", f"How many {'do I' if mine else 'does ' + n} still have?", "How many remain?", "What is left?"]))
    form = r.choice(STORIES[op + ".common"] if r.random() < 0.3 else _varied_stories(op))
    return form, form.format(**fields)


def _told(op, form, values):
    """Where the order does not matter, the arguments come in the order of the question."""
    return values[::-1] if op in ("add", "multiply") and form.index("{b}") < form.index("{a}") else values


def _finish(r, q):
    if r.random() < 0.08:
        q = sloppy(r, q)
    elif r.random() < 0.75:
        q = capital(q)
    return dress(r, q)


def _part(vp):
    return "verb" if vp else "noun"


def operation(r, op=None):
    """(operation, values, phrasing, question)"""
    op = op or r.choice(["add", "subtract", "multiply", "divide", "power", "square_root"])
    asks = lambda vp: r.choice(PHRASES[f"ask.{_part(vp)}.{'common' if r.random() < 0.4 else 'varied'}"])
    if op in ("power", "multiply", "divide") and r.random() < (0.4 if op == "power" else 0.08):
        vp = r.random() < 0.3
        form, op, k = r.choice([s for s in SPECIAL[_part(vp)] if s[1] == op])
        v = abs(number(r))
        return op, (v, k), _finish(r, asks(vp).format(form.format(show(v))))
    values = _values(r, op)
    spell = r.random() < 0.1
    a, b = ([_shown(r, v, spell) for v in values] + [""])[:2]
    k = r.random()
    if op == "subtract" and values[0] > values[1] >= 0 and r.random() < 0.25:
        return op, values, _finish(r, r.choice(PHRASES["compare"]).format(a=a, b=b))
    fits = min(values) >= 0 and (op != "subtract" or values[0] >= values[1]) and (op != "divide" or values[1] > 0) and (all(isinstance(v, int) for v in values) or op == "square_root" or r.random() < 0.2)
    if k < (0.34 if op in ("add", "subtract", "multiply", "divide") else 0.22) and fits:
        form, q = _story(r, op, a, b)
        return op, _told(op, form, values), _finish(r, q)
    vp = k >= 0.72
    form = r.choice(PHRASES[f"{op}.{_part(vp)}.{'common' if r.random() < 0.35 else 'varied'}"])
    if "{b}th" in form and not (isinstance(values[1], int) and 4 <= values[1] <= 12):
        form = "{a} divided by {b}" if op == "divide" else PHRASES[op + ".noun.common"][0]
        vp = False
    values = _told(op, form, values)
    ask = asks(vp)
    if form.startswith("from ") or any(w in ask and w in form for w in ("result", "value", "number", "exactly")):
        ask = r.choice(["{}", "{}", "{}?", "{}.", "{} please"]) if not form.startswith("from ") else r.choice(["{}", "{}.", "please {}", "{}, please", "{}. What do I get?"])
    return op, values, _finish(r, ask.format(form.format(a=a, b=b)))


def result(op, v):
    try:
        if op == "divide" and v[1] == 0:
            return "Error: Division by zero is not allowed."
        if op == "square_root" and v[0] < 0:
            return "Error: Square root of a negative number is not a real number."
        x = {"add": lambda: v[0] + v[1], "subtract": lambda: v[0] - v[1], "multiply": lambda: v[0] * v[1], "divide": lambda: v[0] / v[1],
             "power": lambda: float(v[0]) ** v[1], "square_root": lambda: math.sqrt(v[0])}[op]()
        return "Error: The result is not a real number." if isinstance(x, complex) else show(x)
    except (ZeroDivisionError, OverflowError):
        return "Error: The result is not a finite number."


def said(r, op, v, res):
    """The result read back in one sentence."""
    if res.startswith("Error: Division"):
        return r.choice(["Dividing by zero is not allowed, so there is no answer.", f"I can't divide {show(v[0])} by zero.", "Division by zero is not possible."])
    if res.startswith("Error: Square"):
        return r.choice([f"{show(v[0])} is negative, so it has no real square root.", "The square root of a negative number is not a real number."])
    if res.startswith("Error"):
        return "That can't be worked out: " + res[7:8].lower() + res[8:]
    a, b = ([show(x) for x in v] + [""])[:2]
    # One wording each: two that are equally likely would leave the choice to the processor's rounding.
    return {"add": f"{a} + {b} is {res}.", "subtract": f"{a} - {b} is {res}.", "multiply": f"{a} × {b} is {res}.", "divide": f"{a} ÷ {b} is {res}.",
            "power": f"{a} to the power of {b} is {res}.", "square_root": f"The square root of {a} is {res}."}[op]
