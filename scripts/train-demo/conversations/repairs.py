"""Calls that cannot run, what the product says of them (src/agent/calls/feedback.ts), and what is right then."""

import json

from .asking import EVERYDAY, PHRASES
from .followups import said_so
from .messages import call, done, other_said, result, say, turn, user
from .other_tools import spoken, words_of

LAST = "Reply with the corrected call only."


def _example(node):
    if "default" in node:
        return node["default"]
    if node.get("enum"):
        return node["enum"][0]
    if "properties" in node:
        return {k: _example(v) for k, v in node["properties"].items() if k in node.get("required", [])}
    kinds = {"string": "text", "integer": node.get("minimum", 1), "number": node.get("minimum", 1), "boolean": True, "object": {}}
    return [_example(node.get("items", {}))] if node.get("type") == "array" else kinds.get(node.get("type"), "value")


def _written(name, args):
    return f"<tool_call>\n{json.dumps({'name': name, 'arguments': args}, ensure_ascii=False)}\n</tool_call>"


def _lacking(f, keys):
    lines = "\n".join(f"- $.{key}: expected a value, it is required" for key in keys)
    schema = json.dumps(f["parameters"], ensure_ascii=False, separators=(",", ":"))
    return f"Error: The arguments of '{f['name']}' do not fit its schema:\n{lines}\nSchema of '{f['name']}': {schema}\nWrite it like this: {_written(f['name'], _example(f['parameters']))}\n{LAST}"


def _unknown(f, name, listed):
    write = f"Write it like this: {_written(f['name'], _example(f['parameters']))}\n{LAST}"
    return f"Error: There is no tool '{name}'. Did you mean '{f['name']}'? Tools: {', '.join(listed)}.\n{write}"


def _failed(name, args, feedback):
    return [turn([call(name, args)]) | {"given": True}, result(feedback)]


def misnamed(r, tool, ask, listed):
    """Named after a part of the tool's name or one of its arguments: called again by its own name."""
    f = tool["function"]
    args, q, res = ask(r)
    parts = [w for w in f["name"].replace(".", "_").split("_") if len(w) > 2]
    wrong = r.choice(["_".join(parts[1:]), "_".join(parts[:-1]), *(k for k in args)]) or f["name"] + "s"
    if wrong == f["name"] or wrong in listed:
        return None
    return [user(q), *_failed(wrong, args, _unknown(f, wrong, listed)), *done(call(f["name"], args), res), say(other_said(r, res))]


def overlooked(r, tool, ask):
    """What was left out had been said: it is called again with it."""
    f = tool["function"]
    args, q, res = ask(r)
    said = [k for k in f["parameters"].get("required", []) if k in args]
    if len(said) < 2:
        return None
    left_out = r.choice(said)
    given = {k: v for k, v in args.items() if k != left_out}
    return [user(q), *_failed(f["name"], given, _lacking(f, [left_out])), *done(call(f["name"], args), res), say(other_said(r, res))]


def unsaid(r, tool, ask, purpose):
    """What was left out had not been said: it is asked for."""
    f = tool["function"]
    args, _, res = ask(r)
    required = [k for k in f["parameters"].get("required", []) if k in args]
    if len(required) != 2 or set(args) != set(required) or not all(isinstance(v, (str, int, float)) and not isinstance(v, bool) for v in args.values()):
        return None
    given, lacking = r.sample(required, 2)
    q = r.choice(EVERYDAY["partly"]).format(p=purpose, a=words_of(given), v=spoken(args[given]))
    asked = r.choice(EVERYDAY["partly-ask"]).format(b=words_of(lacking))
    answer = r.choice(PHRASES["ask.short"]).format(v=spoken(args[lacking]))
    wrong = _failed(f["name"], {given: args[given]}, _lacking(f, [lacking]))
    return [user(said_so(r, q)), *wrong, say(asked), user(answer), *done(call(f["name"], args), res), say(other_said(r, res))]
