"""Tools that give a list, and lists of up to fourteen entries read back whole."""

import json

from phrase_files import sections

from .followups import PHRASES as DIALOGUES, said_so
from .kinds import MORE
from .messages import call, done, say, user
from .values import CITIES, ITEMS, NAMES, filename, listing, word

PHRASES = sections("list-tools.txt")
TOOLS = [line.split("|") for line in PHRASES["tools"]]
NTH = DIALOGUES["nth"]


def some_tool(r):
    """(tool, its questions, what its entries are called)"""
    name, description, plural, *questions = r.choice(TOOLS)
    return {"type": "function", "function": {"name": name, "description": description, "parameters": {"type": "object", "properties": {}}}}, questions, plural


def entries(r, low=7, high=14):
    """Entries of one kind, each of its own; now and then alike but for a number."""
    n, k = r.randint(low, high), r.random()
    if k < 0.3:
        stem, first = r.choice(["img_", "IMG-", "scan", "page", "part-", "DSC0", "rec_", "v1.", "room ", "item-"]), r.randint(1, 1900)
        numbers = sorted(r.sample(range(first, first + 90), n))
        end = r.choice(["", ".jpg", ".png", ".pdf", ""])
        return [f"{stem}{i}{end}" for i in numbers]
    makers = [lambda: word(r), lambda: f"{word(r)} {word(r)}", lambda: r.choice(NAMES), lambda: r.choice(CITIES), lambda: r.choice(ITEMS), lambda: filename(r),
              lambda: f"{r.choice('buy call fix find bring clean send sort pay read water check'.split())} {r.choice(NAMES + ITEMS)}", lambda: MORE["product"](r)]
    make, found = r.choice(makers), []
    while len(found) < n:
        e = str(make())
        if e not in found:
            found.append(e)
    return sorted(found) if r.random() < 0.3 else found


def shown(r, names):
    """A result as tools write lists."""
    k = r.random()
    return "\n".join(names) if k < 0.6 else json.dumps(names, ensure_ascii=False) if k < 0.75 else "\n".join("- " + n for n in names) if k < 0.9 else ", ".join(names)


def whole(r, tool, questions, plural):
    """The list asked for, said whole, and perhaps a question on it."""
    names, name = entries(r), tool["function"]["name"]
    form = r.choice(PHRASES["say"])
    a = form.format(l=listing(names), p=plural) if r.random() < 0.8 else "\n".join("- " + n for n in names)
    out = [user(said_so(r, r.choice(questions))), *done(call(name, {}), shown(r, names)), say(a)]
    k = r.random()
    if k < 0.2:
        at = r.randrange(4)
        out += [user(said_so(r, r.choice(DIALOGUES["which"]).format(p=NTH[at]))), say(r.choice([f"The {NTH[at]} one is {names[at]}.", f"{names[at]}."]))]
    elif k < 0.3:
        out += [user(said_so(r, r.choice(DIALOGUES["say-again"]))), say(f"{listing(names)}.")]
    return out
