"""Tools with described arguments, written out one a line with what people ask of them: phrases/tools/*.jsonl."""

import functools
import itertools
import json
import re

from phrase_files import FOLDER

from . import frames, further
from .kinds import MORE
from .other_tools import KINDS, SPELLED, camel, spoken, words_of
from .values import capital, integer, listing, number, word

CASES = {"int": integer, "num": lambda r: abs(number(r)), "date": MORE["isodate"], "clock": MORE["moment"], "folder": MORE["folder"], "phone": MORE["phone"], "ip": MORE["ip"],
         "country": MORE["country"], "product": MORE["product"], "year": MORE["year"], "price": MORE["price"], "company": MORE["company"]}


# How often a tool of each folder is drawn, beside the others. What a model that has learnt the first has still to learn comes
# more often: to write values otherwise than they are said, and tools of many more kinds.
FOLDERS = {"": 1, "values": 2, "wide": 3}


@functools.cache
def library():
    """{topic: its tools}"""
    return {path.stem: [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] for folder in FOLDERS for path in _files(folder)}


@functools.cache
def weights():
    """How often a tool of each topic is drawn."""
    return [weight for folder, weight in FOLDERS.items() for _ in _files(folder)]


def _files(folder):
    return sorted((FOLDER / "tools" / folder).glob("*.jsonl"))


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


BETWEEN = "\0"  # a request and what is said after it: the answer to a question, a follow-up

# Arguments whose names tell of a form of their own.
FORMED = re.compile(r"code|iso|abbr|symbol|ticker|id$|ids$|sku|zip|slug|hex|lang|mail|url|phone|time|key|path|file|format|number|currency|query|expr|zone|court|weekday")
PROPER = re.compile(r"(?:the |The )?[A-Z0-9][\w.,'’ -]{1,38}")
PERCENT = re.compile(r"(-?[\d.]+)%")


def _untold(r, key, line):
    """The argument, at times without the description of its form: rates are then fractions of one, names and dates are written as they are said."""
    arg = line["args"][key]
    if not _has_form(arg) or not all(_is_pair(arg, v) or isinstance(v, str) for v in arg["values"]):
        return arg
    told = {"description": f"The {words_of(key)}." if r.random() < 0.7 else capital(words_of(key))}
    if arg["type"] == "number":
        return arg | told if _is_fraction(arg) and r.random() < 0.5 else arg
    said = [v[1] if isinstance(v, list) else v for v in arg["values"]]
    if arg["type"] != "string" or not _may_be_copied(key, said, line) or r.random() > 0.4:
        return arg
    return arg | told | {"values": [[re.sub(r"^[Tt]he ", "", x), x] for x in said]}


def _can_be_named(key, arg):
    """Its values are words or numbers, and its name says what they are."""
    return arg["type"] in ("string", "integer", "number") and len(key) > 2 and "enum" not in arg or arg["type"] == "string" and "enum" in arg and "values" in arg


def _is_fraction(arg):
    """Said in percent, written as a fraction of one."""
    said = [(v, PERCENT.fullmatch(text)) for v, text in arg["values"]]
    percents = [(v, float(match[1])) for v, match in said if match]
    return any(abs(v) < 1 for v, _ in percents) and all(v and abs(percent / 100 - v) < 1e-9 for v, percent in percents)


def _may_be_copied(key, said, line):
    """Only names and dates, and only where no request sets the value in its own words."""
    forms = line["asks"] + line.get("many", []) + [request for request, *_ in line.get("lacks", [])] + [said for pair in line.get("again", []) for said in pair]
    set_by_hand = any(re.search(rf"{{{key}(?:\.\d)?=", form) for form in forms)
    return not set_by_hand and not FORMED.search(key.lower()) and all(PROPER.fullmatch(x) for x in said)


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
        """[arguments of each call] and the question, at times with further arguments and in chatty surroundings."""
        calls, q = self._filled(r, form, star)
        if q.isascii() and r.random() < 0.25:
            calls, q = self._named(r, calls, q)
        return calls, self._surrounded(r, q, [v for call in calls for v in call.values()])

    def _filled(self, r, form, star=0):
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
        # Before a follow-up there is a call of its own, which has what is said without a number.
        numbers = ["1"] * bool(numbers and BETWEEN in q) + numbers
        shared = {k: v for k, v in values.items() if "." not in k}
        if numbers:
            made = [shared | {k.split(".")[0]: v for k, v in values.items() if k.endswith("." + n)} for n in numbers]
        else:
            made = [shared | dict(one) for one in itertools.product(*several)]
        # In the order of the schema, which a call that is held to it has to keep.
        return [{key: one[k] for k, key in self.keys.items() if k in one} for one in made], q

    def _named(self, r, calls, q):
        """The question and the calls with one or two further arguments, if some are left that can be named."""
        left = [k for k, arg in self.line["args"].items() if all(self.keys[k] not in call for call in calls) and _can_be_named(k, arg)]
        for k in r.sample(left, min(len(left), r.choice([1, 1, 2]))):
            v, said = _drawn(r, self.line["args"][k])
            found = len(said) < 40 and further.more(r, q, k, said, len(calls) > 1)
            if found:
                q = found
                calls = [call | {self.keys[k]: v} for call in calls]
        order = list(self.keys.values())
        return [dict(sorted(call.items(), key=lambda item: order.index(item[0]))) for call in calls], q

    @staticmethod
    def _surrounded(r, q, values):
        starts = any(isinstance(v, str) and q.lower().startswith(v.lower()) for v in values)
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

    def lacking(self, r):
        """(arguments, request without one of them, question for it, answer, result), or None."""
        if not self.line.get("lacks"):
            return None
        request, _, question, answer = r.choice(self.line["lacks"])
        (call,), q = self._filled(r, request + BETWEEN + answer)
        request, answer = q.split(BETWEEN)
        return call, self._surrounded(r, request, list(call.values())), question, answer, self._result(r, call)

    def again(self, r):
        """(arguments, request, result, follow-up, arguments then, result then), or None. The follow-up changes some of them: {city.2}."""
        if not self.line.get("again"):
            return None
        request, more = r.choice(self.line["again"])
        (first, second), q = self._filled(r, request + BETWEEN + more)
        request, more = q.split(BETWEEN)
        if first == second:
            return None
        return first, self._surrounded(r, request, list(first.values())), self._result(r, first), more, second, self._result(r, second)

    def near(self, r):
        """A question of the same subject that the tool cannot answer, and its answer if it needs no tool."""
        found = r.choice(self.line["not"])
        return (found, None) if isinstance(found, str) else found


def shown(r, line):
    """(tool, what asks for it, its purpose)"""
    line = line | {"args": {k: _untold(r, k, line) for k in line["args"]}}
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
    return tool, Asking(line, {k: keys[k] for k in names}), line["purpose"]


def some_tools(r, count):
    """Tools of one topic, now and then of any; and one of that topic that is not among them."""
    topics = list(library())
    chosen = lambda: r.choices(topics, weights())[0]
    if r.random() < 0.6:
        *lines, absent = r.sample(library()[chosen()], count + 1)
    else:
        found = {}
        while len(found) <= count:
            line = r.choice(library()[chosen()])
            found[line["name"]] = line
        *lines, absent = found.values()
    return [shown(r, line) for line in lines], shown(r, absent)
