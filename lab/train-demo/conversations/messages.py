"""Messages, calls and whole exchanges of one call."""

from . import arithmetic as calc
from . import files

ERRORS = ["the network is down", "access denied", "timed out", "not found", "the service is not available", "invalid value", "no permission"]


def plain(n):
    return int(n) if isinstance(n, float) and abs(n) < 1e15 and n == int(n) else n


def call(name, args):
    return {"function": {"name": name, "arguments": {k: plain(v) if not isinstance(v, bool) else v for k, v in args.items()}}}


def turn(calls, content=""):
    return {"role": "assistant", "content": content, "tool_calls": calls}


def user(q):
    return {"role": "user", "content": q}


def say(text):
    return {"role": "assistant", "content": text}


def result(text):
    return {"role": "tool", "content": text}


def done(c, res):
    """A call with its result."""
    return [turn([c]), result(res)]


def sum_call(op, values):
    keys = {"power": ("base", "exponent"), "square_root": ("number",)}.get(op, ("a", "b"))
    return call(op, dict(zip(keys, values)))


def calc_call(r, op):
    """(question, call, result, what is said of a result)"""
    op, values, q = calc.operation(r, op)
    return q, sum_call(op, values), calc.result(op, values), lambda res: calc.said(r, op, values, res)


def file_call(r, tool, name=None):
    tool, args, q = files.request(r, tool, name)
    return q, call(tool, args), files.result(r, tool, args), lambda res: files.said(r, tool, args, res)


def other_call(r, tool, ask):
    args, q, res = ask(r)
    if r.random() < 0.12:
        res = "Error: " + r.choice(ERRORS)
    return q, call(tool["function"]["name"], args), res, lambda res: other_said(r, res)


def other_said(r, res):
    if res.startswith("Error: "):
        why = res[7:]
        return r.choice([f"That didn't work: {why}.", f"Sorry, the tool failed: {why}.", f"I couldn't do that, {why}.", f"The tool reported a problem: {why}."])
    if res in ("OK", "Done.", "success", '{"status": "ok"}'):
        return r.choice(["Done.", "That's done.", "It worked.", "All done."])
    return r.choice([f"The result is: {res}", f"It says: {res}", f"I got this: {res}", res])
