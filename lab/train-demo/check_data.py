"""Checks that generated conversations are sound: turns in order, calls of listed tools that fit their schemas, a result for each
call, no placeholder left over. Exit status 1 if any is not."""

import argparse
import re
import sys
from collections import Counter

from make_data import groups
from tools import render

KINDS = {"string": str, "number": (int, float), "integer": int, "boolean": bool, "object": dict, "array": list}
# In a text that the model should write or that a user has said; JSON and code have other braces.
PLACEHOLDER = re.compile(r"\{([a-z]\w?|who|has|gets|loses|how_many\w*)\}")


def call_problems(call, tools):
    name, args = call["function"]["name"], call["function"]["arguments"]
    if name not in tools:
        return [f"calls {name}, which is not listed"]
    parameters = tools[name]["parameters"]
    found = [f"{name} lacks {k}" for k in parameters.get("required", []) if k not in args]
    for k, v in args.items():
        schema = parameters["properties"].get(k)
        if schema is None:
            found.append(f"{name} has no {k}")
        elif not isinstance(v, KINDS[schema["type"]]) or (isinstance(v, bool) and schema["type"] != "boolean") or v not in schema.get("enum", [v]):
            found.append(f"{name}.{k} is {v!r}")
    return found


def problems(messages, tools):
    found, before, open_calls = [], "assistant", 0
    for m in messages:
        role = m["role"]
        if role == "tool":
            open_calls -= 1
            if before not in ("calls", "tool") or open_calls < 0:
                found.append("a result without a call")
        elif role == "user" and (before != "assistant" or open_calls):
            found.append(f"the user speaks after {before}")
        elif role == "assistant" and (before not in ("user", "tool") or open_calls > 0):
            found.append(f"the assistant speaks after {before}")
        calls = m.get("tool_calls", [])
        for c in calls:
            found += call_problems(c, tools)
        open_calls += len(calls)
        before = "calls" if calls else role
        if not calls and not m["content"].strip() and role != "tool":
            found.append(f"an empty text of {role}")
        if role != "tool" and PLACEHOLDER.search(m["content"]):
            found.append(f"a placeholder: {m['content'][:80]!r}")
    if before in ("user", "tool"):
        found.append(f"ends with {before}")
    return found


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--groups", type=int, default=500)
    a = p.parse_args()
    count, wrong = Counter(), 0
    for g in groups(a.seed, a.groups):
        tools = {t["function"]["name"]: t["function"] for t in g["tools"]}
        for kind, b in zip(g["kinds"], g["branches"]):
            count[kind] += 1
            render(b, g["tools"])
            for found in problems(b, tools):
                wrong += 1
                print(f"{kind}: {found}")
    print(f"{sum(count.values())} conversations, {wrong} problems")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
