"""One request that needs several calls: at once where they do not depend on each other, one after the other where they do."""

from phrase_files import sections

from . import arithmetic as calc
from . import files
from .file_values import content, filename, folder
from .followups import PHRASES, many_names, said_so
from .messages import call, done, result, say, sum_call, turn, user
from .talk import OPS
from .values import capital, show

SUMS = sections("arithmetic.txt")


def _plain_sum(r, op):
    """(values, noun phrase) of a sum that one can go on with."""
    a, b = r.randint(2, 300), r.randint(2, 60)
    values = {"power": (r.randint(2, 12), r.randint(2, 5)), "square_root": (r.randint(2, 40) ** 2,), "divide": (a * b, b), "subtract": (max(a, b) + 1, min(a, b))}.get(op, (a, b))
    forms = [f for f in SUMS[f"{op}.noun.common"] if "{b}th" not in f]
    x, y = ([show(v) for v in values] + [""])[:2]
    form = r.choice(forms)
    told = values[::-1] if op in ("add", "multiply") and form.index("{b}") < form.index("{a}") else values
    return told, form.format(a=x, b=y)


def at_once(r, calls, replies, q):
    """All calls in one reply."""
    return [user(q), turn([c for c, _ in calls]), *(result(res) for _, res in calls), say(" ".join(replies))]


def two_sums(r, have):
    ops = [r.choice([op for op in OPS if op in have]) for _ in range(2)]
    (v, p), (w, s) = (_plain_sum(r, op) for op in ops)
    if (ops[0], v) == (ops[1], w):
        return None
    pairs = [(op, x, calc.result(op, x)) for op, x in zip(ops, (v, w))]
    q = said_so(r, r.choice(PHRASES["calc-both.noun"]).replace("{1}", p).replace("{2}", s))
    return at_once(r, [(sum_call(op, x), res) for op, x, res in pairs], [calc.said(r, op, x, res) for op, x, res in pairs], q)


def two_files(r, have):
    what = r.choice([w for w, t in (("read", "read_file"), ("delete", "delete_file"), ("write", "write_file")) if t in have])
    f, g = filename(r), filename(r)
    c, e = ((content(r)[:40], content(r)[:40]) if what == "write" else ("", ""))
    if f == g or "'" in c + e or "\n" in c + e:
        return None
    q = said_so(r, r.choice(PHRASES[f"{what}-two"])).replace("{f}", f).replace("{g}", g).replace("{c}", c).replace("{e}", e)
    args = [{"filename": f} | ({"content": c} if what == "write" else {}), {"filename": g} | ({"content": e} if what == "write" else {})]
    tool = f"{what}_file"
    pairs = [(a, files.result(r, tool, a)) for a in args]
    return at_once(r, [(call(tool, a), res) for a, res in pairs], [files.said(r, tool, a, res) for a, res in pairs], q)


def listed(r, questions):
    """Several requests, one after the other, as one."""
    k, ends = r.random(), [q if q[-1] in ".?!" else q + "." for q in questions]
    if k < 0.3:
        return " ".join(ends)
    if k < 0.55:
        first = r.choice(["I need a few things. ", "Could you help me with some things? ", "Some questions: ", "Please do the following. "])
        marks = r.choice([("First, ", "Second, ", "Third, ", "Finally, "), ("1. ", "2. ", "3. ", "4. "), ("First ", "Then ", "After that, ", "And ")])
        return first + " ".join(m + (q if m[0].isdigit() else q[0].lower() + q[1:]) for m, q in zip(marks, ends))
    if k < 0.75:
        return " ".join([ends[0]] + [r.choice(["Also, ", "And ", "Then ", "Besides, "]) + q[0].lower() + q[1:] for q in ends[1:]])
    return "\n".join(r.choice(["- ", "* ", ""]) + q for q in questions) if k < 0.88 else "; ".join(q.rstrip(".") for q in questions)


def two_of_any(r, one, two):
    """Two requests in one; each is (question, call, result, what is said)."""
    if one[1] == two[1] or ":" in one[0] or len(one[0]) + len(two[0]) > 220:
        return None
    form = r.choice(PHRASES["both"])
    first, second = one[0].rstrip(" .?!"), two[0].rstrip(" .?!")
    if not form.startswith("{1}"):
        first = first[0].lower() + first[1:]
    if "{1} After" not in form and ". " not in form:
        second = second[0].lower() + second[1:]
    q = form.replace("{1}", first + ("." if "{1} " in form and "And" in form or "{1} After" in form else "")).replace("{2}", second)
    return at_once(r, [(one[1], one[2]), (two[1], two[2])], [one[3](one[2]), two[3](two[2])], capital(q))


def in_turn(r, q, steps, reply):
    """Each call waits for the result before."""
    return [user(q)] + [m for c, res in steps for m in done(c, res)] + [say(reply)]


def chained_sum(r, have):
    first = r.choice([op for op in OPS if op in have])
    values, p = _plain_sum(r, first)
    res = calc.result(first, values)
    n = int(res) if res.lstrip("-").isdigit() else float(res)
    if "write_file" in have and r.random() < 0.35:
        f = filename(r)
        args = {"filename": f, "content": res}
        return in_turn(r, said_so(r, r.choice(PHRASES["chain.save"]).replace("{1}", p)).replace("{f}", f), [(sum_call(first, values), res), (call("write_file", args), files.result(r, "write_file", args))],
                       f"{calc.said(r, first, values, res)} {r.choice(['I saved it to {f}.', 'It is now in {f}.', 'I wrote it to {f}.']).format(f=f)}")
    then = [op for op in ("add", "subtract", "multiply", "divide") if op in have]
    if not then:
        return None
    op, b = r.choice(then), r.randint(2, 40)
    second = (n, b)
    out = calc.result(op, second)
    q = said_so(r, r.choice(PHRASES[f"chain.{op}"]).replace("{1}", p).replace("{b}", str(b)))
    return in_turn(r, q, [(sum_call(first, values), res), (sum_call(op, second), out)], r.choice([f"The result is {out}.", f"First I got {res}, and then {out}.", f"That makes {out}."]))


def chained_files(r, have):
    needs = {"read-delete": ("read_file", "delete_file"), "list-read": ("list_files", "read_file"), "copy": ("read_file", "write_file"), "move": ("read_file", "write_file", "delete_file"), "read-sum": ("read_file", "add")}
    can = [k for k, tools in needs.items() if all(t in have for t in tools)]
    if not can:
        return None
    kind, f, g, d = r.choice(can), filename(r), filename(r), folder(r)
    text = str(r.randint(2, 900)) if kind == "read-sum" else content(r)
    b = r.randint(2, 90)
    q = said_so(r, r.choice(PHRASES[kind])).replace("{f}", f).replace("{g}", g).replace("{d}", d).replace("{b}", str(b))
    read = (call("read_file", {"filename": f}), text)
    put = (call("write_file", {"filename": g, "content": text}), f"Wrote {len(text.encode())} bytes to {g}.")
    drop = (call("delete_file", {"filename": f}), f"Deleted {f}.")
    if kind == "read-delete":
        return in_turn(r, q, [read, drop], r.choice([f"{f} said: {text}\nI deleted it.", f"I deleted {f}. It said: {text}", f"{f} is deleted; this was in it: {text}"]))
    if kind == "copy":
        return in_turn(r, q, [read, put], r.choice([f"I copied {f} to {g}.", f"{g} now has the text of {f}."]))
    if kind == "move":
        return in_turn(r, q, [read, put, drop], r.choice([f"{f} is now {g}.", f"Done, I moved {f} to {g}."]))
    if kind == "read-sum":
        total = int(text) + b
        return in_turn(r, q, [read, (sum_call("add", (int(text), b)), str(total))], f"{f} says {text}; {text} + {b} is {total}.")
    names = many_names(r)
    inside = (call("read_file", {"filename": names[0], "directory": d}), text)
    return in_turn(r, q, [(call("list_files", {"directory": d}), "\n".join(names)), inside], r.choice([f"{names[0]} says: {text}", f"The first file is {names[0]}. It says: {text}"]))
