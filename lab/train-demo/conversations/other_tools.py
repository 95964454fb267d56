"""Turns tool descriptions into calls: hand-written tools, renamed ones, and tools invented from parts."""

import functools
import json
import re

from phrase_files import lines, sections
from tools import define

from . import kinds as other_kinds
from .values import (CITIES, DAYS, NOUNS, capital, clock, filename, integer, listing, number, person, phrase, show, text, word)

PARTS = sections("invented.txt")
VERBS, THINGS, FRAMES, FRONT, DESCRIBE = (PARTS[k] for k in ("verbs", "things", "frames", "front", "describe"))
ASK_VERB = sections("arithmetic.txt")["ask.verb.common"]
ROOMS = "kitchen bedroom bathroom garage office hallway basement cellar pantry balcony dining_room living_room".split()
LANGUAGES = "French German Spanish Italian Dutch Polish Greek Turkish Russian Swedish Danish Finnish Czech Korean".split()
CURRENCIES = "EUR USD GBP JPY CHF SEK NOK DKK CAD AUD PLN CZK".split()


def _arguments(section):
    """Names, kind of value (a tuple is an enum) and wordings of each argument."""
    rows = (json.loads(line) for line in PARTS[section])
    return [(row["names"], tuple(row["kind"]) if isinstance(row["kind"], list) else row["kind"], row["forms"]) for row in rows]


MAIN, EXTRA = _arguments("main"), _arguments("extra")


def code(r):
    return r.choice([f"{r.choice('ABCDEFGHKLMNPRSTXZ')}{r.randint(1, 999)}", f"{''.join(r.choice('ABCDEFGHKLMNPRSTXZ') for _ in range(r.randint(2, 3)))}-{r.randint(10, 9999)}",
                     f"{''.join(r.choice('ABCDEFGHKLMNPRSTXZ') for _ in range(2))}{r.randint(100, 99999)}", f"{r.randint(100, 99999)}-{r.choice('ABCXYZ')}", f"{word(r)}-{r.randint(1, 99)}"])


def date(r):
    return r.choice([f"{r.randint(2019, 2027)}-{r.randint(1, 12):02d}-{r.randint(1, 28):02d}", r.choice(DAYS), f"{r.randint(1, 28)} {r.choice('January February March April June August September November'.split())}"])


def some(f):
    return lambda r: [f(r) for _ in range(r.choice([1, 2, 2, 3, 3, 4]))]


def place(r):
    return r.choice(CITIES) if r.random() < 0.6 else capital(word(r)) + r.choice(["", "", "ton", "burg", " " + capital(word(r))])


KINDS = {
    "city": place, "person": person, "word": word, "words": lambda r: " ".join(word(r) for _ in range(r.randint(1, 3))), "text": text, "phrase": phrase,
    "clock": clock, "date": date, "int": integer, "small": lambda r: r.randint(1, 12), "percent": lambda r: r.randint(1, 100), "num": lambda r: abs(number(r)),
    "email": lambda r: f"{word(r)}{r.choice(['', '.' + word(r), str(r.randint(1, 99))])}@{word(r)}.{r.choice(['com', 'org', 'net', 'io'])}",
    "url": lambda r: f"https://{r.choice(['www.', '', 'docs.'])}{word(r)}.{r.choice(['com', 'org', 'net', 'io', 'de'])}{r.choice(['', '/' + word(r), '/' + word(r) + '/' + str(r.randint(1, 99))])}",
    "host": lambda r: r.choice([f"{word(r)}.{word(r)}.{r.choice(['com', 'net', 'lan'])}", ".".join(str(r.randint(1, 254)) for _ in range(4))]),
    "code": code, "ticker": lambda r: "".join(r.choice("ABCDEFGHIKLMNOPRSTVWX") for _ in range(r.randint(2, 4))), "bool": lambda r: r.random() < 0.5,
    "language": lambda r: r.choice(LANGUAGES), "currency": lambda r: r.choice(CURRENCIES), "room": lambda r: r.choice(ROOMS).replace("_", " "),
    "door": lambda r: r.choice("front back garage cellar garden side main".split()), "nouns": lambda r: r.sample(NOUNS, r.randint(1, 4)), "wordlist": some(word), "people": some(person),
    "nums": lambda r: [abs(number(r, 500)) for _ in range(r.randint(2, 5))], "rooms": lambda r: r.sample(ROOMS, r.randint(1, 3)), "file": filename, "files": some(filename),
    "image": lambda r: word(r) + r.choice(["", str(r.randint(1, 99)), "_" + word(r)]) + r.choice([".png", ".jpg", ".gif"]), "address": lambda r: f"{r.randint(1, 99)} {capital(word(r))} Street",
    "sql": lambda r: f"SELECT {r.choice(['*', word(r)])} FROM {word(r)}" + r.choice(["", f" WHERE {word(r)} = {r.randint(1, 99)}", f" LIMIT {r.randint(1, 99)}"]),
    "title": lambda r: " ".join(capital(word(r)) for _ in range(r.randint(1, 3))), "phone": lambda r: f"{r.randint(100, 999)}-{r.randint(1000, 9999)}",
}
TYPES = {"int": "integer", "small": "integer", "percent": "integer", "num": "number", "bool": "boolean", "nouns": "string[]", "wordlist": "string[]", "people": "string[]", "rooms": "string[]", "files": "string[]", "nums": "number[]"} | other_kinds.TYPES
KINDS |= other_kinds.MORE
PLAIN_RESULTS = ["OK", "Done.", "success", '{"status": "ok"}']
SPELLED = "zero one two three four five six seven eight nine ten eleven twelve".split()


def spoken(v):
    if isinstance(v, bool):
        return "true" if v else "false"
    if isinstance(v, list):
        return listing([spoken(x) for x in v])
    return show(v) if isinstance(v, (int, float)) else v


@functools.cache
def hand_written():
    found = []
    text = "\n".join("\n".join(lines(f"tools-{room}.txt")) for room in ("general", "home", "life", "work"))
    for block in re.split(r"\n(?=\w+\()", text):
        head, *rest = block.strip().splitlines()
        part = {l[0]: [x.strip() for x in l[2:].split(";")] for l in rest}
        kinds = dict(re.findall(r"(\w+)\??: [^=]+?=(\w+)", head))
        found.append((define(re.sub(r"=\w+(?=[,)])", "", head)), kinds, part["?"], part.get("=", PLAIN_RESULTS), part.get("!", [None])[0]))
    return found


def camel(s):
    head, *tail = s.split("_")
    return head + "".join(map(capital, tail))


SYNONYMS = {"city": "town place location where city_name", "person": "who user contact name member", "date": "day when on_day", "clock": "at hour when time_of_day", "text": "message content body input value", "num": "value x amount quantity", "word": "term name key item", "code": "id reference ref key", "file": "path file filename document", "room": "area zone place", "words": "name label query subject", "url": "link address uri"}


def renamed(r, tool, kinds):
    """The same tool under other names, so that names are read from the list and not remembered."""
    f = tool["function"]
    style, keys = r.random(), {}
    name = f["name"]
    for k in f["parameters"]["properties"]:
        new = r.choice(SYNONYMS[kinds[k]].split()) if kinds.get(k) in SYNONYMS and list(kinds.values()).count(kinds[k]) == 1 and r.random() < 0.6 else k
        keys[k] = new if new not in keys.values() and (new == k or new not in f["parameters"]["properties"]) else k
    if style < 0.35:
        name, keys = camel(name), {k: camel(v) for k, v in keys.items()}
    elif style < 0.6:
        name = r.choice(["do_", "tool_", "my_", "api_", word(r) + "_"]) + name
    elif style < 0.75:
        name = name + r.choice(["_v2", "_tool", "_now", "_service", "_action"])
    params = {"type": "object", "properties": {keys[k]: v for k, v in f["parameters"]["properties"].items()}}
    if f["parameters"].get("required"):
        params["required"] = [keys[k] for k in f["parameters"]["required"]]
    return {"type": "function", "function": {"name": name, "description": f["description"], "parameters": params}}, keys


def invented(r):
    """A tool put together from a verb, a thing and some arguments, and a function that asks for it."""
    base, says = r.choice(VERBS).split(":")
    # Now and then another tool for the thing of the one before: only the verb tells them apart.
    thing = r.last_thing if r.random() < 0.2 and hasattr(r, "last_thing") else r.choice(THINGS) if r.random() < 0.9 else word(r)
    r.last_thing = thing
    names, kind, forms = r.choice(MAIN)
    args = [(r.choice(names).replace("{n}", thing), kind, forms, False)]
    for names, kind, forms in r.sample(EXTRA, r.choice([0, 0, 1, 1, 1, 2, 2, 3])):
        key = r.choice(names)
        alike = {f.split(" {")[0] for f in forms} & {f.split(" {")[0] for a in args[1:] for f in a[2]}
        if key not in [a[0] for a in args] and kind not in [a[1] for a in args] and not alike & {"in", "for", "from", "to", "with"}:
            args.append((key, kind, forms, r.random() < 0.5))
    style = r.random()
    ident = (lambda s: camel(s)) if style < 0.2 else (lambda s: s)
    name = ident(r.choice([f"{base}_{thing}", f"{base}_{thing}", f"{base}_{thing}", f"{thing}_{base}", f"{thing}_manager", base]))
    art = "an" if thing[0] in "aeiou" else "a"
    props = {ident(k): ({"type": "string", "enum": list(kind)} if isinstance(kind, tuple) else {"type": "array", "items": {"type": TYPES[kind][:-2]}} if TYPES.get(kind, "").endswith("[]")
                        else {"type": TYPES.get(kind, "string")}) for k, kind, _, _ in args}
    params = {"type": "object", "properties": props}
    params["required"] = [ident(k) for k, _, _, optional in args if not optional]
    tool = {"type": "function", "function": {"name": name, "description": r.choice(DESCRIBE).format(V=capital(base), v=base, a=art, n=thing), "parameters": params}}

    def ask(r):
        call, parts = {}, []
        for at, (k, kind, forms, optional) in enumerate(args):
            if optional and r.random() < 0.4:
                continue
            v = call[ident(k)] = r.choice(kind) if isinstance(kind, tuple) else KINDS[kind](r)
            form = r.choice([f for f in forms if not ("'" in f and "'" in spoken(v))] or forms[:1])
            if k[0] in "aeiou":
                form = form.replace(" a {k}", " an {k}")
            parts.append(form.replace("{k}", k.replace("_", " ")).replace("{v}", spoken(v)))
        main, extra = parts[0], parts[1:]
        r.shuffle(extra)
        rest = r.choice([" ", " ", " ", ", "]).join([main] + extra)
        say = r.choice(says.split(","))
        k = r.random()
        if k < 0.25 and extra and extra[0].split()[0] in ("on", "for", "at", "in", "until", "by", "before", "with", "via", "within", "under", "from"):
            q = r.choice(FRONT).format(f=extra[0], n=thing, ex=" ".join([main] + extra[1:]), s=say)
        elif k < 0.65:
            q = r.choice(ASK_VERB[:27]).format(f"{say} {r.choice(['the', 'the', 'the', 'my', art])} {thing} {rest}")
        else:
            q = r.choice(FRAMES).format(n=thing, ex=rest, s=say)
        q = re.sub(r"\ba ([aeiou])", r"an \1", q) if " a " + thing in q else q
        q = re.sub(r"\b([Oo]n|[Bb]y) (today|tomorrow|tonight)\b", r"\2", q) if "text" not in [a[1] for a in args] else q
        done = r.choice([f"{capital(thing)} {main}: done.", "OK", "Done.", f"success", '{"status": "ok"}', f"{thing} {r.randint(1, 99)}"])
        return call, capital(q) if r.random() < 0.8 and not any(isinstance(v, str) and q.startswith(v) for v in call.values()) else q, done
    return tool, ask, f"{base} {art} {thing}"


def written(r):
    """A hand-written tool, perhaps renamed, with its asking function."""
    tool, kinds, questions, results, purpose = r.choice(hand_written())
    original = tool["function"]["parameters"]["properties"]
    shown, keys = renamed(r, tool, kinds) if r.random() < 0.5 else (tool, {k: k for k in original})

    def ask(r):
        q, values = r.choice(questions), {}
        for k, v in re.findall(r"{(\w+)=(\w+)}", q):  # {key=value}: said by the words around it
            values[k] = json.loads(v)
        q = re.sub(r"{\w+=\w+}", "", q)
        for k in re.findall(r"{(\w+)}", q):
            for _ in range(20):
                values[k] = r.choice(original[k]["enum"]) if kinds[k] == "enum" else KINDS[kinds[k]](r)
                if not any(o != k and type(values[o]) is type(values[k]) is str and values[o] == values[k] for o in values):
                    break
        if any("'" in str(values.get(k, "")) for k in re.findall(r"'{(\w+)}'", q)):
            q = re.sub(r"'({\w+})'", r'"\1"', q)
        res = r.choice(results)
        for k, v in values.items():
            shown, one = spoken(v), isinstance(v, int) and not isinstance(v, bool)
            if v in ("today", "tomorrow", "tonight"):
                q = re.sub(r"\b(by|on) {" + k + "}", v, q, flags=re.I)
            if one and kinds[k] == "small" and v < 13 and r.random() < 0.12 and " {" + k + "} " in q:
                shown = SPELLED[v]
            elif one and v > 999 and kinds[k] in ("big", "price") and r.random() < 0.15:
                shown = f"{v:,}"
            q, res = q.replace("{" + k + "}", shown), res.replace("{" + k + "}", spoken(v))
        if r.random() < 0.2 and not re.match(r"I\b|[\"'“]", q) and not any(q.startswith(spoken(v)) for v in values.values()):
            asks = "?" in q or not re.match(r"(Get|Show|Find|Tell|Give|Make|Put|Set|Send|Book|Add|Check|Open|Start|Play|Use|Let|Take|Call|Run|Create|Turn|Log)\b", q)
            q = r.choice(["Hey, ", "Hi, ", "Hello! ", "Ok, "] if asks else ["Please ", "Hey, ", "Could you do this: ", "Now ", "I'd like this: ", "Hi! "]) + q[0].lower() + q[1:]
        elif r.random() < 0.12 and not any(q.lower().startswith(spoken(v).lower()) for v in values.values()):
            q = q[0].lower() + q[1:] if not re.match(r"I\b", q) else q
        elif r.random() < 0.1 and q[-1].isalpha() and not re.search(r"{text}|: ", q) and ":" not in q:
            q += r.choice([" please", ", please", ", thanks", ".", "!"])
        return {keys[k]: values[k] for k in original if k in values}, q, res
    return shown, ask, purpose or tool["function"]["name"].replace("_", " ")


def any_tool(r):
    return (written if r.random() < 0.5 else invented)(r)
