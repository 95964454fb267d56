"""Training conversations. Each group shares one system text and tool list; its branches are independent conversations."""

import argparse
import copy
import functools
import json
import random
import re
from collections import Counter

from conversations import abilities, asking, everyday, facts, followups, library, list_tools, pastes, plain, steps, talk, terse
from conversations.messages import calc_call, call, done, file_call, other_call, other_said, result, say, turn, user
from conversations.other_tools import KINDS, any_tool
from conversations.talk import NEAR, OPS, PURPOSE, PURPOSES, REFUSALS, SUBJECTS, SYSTEMS
from conversations.values import CITIES, DAYS, ITEMS, NAMES, clock, filename, word
from heldout import asked
from tools import BUNDLED, CALCULATOR, FILES


def normal(q):
    return re.sub(r"[\d.,]+", "0", q.lower()).strip(" ?.!")


@functools.cache
def forbidden():
    return {normal(q) for q in asked()}


answered, own_replies = functools.cache(talk.answered), functools.cache(talk.own_replies)


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


class Group:
    """The tools of a group and the exchanges that they allow."""

    def __init__(self, r, kind):
        self.r, self.others, self.absent, listed = r, [], None, []
        if kind == "all":
            k = r.random()
            listed = CALCULATOR + FILES if k < 0.42 else FILES + CALCULATOR if k < 0.84 else r.sample(BUNDLED, 10)
        elif kind == "some":
            listed = r.choice([CALCULATOR, FILES, r.sample(BUNDLED, r.randint(1, 8)), r.sample(BUNDLED, r.randint(2, 8))])
        elif kind == "mixed":
            listed = list(BUNDLED) if r.random() < 0.4 else r.sample(BUNDLED, r.randint(1, 6))
        self.have = [t["function"]["name"] for t in listed]
        if kind == "library":
            self.others, self.absent = library.some_tools(r, r.choice([1, 1, 1, 2, 2, 3, 3, 4, 5, 7]))
            listed = [t for t, _, _ in self.others]
        if kind == "recall":
            listed = [facts.RECALL] if r.random() < 0.7 else CALCULATOR + FILES + [facts.RECALL]
        self.list_tool = None
        if kind == "lists":
            self.list_tool = list_tools.some_tool(r)
            listed = [self.list_tool[0]] + r.choice([r.sample(BUNDLED, r.randint(1, 4)), FILES + CALCULATOR, FILES])
            self.have = [t["function"]["name"] for t in listed[1:]]
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
        # Where no tool is listed the untuned model is to stay what it is.
        self.recalls = kind == "recall"
        self.rehearsed = kind == "none" and r.random() < 0.7
        self.system = "You are a helpful assistant." if self.rehearsed or r.random() < 0.75 else r.choice(SYSTEMS)
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

    def mine(self):
        """The worlds of the other tools that are listed."""
        return subjects(" ".join(" ".join([t["function"]["name"], t["function"]["description"], purpose]) for t, _, purpose in self.others))

    def plain(self):
        """What needs no tool, and that none of the others could be meant for."""
        for _ in range(6):
            q, a = (everyday if self.r.random() < 0.4 else plain).request(self.r)
            if not self.others or not self.mine() & subjects(q):
                return [user(q), say(a)]
        q, a = self.talk()
        return [user(q), say(a)]

    def words(self):
        """An exchange without a call."""
        r, k = self.r, self.r.random()
        if k < 0.12:
            return abilities.able(r, self.tools)
        if k < 0.17 and self.tools:
            return (abilities.needs(r, r.choice(self.tools)) if r.random() < 0.3 else None) or abilities.able_one(r, self.tools)
        if k < 0.23:
            return talk.elliptic(r)
        if k < 0.6:
            return self.plain()
        q, a = self.talk()
        return [user(q), say(a)]

    def missing(self):
        """A question for which no listed tool fits, and an answer that says so."""
        r = self.r
        if any(n not in self.have for n in PURPOSE) and r.random() < (0.6 if self.have else 0.35):
            found = self.missing_bundled()
            if found:
                return found
        mine = self.mine()
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

    def several(self, complete):
        """A tool of the library called for each of several values at once."""
        r = self.r
        tool, ask, _ = r.choice(self.others)
        made = ask.many(r)
        if made is None:
            return None
        calls, q, found = made
        asked = [user(q), turn([call(tool["function"]["name"], c) for c in calls])]
        return asked + [result(res) for res in found] + [say(" ".join(dict.fromkeys(other_said(r, res) for res in found)))] if complete else asked

    def some(self, complete):
        """Two to four requests in one, of the library's tools, often of the same one."""
        r = self.r
        count, alone = r.choice([2, 2, 2, 3, 3, 4]), r.random() < 0.6
        one = r.choice(self.others)
        made = []
        for _ in range(count):
            tool, ask, _ = one if alone else r.choice(self.others)
            args, q, res = ask(r)
            if len(q) < 130 and all((tool["function"]["name"], args) != (c["function"]["name"], c["function"]["arguments"]) for _, c, _ in made):
                made.append((q, call(tool["function"]["name"], args), res))
        if len(made) < 2:
            return None
        asked = [user(steps.listed(r, [q for q, _, _ in made])), turn([c for _, c, _ in made])]
        return asked + [result(res) for _, _, res in made] + [say(" ".join(dict.fromkeys(other_said(r, res) for _, _, res in made)))] if complete else asked

    def unanswered(self):
        """What none of the library's listed tools answers."""
        r = self.r
        if r.random() < 0.5:
            q, a = r.choice(self.others)[1].near(r)
            return q, a or r.choice(talk.NO_TOOL)
        _, ask, purpose = self.absent
        if subjects(purpose) & subjects(" ".join(p for _, _, p in self.others)) - NO_SUBJECT:
            return self.missing()
        return ask(r)[1], r.choice(REFUSALS).format(p=purpose)

    def of_library(self, complete):
        """An exchange that is about the library's tools."""
        r, k = self.r, self.r.random()
        if k < (0.38 if len(self.others) == 1 else 0.28):
            q, a = self.unanswered()
            return [user(q), say(a)]
        if k < 0.52 and (found := self.several(complete)):
            return found
        if k < 0.62 and (found := self.some(complete)):
            return found
        if k < 0.68 and len(self.others) > 1:
            one, two = (other_call(r, tool, ask) for tool, ask, _ in r.sample(self.others, 2))
            if found := steps.two_of_any(r, one, two):
                return found
        return None

    def exchange(self, complete):
        """One question with all that answers it; without `complete` it may stop after the call."""
        r, k = self.r, self.r.random()
        if self.absent and r.random() < 0.7:
            if found := self.of_library(complete):
                return found
            q, c, res, said = self.one_call()
            return [user(q), *done(c, res), say(said(res))] if complete else [user(q), turn([c])]
        if not self.tools or k < 0.19:
            return self.words()
        if k < 0.245:
            q, a = self.missing()
            return [user(q), say(a)]
        if k < 0.27:
            return steps.two_of_any(r, self.one_call(), self.one_call()) or self.exchange(complete)
        if k < 0.31 and self.have:
            return terse.request(r, self.have, complete)
        q, c, res, said = self.one_call()
        if r.random() < 0.03:
            form = r.choice(followups.PHRASES["insist"])
            q = form.format(p=abilities.purpose_of(self.listed(c)), q=q if "? Then" not in form else q[0].lower() + q[1:])
        if c["function"]["name"] == "list_files" and not res.startswith(("Error", "The dir")):
            self.files = [n for n in res.split("\n") if not n.endswith("/")]
        return [user(q), *done(c, res), say(said(res))] if complete else [user(q), turn([c])]

    def listed(self, c):
        return next(t for t in self.tools if t["function"]["name"] == c["function"]["name"])

    def dialogue(self):
        """(kind, messages) of several turns that belong together."""
        r, sums = self.r, [n for n in self.have if n in OPS]
        some = [n for n in self.have if n in ("read_file", "write_file")]
        between = lambda: self.exchange(True)
        kinds = {"told": (1.2, lambda: facts.told(r, between, 4)), "summarized": (0.5, lambda: facts.summarized(r, between, 6))}
        if sums:
            kinds |= {"sums": (3, lambda: followups.sums(r, self.have)), "two sums": (1, lambda: steps.two_sums(r, self.have)), "chained sum": (1, lambda: steps.chained_sum(r, self.have)),
                      "missing number": (1.5, lambda: asking.for_sum(r, r.choice(sums)))}
        if some:
            kinds |= {"file": (2.5, lambda: followups.of_file(r, self.have)), "two files": (0.7, lambda: steps.two_files(r, self.have)), "missing name": (1, lambda: asking.for_file(r, self.have)),
                      "chained files": (1.4, lambda: steps.chained_files(r, self.have)), "whole list": (1.5, lambda: followups.read_whole(r, self.have))}
        if sums and "write_file" in some:
            kinds["saved sum"] = (0.6, lambda: followups.saved_sum(r, self.have))
        kinds["pasted text"] = (1.5, lambda: pastes.pasted(r, between))
        if self.list_tool:
            kinds["tool's list"] = (9, lambda: list_tools.whole(r, *self.list_tool))
        if self.have:
            kinds["told number"] = (0.6, lambda: followups.told_number(r, self.have))
            kinds["language"] = (3, lambda: terse.language(r, self.have))
        if self.others:
            tool, ask, purpose = r.choice(self.others)
            kinds |= {"tool again": (3, lambda: followups.of_tool(r, tool, ask)), "missing argument": (3, lambda: asking.for_tool(r, tool, ask, purpose if self.absent else None)), "quoted": (1.5, lambda: followups.quoted_result(r, tool, ask, word))}
        kind = r.choices(list(kinds), [w for w, _ in kinds.values()])[0]
        return kind, kinds[kind][1]()

    def branch(self):
        """(kind, messages)"""
        r = self.r
        if self.rehearsed:
            return "own reply", copy.deepcopy(r.choice(own_replies()))
        if self.recalls:
            return "looked up", facts.looked_up(r)
        self.files = []
        if self.tools and r.random() < (0.2 if self.absent else 0.45):
            kind, found = self.dialogue()
            if found:
                # Some of them begin after something else.
                return kind, (self.exchange(True) if r.random() < 0.1 else []) + found
        turns = r.choices([1, 2, 3, 4], [0.85, 0.09, 0.04, 0.02])[0]
        out = []
        for i in range(turns):
            out += self.exchange(i < turns - 1 or r.random() < 0.22)
        return "single", out

    def long_branch(self):
        """(kind, messages) of one that takes the sequence for itself."""
        r, between = self.r, lambda: self.exchange(True)
        made = {"told": lambda: facts.told(r, between, 10), "summarized": lambda: facts.summarized(r, between, 24), "pasted": lambda: (facts if r.random() < 0.5 else pastes).pasted(r, between)}
        kind = r.choices(list(made), [1, 1, 1.5])[0]
        return "long " + kind, made[kind]()

    def branches(self, n, make):
        found = []
        while len(found) < n:
            kind, b = make()
            if not any(m["role"] == "user" and normal(m["content"]) in forbidden() for m in b):
                found.append((kind, b))
        return found


def groups(seed, n, branches=7):
    r = random.Random(seed)
    for _ in range(n):
        g = Group(r, r.choices(["all", "some", "other", "mixed", "lists", "none", "library", "recall"], [0.24, 0.05, 0.03, 0.05, 0.04, 0.1, 0.42, 0.07])[0])
        alone = 0 if g.rehearsed or g.recalls else 0.1 if g.tools else 0.3
        found = g.branches(1, g.long_branch) if r.random() < alone else g.branches(branches, g.branch)
        yield {"system": g.system, "tools": copy.deepcopy(g.tools), "branches": [b for _, b in found], "kinds": [k for k, _ in found]}


def main():
    from tools import render
    p = argparse.ArgumentParser(description="Shows some conversations, or how many there are of each kind.")
    p.add_argument("--seed", type=int, default=5)
    p.add_argument("--groups", type=int, default=8)
    p.add_argument("--branches", type=int, default=5)
    p.add_argument("--kind", help="only those whose kind has this in its name")
    p.add_argument("--count", action="store_true", help="count instead of showing")
    a = p.parse_args()
    count, words = Counter(), Counter()
    for g in groups(a.seed, a.groups, a.branches):
        head = render([{"role": "system", "content": g["system"]}], g["tools"])
        for kind, b in zip(g["kinds"], g["branches"]):
            text = render([{"role": "system", "content": ""}] + b, [])[len("<|im_start|>system\n<|im_end|>\n"):]
            count[kind] += 1
            words[kind] += len(text.split())
            if not a.count and (a.kind or "") in kind:
                print(f"{head}   --- {kind}\n{text}")
                head = ""
    if a.count:
        for kind, n in count.most_common():
            print(f"{kind}: {n}, {words[kind] / n:.0f} words on average")


if __name__ == "__main__":
    main()
