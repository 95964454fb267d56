"""Dialogues in which a request refers to what was before: it, that, the second one, again."""

from phrase_files import sections

from . import arithmetic as calc
from . import files
from .file_values import content, filename
from .frames import sloppy
from .messages import call, done, file_call, other_call, other_said, plain, result, say, sum_call, turn, user
from .other_tools import spoken
from .talk import OPS
from .values import ITEMS, capital, document, listing, show

PHRASES, FACTS = sections("dialogues.txt"), sections("facts.txt")
NTH = PHRASES["nth"]


def said_so(r, q):
    k = r.random()
    return sloppy(r, q) if k < 0.08 and "{" not in q else capital(q) if k < 0.6 else q


def summed(r, op, values, q):
    """A whole exchange about a sum."""
    res = calc.result(op, values)
    return [user(q), *done(sum_call(op, values), res), say(calc.said(r, op, values, res))], res


def _number(res):
    """The result as a number, if one would go on with it."""
    if res.startswith("Error"):
        return None
    n = plain(float(res))
    return n if abs(n) < 1e7 and len(show(n)) < 9 else None


def _step(r, have, n):
    """(operation, values, phrasing) that goes on with `n`, or None."""
    have = [op for op in have if not (op == "square_root" and n < 0) and not (op == "power" and abs(n) > 60)]
    forms = [(op, None, form) for op in OPS if op in have for form in PHRASES[f"then.{op}"]]
    for name, op, b in (("double", "multiply", 2), ("half", "divide", 2), ("square", "power", 2)):
        if op in have:
            forms += [(op, b, form) for form in PHRASES[f"then.{name}"]] * 2
    if not forms:
        return None
    op, b, form = r.choice(forms)
    if b is None:
        b = r.choice([r.randint(2, 12), r.randint(2, 12), r.randint(10, 300), round(r.uniform(1, 20), 1)]) if op in ("add", "subtract", "multiply") else r.randint(4, 9) if op == "power" else r.randint(2, 12)
    return op, (n,) if op == "square_root" else (n, b), form.format(b=show(b))


def sums(r, have):
    """A sum and what goes on with its result."""
    have = [h for h in have if h in OPS]
    op, values, q = calc.operation(r, r.choice(have))
    out, res = summed(r, op, values, q)
    for _ in range(r.choice([1, 1, 1, 2, 2, 3])):
        n, k = _number(res), r.random()
        if n is None:
            break
        if k < 0.1:
            out += [user(said_so(r, r.choice(PHRASES["what-was"]))), say(r.choice([f"The result was {res}.", f"It was {res}.", f"{res}.", out[-1]["content"]]))]
            continue
        if k < 0.35:
            again = _same(r, op, values)
            if again:
                values, q = again
                more, res = summed(r, op, values, said_so(r, q))
                out += more
                continue
        step = _step(r, have, n)
        if step is None:
            break
        op, values, q = step
        more, res = summed(r, op, values, said_so(r, q))
        out += more
    return out


def _same(r, op, values):
    """The same operation with one other number."""
    at = r.randrange(len(values))
    if op == "divide" and at == 1 and values[1] == 0:
        return None
    new = r.randint(2, 12) if op in ("power", "divide") and at else r.randint(2, 400)
    form = r.choice(PHRASES["same.second" if at else "same.first"])
    changed = tuple(new if i == at else v for i, v in enumerate(values))
    return (changed, form.format(a=show(new), b=show(new), o=show(values[at]))) if changed != values else None


def saved_sum(r, have):
    op, values, q = calc.operation(r, r.choice([op for op in OPS if op in have]))
    out, res = summed(r, op, values, q)
    if res.startswith("Error"):
        return out
    f = filename(r)
    return out + written(r, said_so(r, r.choice(PHRASES["file.save-result"]).format(f=f)), f, res)


def told_number(r, have):
    """A number told first, and a request that means it."""
    op = r.choice([op for op in ("add", "subtract", "multiply", "divide", "write") if op in have or (op == "write" and "write_file" in have)] or [None])
    if op is None:
        return None
    fact, request = r.choice(PHRASES[f"use.{op}"]).split("|")
    b = r.randint(2, 12) if op in ("multiply", "divide") else r.randint(2, 90)
    k, f = r.randint(2, 60) * b if op == "divide" else r.randint(b + 1, 900), filename(r)
    fields = dict(k=k, b=b, f=f, i=r.choice(ITEMS))
    out = [user(fact.format(**fields)), say(r.choice(FACTS["noted"]))]
    if op == "write":
        return out + written(r, request.format(**fields), f, str(k))
    return out + summed(r, op, (k, b), request.format(**fields))[0]


def written(r, q, f, text):
    args = {"filename": f, "content": text}
    res = files.result(r, "write_file", args)
    return [user(q), *done(call("write_file", args), res), say(files.said(r, "write_file", args, res))]


def used(r, tool, q, args, res=None):
    res = res if res is not None else files.result(r, tool, args)
    return [user(q), *done(call(tool, args), res), say(files.said(r, tool, args, res))], res


def of_file(r, have):
    """One file in several requests."""
    k = r.random()
    if k < 0.35 and "list_files" in have and "read_file" in have:
        return listed(r, have)
    first = r.choice([t for t in ("read_file", "write_file") if t in have])
    q, c, res, said = file_call(r, first)
    args = c["function"]["arguments"]
    out = [user(q), *done(c, res), say(said(res))]
    if res.startswith("Error"):
        return out
    place = {"directory": args["directory"]} if "directory" in args else {}
    text = args["content"] if first == "write_file" else res
    for _ in range(r.choice([1, 1, 2])):
        what = r.choice([w for w, needs in (("read", "read_file"), ("delete", "delete_file"), ("other", first), ("copy", "write_file")) if needs in have and not (w == "read" and first == "read_file") and not (w == "other" and first == "write_file")])
        f = filename(r)
        if what == "read":
            out += used(r, "read_file", said_so(r, r.choice(PHRASES["file.read"])), {"filename": args["filename"], **place}, text)[0]
        elif what == "other":
            out += used(r, "read_file", r.choice(PHRASES["file.read-again"]).format(f=f), {"filename": f, **place})[0]
        elif what == "copy" and len(text) < 160:
            out += written(r, r.choice(PHRASES["file.copy"]).format(f=f), f, text)
        elif what == "delete":
            return out + used(r, "delete_file", said_so(r, r.choice(PHRASES["file.delete"])), {"filename": args["filename"], **place}, f"Deleted {args['filename']}.")[0]
    return out


def many_names(r, low=2, high=6):
    return list(dict.fromkeys(filename(r) for _ in range(r.randint(low, high))))


def listed(r, have):
    """A folder is listed; one of its files is meant by its place or name."""
    names = many_names(r)
    q, args = "", {}
    tool, args, q = files.request(r, "list_files")
    place = {"directory": args["directory"]} if "directory" in args else {}
    out, _ = used(r, tool, q, args, "\n".join(names))
    at = r.choice([*range(min(4, len(names))), len(names) - 1])
    word = "last" if at == len(names) - 1 else NTH[at]
    name = names[at]
    if "delete_file" in have and r.random() < 0.3:
        return out + used(r, "delete_file", said_so(r, r.choice(PHRASES["file.delete-nth"]).format(p=word)), {"filename": name, **place}, f"Deleted {name}.")[0]
    q = r.choice(PHRASES["file.read"]) if len(names) == 1 else r.choice(PHRASES["file.nth"]).format(p=word)
    more, res = used(r, "read_file", said_so(r, q), {"filename": name, **place})
    if "delete_file" in have and r.random() < 0.3 and not res.startswith("Error"):
        more += used(r, "delete_file", said_so(r, r.choice(PHRASES["file.delete"])), {"filename": name, **place}, f"Deleted {name}.")[0]
    return out + more


def of_tool(r, tool, ask):
    """A tool of other people's asked for twice: with another value, or just again."""
    q, c, res, said = other_call(r, tool, ask)
    args = c["function"]["arguments"]
    out = [user(q), *done(c, res), say(said(res))]
    one = [k for k, v in args.items() if isinstance(v, str) or (isinstance(v, (int, float)) and not isinstance(v, bool))]
    if len(args) == 1 and one:
        for _ in range(12):
            new = ask(r)[0]
            if new.keys() == args.keys() and new != args:
                q = r.choice(PHRASES["tool.again"]).format(v=spoken(new[one[0]]))
                return out + [user(q), *done(call(c["function"]["name"], new), res), say(other_said(r, res))]
    return out + [user(said_so(r, r.choice(PHRASES["tool.once-more"]))), *done(c, res), say(other_said(r, res))]


def _long(r):
    """Up to fourteen entries, each of its own."""
    names = many_names(r, 7, 14)
    if r.random() < 0.5:
        return "list_files", names
    entries = []
    while len(entries) < len(names):
        e = document(r).split("\n")[0].lstrip("-* []")
        if e not in entries and len(e) < 24:
            entries.append(e)
    return "read_file", entries


def read_whole(r, have):
    """A long list read back whole, and questions on it."""
    for _ in range(9):
        tool, entries = _long(r)
        if tool in have:
            break
    else:
        return None
    _, args, q = files.request(r, tool)
    mark = r.choice(["", "", "- "]) if tool == "read_file" else ""
    out, _ = used(r, tool, q, args, "\n".join(mark + e for e in entries))
    k = r.random()
    if k < 0.2:
        out += [user(said_so(r, r.choice(PHRASES["say-again"]))), say(r.choice([f"{listing(entries)}.", f"It has {listing(entries)}."]))]
    elif k < 0.4:
        at = r.randrange(4)
        out += [user(said_so(r, r.choice(PHRASES["which"]).format(p=NTH[at]))), say(r.choice([f"The {NTH[at]} one is {entries[at]}.", f"{entries[at]}."]))]
    elif k < 0.6:
        there = r.random() < 0.5
        v = r.choice(entries) if there else filename(r) if tool == "list_files" else content(r).split("\n")[0][:24]
        if there or v not in entries:
            out += [user(r.choice(PHRASES["has"]).format(v=v)), say(r.choice(PHRASES["has-yes" if there else "has-no"]).format(v=v))]
    elif k < 0.7:
        out += [user(said_so(r, r.choice(PHRASES["count"]))), say(r.choice([f"There are {len(entries)}.", f"It has {len(entries)} entries."]))]
    return out


def quoted_result(r, tool, ask, word):
    """A result of several values, read back with their names."""
    q, c, *_ = other_call(r, tool, ask)
    values = {word(r): r.choice([r.randint(1, 900), round(r.uniform(0, 90), 1), word(r), f"{word(r)} {word(r)}"]) for _ in range(r.randint(2, 4))}
    shape = r.random()
    if shape < 0.5:
        res = "{" + ", ".join(f'"{k}": {v if not isinstance(v, str) else chr(34) + v + chr(34)}' for k, v in values.items()) + "}"
    else:
        res = ("\n" if shape < 0.8 else ", ").join(f"{k}: {v}" for k, v in values.items())
    a = r.choice(["The " + listing([f"{k} is {v}" for k, v in values.items()]) + ".", "I got " + listing([f"{k} {v}" for k, v in values.items()]) + ".", listing([f"{k}: {v}" for k, v in values.items()]) + "."])
    return [user(q), turn([c]), result(res), say(a)]
