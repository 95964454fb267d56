"""Random values: words, names, file names, texts and numbers, and how results are written."""

import functools
import json
import re

NAMES = """Anna Ben Carla David Emma Felix Grace Henry Ivy Jack Kate Leo Mia Noah Olga Paul Rosa Sam Tina Uma Victor Wendy Yusuf Zoe
Aisha Boris Chen Dario Elif Farid Greta Hugo Ines Jonas Kofi Lucia Marek Nina Oskar Priya Quinn Rafael Sofia Tariq Ursula Vera""".split()
SURNAMES = "Smith Miller Garcia Novak Kim Rossi Jensen Patel Okafor Weber Silva Tanaka Brown Dubois Larsen Ali Horvat Murphy".split()
CITIES = """Paris London Berlin Rome Oslo Madrid Vienna Prague Athens Dublin Cairo Tokyo Lima Boston Chicago Denver Austin Seattle
Lagos Nairobi Mumbai Delhi Sydney Perth Toronto Quebec Munich Hamburg Lyon Nice Milan Turin Seville Bergen Malmo Ghent""".split()
ITEMS = """apples oranges pencils coins stickers marbles books cards stamps candies cookies eggs shells toys balloons flowers tickets
bottles boxes chairs cups pens stones beads buttons photos plants roses fish sheep chickens cows bricks nails tiles plates spoons""".split()
DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday today tomorrow tonight".split()
EXTENSIONS = "txt txt txt txt md md csv json log py html yaml xml ini js doc".split()


@functools.cache
def words() -> list[str]:
    from base_model import load_tokenizer
    vocab = load_tokenizer().get_vocab()
    found = sorted(t[1:] for t, i in vocab.items() if i < 14000 and re.fullmatch("Ġ[a-z]{3,9}", t))
    return found


def word(r):
    return r.choice(words())


def person(r):
    return r.choice(NAMES) if r.random() < 0.7 else r.choice(NAMES) + " " + r.choice(SURNAMES)


def number(r, top=5000):
    kind = r.random()
    if kind < 0.30:
        return r.randint(0, 30)
    if kind < 0.55:
        return r.randint(10, 200)
    if kind < 0.78:
        return r.randint(min(100, top), top)
    if kind < 0.86:
        return r.randint(1000, 999999)
    if kind < 0.95:
        return round(r.uniform(0, 10 ** r.randint(1, 3)), r.choice([1, 1, 2, 2, 3]))
    return -r.randint(1, 300)


def integer(r, low=1, high=300):
    return r.randint(low, high) if r.random() < 0.6 else r.randint(low, min(high, 20))


def show(n) -> str:
    """A number as the calculator writes it."""
    if isinstance(n, float) and n == int(n) and abs(n) < 1e21:
        n = int(n)
    return repr(n)


def stem(r):
    k = r.random()
    if k < 0.45:
        s = word(r)
    elif k < 0.8:
        s = r.choice("_-_-").join(word(r) for _ in range(2))
    elif k < 0.93:
        s = word(r) + r.choice(["", "_", "-"]) + str(r.randint(1, 2030))
    else:
        s = r.choice(["", word(r)[:3] + "-"]) + "".join(word(r).capitalize() for _ in range(2))
    k = r.random()
    return s.upper() if k < 0.03 else s.capitalize() if k < 0.12 else s


def filename(r):
    return stem(r) + "." + r.choice(EXTENSIONS)


def folder(r):
    common = "docs notes work data src images projects home archive reports backup music school recipes".split()
    return r.choice(common) if r.random() < 0.3 else stem(r) if r.random() < 0.9 else word(r) + "/" + word(r)


NOUNS = """milk bread eggs butter rice cheese apples tea coffee sugar soap paper batteries candles flowers tomatoes onions pasta
honey juice salt flour fish olives carrots potatoes stamps envelopes paint nails""".split()
TASKS = """call mum;call the dentist;pay the rent;water the plants;feed the cat;buy stamps;fix the bike;book the train;clean the kitchen;
send the parcel;renew the passport;pick up the kids;return the books;walk the dog;write to grandma;empty the bin;order a cake;
check the tyres;charge the phone;meet {n} at {t};lunch with {n} on {d};send {n} the report;ask {n} about the keys;remind {n} of the {w};
the {w} is on {d};{n} arrives at {t};the code is {k};the meeting moved to {d};room {k} is booked;thank {n} for the {w}""".replace("\n", "").split(";")


def clock(r):
    return f"{r.randint(6, 22)}:{r.choice(['00', '15', '30', '45', '05', '20'])}"


def phrase(r):
    text = r.choice(TASKS)
    return text.format(n=r.choice(NAMES), t=clock(r), d=r.choice(DAYS[:7]), w=word(r), k=r.randint(10, 9999))


def text(r):
    """A short text to be copied word for word."""
    k = r.random()
    if k < 0.3:
        s = phrase(r)
    elif k < 0.5:
        s = " ".join(word(r) for _ in range(r.randint(1, 6)))
    elif k < 0.62:
        s = ", ".join(r.sample(NOUNS, r.randint(2, 4)))
    elif k < 0.72:
        s = f"{word(r)}: {r.randint(1, 999)}"
    elif k < 0.82:
        s = r.choice(["Hello", "Hi", "Dear", "Thank you", "Welcome", "Goodbye", "Happy birthday"]) + ", " + r.choice(NAMES) + r.choice("!.")
    elif k < 0.92:
        s = phrase(r) + r.choice([" and ", ", then ", "; "]) + phrase(r)
    else:
        s = f"The {word(r)} {word(r)} is {word(r)}."
    return s[0].upper() + s[1:] if r.random() < 0.25 else s


def document(r):
    """The content of a file, up to about sixty words."""
    k = r.random()
    if k < 0.35:
        return text(r)
    if k < 0.6:
        items = [phrase(r) for _ in range(r.randint(2, 5))]
        mark = r.choice(["- ", "", "* ", "[ ] "])
        return "\n".join(mark + i for i in items)
    if k < 0.75:
        return "\n".join(r.sample(NOUNS, r.randint(2, 6)))
    if k < 0.9:
        return " ".join(s[0].upper() + s[1:] + "." for s in (phrase(r) for _ in range(r.randint(2, 6))))
    return "\n".join(f"{word(r)}: {word(r) if r.random() < .5 else r.randint(1, 5000)}" for _ in range(r.randint(2, 4)))


def listing(items):
    items = list(items)
    return items[0] if len(items) == 1 else ", ".join(items[:-1]) + " and " + items[-1]


def capital(s):
    return s[:1].upper() + s[1:]


def quoted(r, s):
    """The text in quotes that it does not itself contain."""
    marks = [q for q in ("'{}'", '"{}"', "“{}”") if q[0] not in s and q[-1] not in s]
    return r.choice(marks[:2] * 4 + marks[2:]).format(s) if marks else s


def dumps(x):
    return json.dumps(x, ensure_ascii=False)
