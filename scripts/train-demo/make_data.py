"""Training conversations. Each group shares one system text and tool list; its branches are independent conversations."""

import copy
import functools
import json
import random
import re

from conversations import arithmetic as calc
from conversations import files, talk
from conversations.other_tools import KINDS, any_tool
from conversations.talk import NEAR, PURPOSE, PURPOSES, REFUSALS, SUBJECTS, SYSTEMS
from conversations.values import CITIES, DAYS, ITEMS, NAMES, clock, filename, word
from heldout import cases
from tools import BUNDLED, CALCULATOR, FILES

OPS = list(PURPOSE)[:6]


def normal(q):
    return re.sub(r"[\d.,]+", "0", q.lower()).strip(" ?.!")


@functools.cache
def forbidden():
    return {normal(q) for _, q, _, _ in cases()}


answered = functools.cache(talk.answered)


FILE_WORDS = set("file files path note notes text document documents content folder directory page copy archive source target output destination save delete remove".split())
SUM_WORDS = set("average modulo percentage percent tip math calculate remainder mean sum".split())
NO_SUBJECT = set("a an the i me my of to in on at is for it and s what with by or no tool do api v now action please two".split())


def subjects(text):
    """The words of a text and the worlds that they belong to."""
    found = {w.rstrip("s") for w in re.findall("[a-z]+", re.sub("([a-z])([A-Z])", r"\1 \2", text).replace("_", " ").lower()) if w not in NO_SUBJECT}
    return found | {i for i, world in enumerate(NEAR) if any(w.rstrip("s") in found for w in world)}


def slots(r):
    (n, n2), (c, c2), k = r.sample(NAMES, 2), r.sample(CITIES, 2), r.randint(2, 60)
    made = {s: KINDS[kind](r) for s, kind in dict(l="language", e="email", g="image", h="host", u="url", x="code", s="title", y="phone").items()}
    return dict(n=n, n2=n2, d=r.choice(DAYS[:7]), c=c, c2=c2, t=clock(r), k=k, k2=k + r.randint(1, 40), w=word(r), w2=word(r), i=r.choice(ITEMS), f=filename(r), **made)


def plain(n):
    return int(n) if isinstance(n, float) and n == int(n) else n


def call(name, args):
    return {"function": {"name": name, "arguments": {k: plain(v) if not isinstance(v, bool) else v for k, v in args.items()}}}


def turn(calls, content=""):
    return {"role": "assistant", "content": content, "tool_calls": calls}


def user(q):
    return {"role": "user", "content": q}


def say(text):
    return {"role": "assistant", "content": text}


def calc_call(r, op):
    op, values, q = calc.operation(r, op)
    keys = {"power": ("base", "exponent"), "square_root": ("number",)}.get(op, ("a", "b"))
    return q, call(op, dict(zip(keys, values))), calc.result(op, values), lambda res: calc.said(r, op, values, res)


def file_call(r, tool, name=None):
    tool, args, q = files.request(r, tool, name)
    return q, call(tool, args), files.result(r, tool, args), lambda res: files.said(r, tool, args, res)


ERRORS = ["the network is down", "access denied", "timed out", "not found", "the service is not available", "invalid value", "no permission"]


def other_call(r, tool, ask):
    args, q, res = ask(r)
    if r.random() < 0.12:
        res = "Error: " + r.choice(ERRORS)

    def said(res):
        if res.startswith("Error: "):
            why = res[7:]
            return r.choice([f"That didn't work: {why}.", f"Sorry, the tool failed: {why}.", f"I couldn't do that, {why}.", f"The tool reported a problem: {why}."])
        if res in ("OK", "Done.", "success", '{"status": "ok"}'):
            return r.choice(["Done.", "That's done.", "It worked.", "All done."])
        return r.choice([f"The result is: {res}", f"It says: {res}", f"I got this: {res}", res])
    return q, call(tool["function"]["name"], args), res, said


class Group:
    """The tools of a group and the exchanges that they allow."""

    def __init__(self, r, kind):
        self.r, self.others, listed = r, [], []
        if kind == "all":
            k = r.random()
            listed = CALCULATOR + FILES if k < 0.42 else FILES + CALCULATOR if k < 0.84 else r.sample(BUNDLED, 10)
        elif kind == "some":
            listed = r.choice([CALCULATOR, FILES, r.sample(BUNDLED, r.randint(1, 8)), r.sample(BUNDLED, r.randint(2, 8))])
        elif kind == "mixed":
            listed = list(BUNDLED) if r.random() < 0.4 else r.sample(BUNDLED, r.randint(1, 6))
        self.have = [t["function"]["name"] for t in listed]
        if kind in ("other", "mixed"):
            names = {t["function"]["name"] for t in BUNDLED}
            for _ in range(r.choice([1, 2, 2, 3, 3, 4, 5, 6]) if kind == "other" else r.choice([1, 1, 2, 3])):
                tool, ask, purpose = any_tool(r)
                if tool["function"]["name"] not in names:
                    names.add(tool["function"]["name"])
                    self.others.append((tool, ask, purpose))
            listed = listed + [t for t, _, _ in self.others]
            if r.random() < 0.8:
                listed = r.sample(listed, len(listed))
        self.tools = listed
        self.system = "You are a helpful assistant." if r.random() < 0.75 else r.choice(SYSTEMS)
        self.files = []

    def one_call(self):
        r = self.r
        pools = [("other", 1.0)] * bool(self.others) + [("own", 1.0 if not self.others else 0.3)] * bool(self.have)
        kind = r.choices([p for p, _ in pools], [w for _, w in pools])[0]
        if kind == "other":
            tool, ask, _ = r.choice(self.others)
            return other_call(r, tool, ask)
        # Files are harder to ask for than sums.
        name = r.choices(self.have, [1.0 if n in OPS else 1.7 for n in self.have])[0]
        if name in OPS:
            return calc_call(r, name)
        return file_call(r, name, r.choice(self.files) if self.files and r.random() < 0.6 else None)

    def talk(self):
        return self.r.choice(answered() if self.r.random() < 0.35 else talk.PAIRS)

    def missing(self):
        """A question for which no listed tool fits, and an answer that says so."""
        r = self.r
        if any(n not in self.have for n in PURPOSE) and r.random() < (0.6 if self.have else 0.35):
            found = self.missing_bundled()
            if found:
                return found
        mine = subjects(" ".join(" ".join([t["function"]["name"], t["function"]["description"], purpose]) for t, _, purpose in self.others))
        for _ in range(12):
            if self.others and r.random() < 0.4:
                _, ask, p = any_tool(r)
                q = ask(r)[1]
            else:
                p, q = r.choice(SUBJECTS)
                q = q.format(**slots(r))
            if not mine & subjects(p + " " + q):
                return q, r.choice(REFUSALS).format(p=p)
        return self.talk()

    def missing_bundled(self):
        """A question for a bundled tool that is not listed, most often while one of its kind is."""
        r = self.r
        lacking = [n for n in PURPOSE if n not in self.have]
        if self.others:
            words = set(re.findall("[a-z]+", json.dumps([t["function"] for t, _, _ in self.others]).replace("_", " ").lower()))
            if words & FILE_WORDS:
                lacking = [n for n in lacking if n in OPS]
            if words & SUM_WORDS:
                lacking = [n for n in lacking if n not in OPS]
        if not lacking:
            return None
        near = [n for n in lacking if any((n in OPS) == (h in OPS) for h in self.have)]
        q, c, *_ = (calc_call if (name := r.choice(near if near and r.random() < 0.6 else lacking)) in OPS else file_call)(r, name)
        name, two = c["function"]["name"], 2 in list(c["function"]["arguments"].values())[1:]
        # Squaring is also multiplying, doubling is also adding.
        other_way = {"power": "multiply", "multiply": "add", "divide": "multiply"}.get(name) in self.have and two
        return None if name in self.have or other_way else (q, r.choice(REFUSALS).format(p=r.choice(PURPOSES[name])))

    def exchange(self, complete):
        """One question with all that answers it; without `complete` it may stop after the call."""
        r, k = self.r, self.r.random()
        if not self.tools or k < 0.12:
            q, a = self.talk()
            return [user(q), say(a)]
        if k < 0.205:
            q, a = self.missing()
            return [user(q), say(a)]
        if k < 0.225:
            one, two = self.one_call(), self.one_call()
            join = r.choice([" And ", " Also, ", " Then ", " "])
            q = one[0].rstrip(" ") + ("" if one[0][-1] in ".?!" else r.choice([".", ",", ""])) + join + (two[0] if join == " " else two[0][0].lower() + two[0][1:])
            if one[1] == two[1] or ":" in one[0]:
                return self.exchange(complete)
            return [user(q), turn([one[1], two[1]]), {"role": "tool", "content": one[2]}, {"role": "tool", "content": two[2]}, say(one[3](one[2]) + " " + two[3](two[2]))]
        q, c, res, said = self.one_call()
        if c["function"]["name"] == "list_files" and not res.startswith(("Error", "The dir")):
            self.files = [n for n in res.split("\n") if not n.endswith("/")]
        out = [user(q), turn([c])]
        return out + ([{"role": "tool", "content": res}, say(said(res))] if complete else [])

    def branch(self):
        r = self.r
        self.files = []
        turns = r.choices([1, 2, 3, 4], [0.85, 0.09, 0.04, 0.02])[0]
        out = []
        for i in range(turns):
            out += self.exchange(i < turns - 1 or r.random() < 0.22)
        return out

    def branches(self, n):
        found = []
        while len(found) < n:
            b = self.branch()
            if not any(m["role"] == "user" and normal(m["content"]) in forbidden() for m in b):
                found.append(b)
        return found


def groups(seed, n, branches=7):
    r = random.Random(seed)
    for _ in range(n):
        g = Group(r, r.choices(["all", "some", "other", "mixed", "none"], [0.58, 0.13, 0.20, 0.07, 0.02])[0])
        yield {"system": g.system, "tools": copy.deepcopy(g.tools), "branches": g.branches(branches)}


if __name__ == "__main__":
    from tools import render
    for g in groups(5, 8, 5):
        print(render([{"role": "system", "content": g["system"]}], g["tools"]))
        for b in g["branches"]:
            print("   ---\n" + render([{"role": "system", "content": ""}] + b, [])[len("<|im_start|>system\n<|im_end|>\n"):])
