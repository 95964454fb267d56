"""Requests in very few words, and in other languages."""

from phrase_files import sections

from . import arithmetic as calc
from . import files
from .file_values import content, filename
from .messages import call, done, say, sum_call, turn, user
from .talk import OPS
from .values import listing, show

PHRASES, LANGUAGES = sections("dialogues.txt"), sections("languages.txt")


def _numbers(r, op):
    a, b = r.randint(2, 999), r.randint(2, 99)
    return {"power": (r.randint(2, 20), r.randint(2, 12)), "square_root": (r.choice([r.randint(2, 60) ** 2, r.randint(2, 999), round(r.uniform(1, 90), 2)]),),
            "divide": (a * b if r.random() < 0.6 else a, b)}.get(op, (a, b))


def _short_text(r):
    while True:
        c = content(r)
        if "'" not in c and "\n" not in c and len(c) < 60:
            return c


def _made(r, tool):
    """(arguments, fields of a phrase)"""
    if tool in OPS:
        values = _numbers(r, tool)
        a, b = ([show(v) for v in values] + [""])[:2]
        return sum_call(tool, values), dict(a=a, b=b), calc.result(tool, values), lambda res: calc.said(r, tool, values, res)
    f, c = filename(r), _short_text(r)
    args = {"list_files": {}, "write_file": {"filename": f, "content": c}}.get(tool, {"filename": f})
    return call(tool, args), dict(f=f, c=c), files.result(r, tool, args), lambda res: files.said(r, tool, args, res)


def request(r, have, complete):
    tool = r.choice(have)
    c, fields, res, said = _made(r, tool)
    section = f"terse.{tool}"
    if tool == "write_file" and r.random() < 0.5:
        section, c["function"]["arguments"]["content"] = "terse.empty", ""
        res, said = f"Wrote 0 bytes to {fields['f']}.", lambda _: r.choice([f"I made the empty file {fields['f']}.", f"Done, {fields['f']} is there and empty.", f"{fields['f']} is ready."])
    q = r.choice(PHRASES[section]).format(**fields)
    return [user(q), *done(c, res), say(said(res))] if complete else [user(q), turn([c])]


def language(r, have):
    """A request in another language, answered in it."""
    tool = r.choice(have)
    c, fields, res, said = _made(r, tool)
    if tool == "list_files":
        names = list(dict.fromkeys(filename(r) for _ in range(r.randint(2, 5))))
        res, shown = "\n".join(names), listing(names).replace(" and ", ", ")
    else:
        shown = res.replace("\n", ", ")
    q, a = r.choice(LANGUAGES[tool]).split("|")
    a = said(res) if res.startswith("Error") else a.format(**fields, r=shown)
    return [user(q.format(**fields)), *done(c, res), say(a)]
