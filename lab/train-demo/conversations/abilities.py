"""What the assistant says of itself: which listed tools it has and what they are for."""

import re

from phrase_files import sections

from .messages import say, user
from .talk import PURPOSE
from .values import capital, listing

PHRASES, EVERYDAY = sections("dialogues.txt"), sections("everyday.txt")


def purpose_of(tool):
    """What a tool is for, in words that stand in the list itself or are known for the bundled ones."""
    f = tool["function"]
    text = PURPOSE.get(f["name"]) or re.sub(r"^(Lets you|Use this to|Can|Tool to|A tool to) ", "", f["description"]).rstrip(".")
    return text if text[:2].isupper() else text[0].lower() + text[1:]


def _joined(tools):
    """Purposes, those of one thing together: "add and multiply numbers"."""
    by_thing, rest = {}, []
    for p in map(purpose_of, tools):
        verb, _, thing = p.partition(" ")
        if thing in ("numbers", "files"):
            by_thing.setdefault(thing, []).append(verb)
        else:
            rest.append(p)
    return listing([f"{listing(verbs)} {thing}" for thing, verbs in by_thing.items()] + rest)


def able(r, tools):
    q = r.choice(PHRASES["able"] + EVERYDAY["about-tools"])
    if not tools:
        return [user(q), say(r.choice(PHRASES["able-none"]))]
    k, names = r.random(), [t["function"]["name"] for t in tools]
    asked = any(w in q.lower() for w in ("tool", "function", "feature"))
    if asked and k < 0.6 or k < 0.2:
        a = r.choice(["I have {n}.", "My tools are {n}.", "These tools: {n}.", "I can use {n}."]).format(n=listing(names))
    elif k < 0.75 or len(tools) > 6:
        a = r.choice(PHRASES["able-say"]).format(l=_joined(tools))
    else:
        a = "\n".join(f"- {t['function']['name']}: {purpose_of(t)}" for t in tools)
    return [user(q), say(a)]


def able_one(r, tools):
    tool = r.choice(tools)
    fields = dict(p=purpose_of(tool), t=tool["function"]["name"])
    if r.random() < 0.6:
        return [user(capital(r.choice(PHRASES["able-one"]).format(**fields))), say(r.choice(PHRASES["able-one-yes"]).format(**fields))]
    return [user(r.choice(PHRASES["tool-what"]).format(**fields)), say(r.choice(PHRASES["tool-what-say"]).format(**fields))]


def needs(r, tool):
    """What a tool has to be told, asked before it is used; None where it needs nothing."""
    required = tool["function"]["parameters"].get("required", [])
    if not required:
        return None
    names = listing([f"the {k.replace('_', ' ')}" for k in required])
    return [user(r.choice(EVERYDAY["needs-ask"]).format(p=purpose_of(tool))), say(r.choice(EVERYDAY["needs-say"]).format(a=names))]
