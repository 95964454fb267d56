"""Requests that lack what a tool needs: the assistant asks, the next request gives it."""

from phrase_files import sections

from . import arithmetic as calc
from . import files
from .abilities import purpose_of
from .file_values import content, filename
from .followups import PHRASES, said_so
from .messages import call, done, other_said, say, sum_call, user
from .other_tools import spoken
from .values import show

EVERYDAY = sections("everyday.txt")
FILES = {"ask.read": "read_file", "ask.delete": "delete_file", "ask.write": "write_file", "ask.content": "write_file", "ask.name": "write_file"}


def _asked(r, section, **values):
    q, a = r.choice(PHRASES[section]).split("|")
    return [user(said_so(r, q).format(**values)), say(a.format(**values))]


def for_sum(r, op):
    a, b = r.randint(2, 900), r.randint(2, 60)
    values = {"square_root": (r.randint(2, 60) ** 2,), "power": (r.randint(2, 12), r.randint(2, 9))}.get(op, (max(a, b), min(a, b)) if op == "subtract" else (a, b))
    half = f"ask.half.{op}" in PHRASES and r.random() < 0.45
    if not half and op not in ("power", "square_root") and r.random() < 0.5:
        q, a = r.choice(EVERYDAY["ask-sums"]).split("|")
        out = [user(said_so(r, q.format(v=op))), say(a.format(v=op))]
    else:
        out = _asked(r, f"ask.half.{op}" if half else f"ask.{op}", a=show(values[0]))
    short = half or op == "square_root"
    answer = r.choice(PHRASES["ask.by"]).format(b=show(values[-1])) if short else r.choice(PHRASES["ask.sum"]).format(a=show(values[0]), b=show(values[1]))
    if op == "square_root":
        answer = answer.removeprefix("by ")
    res = calc.result(op, values)
    return out + [user(answer), *done(sum_call(op, values), res), say(calc.said(r, op, values, res))]


def for_file(r, have):
    section = r.choice([s for s, tool in FILES.items() if tool in have])
    tool, f, c = FILES[section], filename(r), content(r)
    while section in ("ask.write", "ask.content", "ask.name") and ("'" in c or '"' in c or "\n" in c):
        c = content(r)
    out = _asked(r, section, f=f, c=c)
    answer = {"ask.write": "ask.note", "ask.content": "ask.text"}.get(section, "ask.file")
    args = {"filename": f} | ({"content": c} if tool == "write_file" else {})
    res = files.result(r, tool, args)
    return out + [user(r.choice(PHRASES[answer]).format(f=f, c=c)), *done(call(tool, args), res), say(files.said(r, tool, args, res))]


def _words(name):
    """An argument's name as one would say it."""
    return "".join(" " + c.lower() if c.isupper() else c for c in name).replace("_", " ")


def _partly(r, name, purpose, args, required, res):
    """One of two arguments is given, the other asked for."""
    given, lacking = r.sample(required, 2)
    q = r.choice(EVERYDAY["partly"]).format(p=purpose, a=_words(given), v=spoken(args[given]))
    ask_for = r.choice(EVERYDAY["partly-ask"]).format(b=_words(lacking))
    give = r.choice(PHRASES["ask.short"]).format(v=spoken(args[lacking]))
    return [user(said_so(r, q)), say(ask_for), user(give), *done(call(name, args), res), say(other_said(r, res))]


def for_tool(r, tool, ask, purpose=None):
    f = tool["function"]
    required = f["parameters"].get("required", [])
    if not 1 <= len(required) <= 2:
        return None
    for _ in range(10):
        args, _, res = ask(r)
        if set(args) == set(required) and all(isinstance(v, (str, int, float)) and not isinstance(v, bool) for v in args.values()) and not any(" and " in spoken(v) for v in args.values()):
            break
    else:
        return None
    names = [_words(k) for k in required]
    if len(required) == 2 and r.random() < 0.6:
        return _partly(r, f["name"], purpose or purpose_of(tool), args, required, res)
    if len(required) == 1:
        ask_for, give = r.choice(PHRASES["ask.how"]).format(a=names[0]), r.choice(PHRASES["ask.short"]).format(v=spoken(args[required[0]]))
    else:
        ask_for, give = r.choice(PHRASES["ask.two"]).format(a=names[0], b=names[1]), f"{spoken(args[required[0]])} and {spoken(args[required[1]])}"
    q, a = r.choice(PHRASES["ask.tool"]).split("|")
    p = purpose or purpose_of(tool)
    return [user(said_so(r, q.format(p=p))), say(a.format(q=ask_for)), user(give), *done(call(f["name"], args), res), say(other_said(r, res))]
