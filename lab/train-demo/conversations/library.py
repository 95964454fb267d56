"""Tools with described arguments, written out one a line with what people ask of them: phrases/tools/*.jsonl."""

import functools
import itertools
import json
import re

from phrase_files import FOLDER

from . import frames
from .kinds import MORE
from .other_tools import KINDS, SPELLED, camel, spoken
from .values import capital, integer, listing, number, word

CASES = {"int": integer, "num": lambda r: abs(number(r)), "date": MORE["isodate"], "clock": MORE["moment"], "folder": MORE["folder"], "phone": MORE["phone"], "ip": MORE["ip"],
         "country": MORE["country"], "product": MORE["product"], "year": MORE["year"], "price": MORE["price"], "company": MORE["company"]}


@functools.cache
def library():
    """{topic: its tools}"""
    return {path.stem: [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
            for path in sorted((FOLDER / "tools").glob("*.jsonl"))}


def _drawn(r, arg):
    """A value and how it is said."""
    if "values" in arg:
        v = r.choice(arg["values"])
        if _is_pair(arg, v):
            return v[0], v[1]
        return v, json.dumps(v) if isinstance(v, dict) or isinstance(v, list) and any(isinstance(x, (dict, list)) for x in v) else spoken(v)
    kind, *rest = arg["kind"].split(":")
    if rest and kind == "int":
        low, high = map(int, rest)
        # Small numbers are asked for more often than large ones.
        v = r.randint(low, high if high - low < 1000 or r.random() < 0.5 else low + (high - low) // 20)
    elif rest:
        v = round(r.uniform(float(rest[0]), float(rest[1])), int(rest[2]))
        v = int(v) if r.random() < 0.4 and float(rest[1]) - float(rest[0]) >= 10 and round(v) else v
    else:
        v = CASES.get(kind, KINDS.get(kind))(r)
    if type(v) is int and 999 < v and not kind == "year" and r.random() < 0.2:
        return v, f"{v:,}"
    if type(v) is int and 1 < v < 13 and r.random() < 0.08:
        return v, SPELLED[v]
    return v, spoken(v)


def _is_pair(arg, v):
    """A value with how it is said."""
    return isinstance(v, list) and len(v) == 2 and isinstance(v[1], str) and not (arg["type"] == "array" and arg.get("items") == "string" and isinstance(v[0], str))


def _has_form(arg):
    """Its values are written in another way than they are said, as only the description tells."""
    return "enum" not in arg and any(_is_pair(arg, v) for v in arg.get("values", []))


def _unlike(r, arg, others):
    """A value that none of the others equals, if there is one."""
    for _ in range(20):
        v, said = _drawn(r, arg)
        if v not in others:
            break
    return v, said


def _several(r, arg, count):
    """At most so many different values, each with how it is said."""
    drawn = {}
    for _ in range(20):
        v, said = _drawn(r, arg)
        drawn.setdefault(json.dumps(v), (v, said))
        if len(drawn) == count:
            break
    return list(drawn.values())


def _schema(arg, described):
    found = {"type": arg["type"]}
    for key in ("enum", "properties"):
        if key in arg:
            found[key] = arg[key]
    if "items" in arg:
        found["items"] = {"type": arg["items"]}
    if described and "description" in arg:
        found["description"] = arg["description"]
    return found


def _styled(r, name, keys):
    """The tool's and its arguments' names, at times in another style."""
    style = r.random()
    same = {k: k for k in keys}
    if style < 0.1 and "_" in name and "." not in name:
        return camel(name), {k: camel(k) for k in keys}
    if style < 0.2 and "." not in name:
        return f"{word(r)}.{name}", same
    if style < 0.26:
        return f"{name}_{r.choice(['v2', 'tool', 'api', 'lookup', 'now'])}", same
    if style < 0.32:
        return name.replace(".", "_"), same
    return name, same


class Asking:
    """Called with a generator of numbers: (arguments, question, result)."""

    def __init__(self, line, keys):
        self.line, self.keys = line, keys

    def _said(self, r, form, star=0):
        """[arguments of each call] and the question. A key of the form may end in the number of its call: {city.2}."""
        args, values = self.line["args"], {}
        for k, text in re.findall(r"{([\w.]+)=([^}]*)}", form):
            values[k] = json.loads(text)
        q = re.sub(r"{[\w.]+=[^}]*}", "", form)
        for k in re.findall(r"{([\w.]+)}", q):
            if k not in values:
                values[k], said = _unlike(r, args[k.split(".")[0]], [v for other, v in values.items() if other.split(".")[0] == k.split(".")[0]])
                q = q.replace("{" + k + "}", said)
        several, names = [], re.findall(r"{(\w+)\*}", q)
        for k in names:
            drawn = _several(r, args[k], star if len(names) == 1 else 2)
            q = q.replace("{" + k + "*}", listing([said for _, said in drawn]))
            several.append([(k, v) for v, _ in drawn])
        numbers = sorted({k.split(".")[1] for k in values if "." in k})
        shared = {k: v for k, v in values.items() if "." not in k}
        if numbers:
            made = [shared | {k.split(".")[0]: v for k, v in values.items() if k.endswith("." + n)} for n in numbers]
        else:
            made = [shared | dict(one) for one in itertools.product(*several)]
        return [{self.keys[k]: one[k] for k in args if k in one} for one in made], self._surrounded(r, q, values)

    @staticmethod
    def _surrounded(r, q, values):
        starts = any(isinstance(v, str) and q.lower().startswith(v.lower()) for v in values.values())
        k = r.random()
        if starts or not q:
            return q
        if k < 0.08 and not re.match(r"I\b|I'", q):
            return q[0].lower() + q[1:]
        if k < 0.12 and not re.match(r"I\b|I'", q):
            return r.choice(["Hey, ", "Hi! ", "Hello, ", "OK, "]) + (q[0].lower() + q[1:])
        if k < 0.15 and q[-1] in ".?!":
            return q[:-1]
        if k < 0.18 and q[-1].isalnum():
            return q + r.choice([" please", ", thanks", "."])
        if k < 0.28:
            return capital(q)
        return frames.dress(r, q) if k < 0.6 and q.isascii() else q

    def _result(self, r, call):
        res = r.choice(self.line["results"])
        for k, key in self.keys.items():
            v = call.get(key, "")
            res = res.replace("{" + k + "}", json.dumps(v) if isinstance(v, dict) or isinstance(v, list) and not all(isinstance(x, str) for x in v) else spoken(v))
        return res

    def __call__(self, r):
        (call,), q = self._said(r, r.choice(self.line["asks"]))
        return call, q, self._result(r, call)

    def many(self, r):
        """([arguments of each call], question, [result of each]), or None."""
        if not self.line.get("many"):
            return None
        calls, q = self._said(r, r.choice(self.line["many"]), star=r.choice([2, 2, 2, 3, 3, 4]))
        return (calls, q, [self._result(r, c) for c in calls]) if len(calls) > 1 else None

    def near(self, r):
        """A question of the same subject that the tool cannot answer, and its answer if it needs no tool."""
        found = r.choice(self.line["not"])
        return (found, None) if isinstance(found, str) else found


def shown(r, line):
    """(tool, what asks for it, its purpose)"""
    name, keys = _styled(r, line["name"], line["args"])
    how = r.random()
    described = lambda: how < 0.7 or (how < 0.85 and r.random() < 0.5)
    names = list(line["args"])
    if r.random() < 0.15:
        r.shuffle(names)
    parameters = {"type": "object", "properties": {keys[k]: _schema(line["args"][k], described() or _has_form(line["args"][k])) for k in names}}
    required = [keys[k] for k in names if not line["args"][k].get("optional")]
    if required:
        parameters["required"] = required
    tool = {"type": "function", "function": {"name": name, "description": line["description"], "parameters": parameters}}
    return tool, Asking(line, keys), line["purpose"]


def some_tools(r, count):
    """Tools of one topic, now and then of any; and one of that topic that is not among them."""
    topics = list(library())
    chosen = lambda: r.choice(topics)
    if r.random() < 0.6:
        *lines, absent = r.sample(library()[chosen()], count + 1)
    else:
        found = {}
        while len(found) <= count:
            line = r.choice(library()[chosen()])
            found[line["name"]] = line
        *lines, absent = found.values()
    return [shown(r, line) for line in lines], shown(r, absent)
