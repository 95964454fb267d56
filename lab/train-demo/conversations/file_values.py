"""File names, folders and file contents of many shapes."""

import re

from .values import NAMES, NOUNS, clock, phrase, text, word
from .values import filename as plain_filename
from .values import folder as plain_folder

EXTS = "txt txt txt txt md md md csv csv json json log py html yaml toml ini js sh xml doc tex rst c cfg bak sql".split()
BARE_NAMES = "todo README notes Makefile LICENSE draft journal ideas list shopping log plan diary CHANGELOG TODO ideas2 memo report".split()
DOT_NAMES = ".env .gitignore .bashrc .profile .npmrc .config .vimrc .editorconfig .hidden".split()
CAMERA = "IMG DSC Scan doc photo P page Invoice Photo note".split()
FOLDERS = """docs work notes Photos Documents Downloads Desktop src lib test tests build public private old new tmp temp logs config scripts assets drafts letters invoices taxes travel family kids garden
personal shared uploads exports inbox outbox journal diary books poems songs lyrics bills budget receipts clients team office contracts Music Videos Pictures Work School university thesis homework cooking fitness health""".split()


def filename(r):
    k = r.random()
    if k < 0.45:
        return plain_filename(r)
    w, e = word(r), r.choice(EXTS)
    shapes = [f"{w}.{e}", f"{w.capitalize()}_{r.randint(1990, 2030)}.{e}", f"{w}-v{r.randint(1, 12)}.{e}", f"{w}.{word(r)}.{e}", f"my.{w}.{word(r)}.{e}", f"{r.choice(CAMERA)}_{r.randint(1, 9999):04d}.{e}", f"{w[0]}.{word(r)[0]}",
              f"{r.randint(2015, 2029)}-{r.randint(1, 12):02d}-{r.randint(1, 28):02d}.{e}", f"{w}_{word(r)}_{word(r)}.{e}", f"{w}({r.randint(1, 4)}).{e}", f"{w}{word(r).capitalize()}.{e}", f"{w.upper()}.{e}", f"{r.randint(1, 99)}.{e}",
              f"{w}-{word(r)}-{r.randint(1, 40)}.{e}", f"{w}_old.{e}", f"final_{w}.{e}", f"{w}.{e}.bak", f"{w[:4]}{r.randint(1, 9)}.{e}", f"{r.choice(NAMES)}.{e}", f"{r.choice(NAMES).lower()}_{w}.{e}"]
    return r.choice(BARE_NAMES) if k < 0.49 else r.choice(DOT_NAMES) if k < 0.52 else r.choice(shapes)


def folder(r):
    k, w = r.random(), word(r)
    if k < 0.3:
        return plain_folder(r)
    if k < 0.6:
        return r.choice(FOLDERS)
    shapes = [f"{r.choice(FOLDERS)}/{r.randint(2015, 2029)}", f"my-{w}", f"my_{w}", w.capitalize(), f"{r.choice(FOLDERS)}/{w}", f"src/{w}", f"archive_{w}", f"{w}_old", f"{w}-{word(r)}", f"{w}{r.randint(1, 99)}", str(r.randint(2001, 2029)),
              f"{r.choice(FOLDERS)}/{w}/{word(r)}", f"{w}_{r.randint(2010, 2029)}", f"backup-{r.randint(1, 31)}", f"{r.choice(NAMES)}", f"project-{w}", w.upper(), f"{w}s", f"{w}.d", w, w]
    return r.choice(shapes)


def bare_words(r):
    while True:
        s = " ".join(word(r) for _ in range(r.choice([1, 1, 2, 2, 3]))) if r.random() < 0.5 else r.choice([phrase(r), r.choice(NOUNS), r.choice(["hello", "hello world", "Hello World", "hi there", "done", "yes", "test", "TODO", "good night", "thank you"])])
        if re.fullmatch(r"[A-Za-z0-9 ]+", s) and len(s.split()) <= 4 and not {"to", "in", "into", "as", "with", "on", "and", "at", "the", "from", "under", "file", "folder", "named", "called", "inside"} & set(s.lower().split()[0 if len(s.split()) == 1 else 1:]):
            return s


def content(r):
    """A text to be copied word for word."""
    k = r.random()
    if k < 0.45:
        return text(r)
    w, n = word(r), r.randint(1, 9999)
    p = phrase(r)
    shapes = [w, word(r).capitalize(), str(n), f"{n}", f"{r.randint(1, 99)}, {r.randint(1, 99)}, {r.randint(1, 99)}", f"{w},{word(r)},{word(r)}", f"{n}.{r.randint(10, 99)}", p + ".", p[0].upper() + p[1:] + ".", p[0].upper() + p[1:] + "!",
              f"buy {r.choice(NOUNS)}, {r.choice(NOUNS)} and {r.choice(NOUNS)}", f"{r.choice(NOUNS)} and {r.choice(NOUNS)}", f"x = {n}", f"{w} = {n}", f"{w}=true", f"print({n})", f"{w}({n})", f"print(\"{w}\")", f"<b>{w}</b>", f"# {w} {word(r)}",
              f"{{\"{w}\": {n}}}", f"return {w} + {r.randint(1, 9)}", f"{r.choice(NAMES)} owes me {n} dollars", f"{r.choice(NAMES)}: {r.randint(100, 999)}-{n:04d}", f"don't forget the {w}", f"it's {w} time", f"I can't find my {w}.", f"We're out of {r.choice(NOUNS)}.",
              f"meet {r.choice(NAMES)} at {clock(r)}, then {phrase(r)}", f"Dear {r.choice(NAMES)}, thank you for the {w}.", f"the {w} is in the {word(r)}", f"see you in {r.choice(['Paris', 'Rome', 'the park', 'May', 'June'])}", f"TODO: {p}", f"v{r.randint(1, 9)}.{r.randint(0, 9)}",
              f"{w.upper()} {word(r).upper()}", f"Is the {w} ready?", f"read the {w} and delete the {word(r)}", f"{w} {word(r)} {word(r)} {word(r)} {word(r)} {word(r)} {word(r)}", f"hello {r.choice(NAMES).lower()}", f"password is {w}{n}", f"{w}; {word(r)}; {word(r)}",
              f"Today I saw a {w}. It was {word(r)}.", f"My favourite {w} is {word(r)}, not {word(r)}.", f"roses are {w}, violets are {word(r)}", f"{r.choice(NAMES).lower()}@{w}.com"]
    return r.choice(shapes)
