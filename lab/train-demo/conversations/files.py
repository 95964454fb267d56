"""Training questions, results and replies for the file tools."""

import re

from phrase_files import sections

from .file_values import bare_words, content, filename, folder
from .frames import dress, sloppy
from .values import capital, document, listing, quoted

PHRASES = sections("files.txt")


def _case(r, s):
    """The request with its first letter large, or all of it careless. Done before the values come in."""
    if r.random() < 0.07:
        return sloppy(r, s)
    return capital(s) if r.random() < 0.75 else s


def _ask(r, what, kind, share=0.55):
    """A request with its placeholders still in it; `kind` is "common" or "varied"."""
    if r.random() < share:
        return r.choice(PHRASES["ask"]).format(r.choice(PHRASES[f"{what}.verb.{kind}"]))
    return r.choice(PHRASES[f"{what}.question.{kind}"])


def _list(r, args):
    if r.random() < 0.45:
        form = _ask(r, "list", "common" if r.random() < 0.3 else "varied")
        if r.random() < 0.08 and not re.search("here|folder|director|disk|called|[:]|this", form) and form.rstrip("?.") and " file" in form:
            form = re.sub(r"[ .?]*$", lambda m: " " + r.choice(PHRASES["folder.here"]) + m[0].strip(), form, count=1)
        return dress(r, _case(r, form)), ""
    args["directory"] = d = folder(r)
    if r.random() < 0.25:
        form = _ask(r, "list-in", "common")
    else:
        form, place = _ask(r, "list-in", "varied"), r.choice(PHRASES["folder.place"])
        # A bare name must be asked about as a folder.
        if place == "{d}" and not re.search("file|list|ls |dir |document|empty|everything|anything| in {p}|inside", form):
            place = r.choice(["the {d} folder", "the folder {d}", "{d}/", "my {d} folder", "the {d} directory"])
        form = form.replace("{p}", place)
        form = re.sub(r"([?.!])\1", r"\1", form)
    return dress(r, _case(r, form)), quoted(r, d) if r.random() < 0.08 and "{d}/" not in form else d


def request(r, tool=None, name=None):
    """(tool, arguments, question)"""
    tool = tool or r.choice(["list_files", "read_file", "read_file", "write_file", "write_file", "delete_file"])
    args, d = {}, folder(r)
    if tool == "list_files":
        form, d = _list(r, args)
        return tool, args, form.replace("{d}", d)
    f = args["filename"] = name or filename(r)
    mark, end, verb = "", False, None
    kind = "common" if r.random() < 0.25 else "varied"
    if tool == "write_file":
        k = r.random()
        if k < 0.3:
            c, end = content(r), True
            form = r.choice(PHRASES[f"write.end.{kind}"])
            mark = quoted(r, c) if r.random() < 0.12 else c
            if kind == "varied" and r.random() < 0.25 and not form.startswith(("{", "I", "the ", "new ", "file")):
                form = r.choice(["please ", "can you ", "could you ", "I want you to ", "hey, ", "go ahead and "]) + form
        elif k < 0.42:
            c = mark = bare_words(r)
            form = verb = r.choice(PHRASES["write.bare"]).replace("{s}", "s" if " " in c else "")
        else:
            c = content(r)
            mark = quoted(r, c)
            verb = r.choice(PHRASES[f"write.verb.{kind}"]) if r.random() < 0.65 else None
            form = verb or r.choice(PHRASES[f"write.question.{kind}"])
            end = form.endswith("{c}") and ":" in form
        args["content"] = c
    else:
        what = "read" if tool == "read_file" else "delete"
        verb = r.choice(PHRASES[f"{what}.verb.{kind}"]) if r.random() < 0.6 else None
        form = verb or r.choice(PHRASES[f"{what}.question.{kind}"])
    shown = quoted(r, f) if r.random() < 0.06 else f
    if "." not in f and "file {f}" not in form and tool != "delete_file":
        shown = "the file " + shown
        if re.search(r"(called|named|name|a|new|my|note|document|filename|:) {f}|^{f}", form):
            shown = shown.removeprefix("the file ")
    if r.random() < 0.36:
        args["directory"] = d
        place = quoted(r, d) if r.random() < 0.06 else d
        form, shown, lead = _placed(r, tool, form, verb, shown, end or mark == args.get("content"))
        wrap = verb is not None and not form.startswith("{")
    else:
        place, lead, wrap = "", "", verb is not None
    if wrap and not re.search(r"\. |; |[.?]$|^(in|from|folder|with) |: ", form):
        form = r.choice(PHRASES["ask"]).format(form)
    form = lead + form
    form = dress(r, _case(r, form), tail=not end)
    return tool, args, form.replace("{f}", shown).replace("{d}", place).replace("{c}", mark)


def _placed(r, tool, form, verb, shown, end):
    """The form, the file's name and a lead; one of them says the folder."""
    write = tool == "write_file"
    tails = PHRASES["folder.tail"] + ([] if write else PHRASES["folder.tail-from"] * 2)
    k, lead = r.random(), ""
    if k < 0.12 and not end and "{s}" not in form and (not write or verb):
        form = r.choice(PHRASES[f"folder.{tool.removesuffix('_file')}-in"])
    elif k < 0.42 and (verb or (end and re.match("write|save|put|store|note|jot|drop|record|create|make", form))):
        lead = r.choice(PHRASES["folder.lead"] + ([] if write else PHRASES["folder.lead-from"])) + " "
        if lead.endswith((" and ", " to ")):
            form, lead = lead + form, ""
    elif k < 0.60 and verb and not end and (not write or "{c}" in form):
        if r.random() < 0.35:
            form += r.choice(PHRASES["folder.after-write" if write else "folder.after-read"])
        else:
            t = r.choice(tails)
            form += t if t.startswith(",") else " " + t
    else:
        t = r.choice(tails if not write else [t for t in PHRASES["folder.tail"] if not t.startswith(",")])
        shown += t if t.startswith(",") else " " + t
    return form, shown, lead


def result(r, tool, args):
    f = args.get("filename", "")
    if tool == "list_files":
        if r.random() < 0.08:
            return "The directory is empty."
        if r.random() < 0.05 and "directory" in args:
            return f"Error: Directory not found: {args['directory']}"
        names = [filename(r) for _ in range(r.randint(1, 6))]
        return "\n".join(sorted(names + ([folder(r) + "/"] if r.random() < 0.3 else [])))
    if tool == "write_file":
        return f"Wrote {len(args['content'].encode())} bytes to {f}."
    if r.random() < 0.15:
        return f"Error: File not found: {f}"
    return document(r) if tool == "read_file" else f"Deleted {f}."


def said(r, tool, args, res):
    f, d = args.get("filename"), args.get("directory")
    if res.startswith("Error: File"):
        return r.choice([f"I couldn't find {f}.", f"There is no file called {f}.", f"Sorry, {f} was not found."])
    if res.startswith("Error: Dir"):
        return r.choice([f"I couldn't find the folder {d}.", f"There is no folder called {d}."])
    if tool == "list_files":
        where = f" in {d}" if d else ""
        if res.startswith("The directory is"):
            return r.choice([f"There are no files{where}.", f"The directory{' ' + d if d else ''} is empty.", "The directory is empty."])
        names = res.split("\n")
        if len(names) == 1:
            return r.choice([f"There is one file{where}: {names[0]}.", f"The only file{where} is {names[0]}."])
        # One wording, as for sums, so that no rounding decides between two.
        return f"The files{where} are {listing(names)}."
    if tool == "write_file":
        return r.choice([f"I saved it to {f}.", f"Done, I wrote it to {f}.", f"{f} now says: {args['content']}", f"I wrote the text to {f}.", f"Saved to {f}."])
    if tool == "delete_file":
        return r.choice([f"I deleted {f}.", f"{f} has been deleted.", f"Deleted {f}.", f"Done, {f} is gone."])
    lines = [l.lstrip("-* []") for l in res.split("\n")]
    if len(lines) > 1:
        return f"{f} says: {listing(lines)}."
    return f"{f} says: {res}"
