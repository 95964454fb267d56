"""Training phrasings, results and replies for the file tools."""

import re

import file_phrases_more as more
import file_write_more as wm
from file_write_more import filename, folder
from phrase_frames import dress, sloppy
from values import capital, document, listing, phrase, quoted

READ_VP = """read {f}|open {f}|read the file {f}|show me {f}|show {f}|show the contents of {f}|print {f}|display {f}|read out {f}|tell me what {f} says|tell me what is in {f}
|read {f} to me|open the file {f}|display the content of {f}|get the text of {f}|view {f}|check {f}|look at {f}|load {f}|open up {f} and read it|fetch the contents of {f}|print out the file {f}
|have a look at {f}|show me the file {f}|quote {f}|read me {f}|tell me about the contents of {f}|read what I wrote in {f}|give me the contents of {f}|look inside {f}""".replace("\n", "").split("|")
READ_Q = """What does {f} say?|What is in {f}?|What's in {f}?|What is written in {f}?|What does the file {f} contain?|What are the contents of {f}?|What is the content of {f}?
|What's the text in {f}?|What did I write in {f}?|cat {f}|What have I got in {f}?|Contents of {f}?|What is stored in {f}?|What can I find in {f}?|And {f}, what does it say?
|Is there anything in {f}?|What notes are in {f}?|Do you know what {f} says?|I'd like to read {f}.|I want to see {f}.|I need the text from {f}.|What does my file {f} say?|How does {f} read?
|I can't remember what {f} says.|What is on {f}?|Which text does {f} hold?|Summarise {f}|Give me a summary of {f}.|What was in {f} again?|So what does {f} contain?""".replace("\n", "").split("|")
LIST_VP = """list the files|list my files|list all files|show me the files|show my files|show all the files|list files|display the files|print the list of files|tell me which files there are|show the directory|give me a list of files
|list the contents of this folder|see which files are there|tell me the names of the files|name all my files|show me what is in this directory|look up which files I have|check which files exist|enumerate the files""".replace("\n", "").split("|")
LIST_Q = """Which files are there?|What files are there?|What files do I have?|Which files do I have?|What is in this folder?|What's in the current directory?|Are there any files?|ls|dir|What files are here?
|How many files are there?|Which files can you see?|What files are available?|Do I have any files?|What's in here?|What have I saved so far?|Files?|Is there a list of my files?|Which files can I read?|I want to see my files.
|I can't find my file. Which ones are there?|What are the files called?|What are the names of my files?|What documents are there?|Is the folder empty?|What's on the disk?""".replace("\n", "").split("|")
LIST_DIR_VP = """list the files in {d}|list {d}|show me the files in {d}|list the files in the folder {d}|show the folder {d}|show me what is in {d}|list everything in the directory {d}|list the {d} folder
|tell me which files are in {d}|look into the folder {d}|print the contents of the directory {d}|check which files are in {d}|see the files of {d}|open the folder {d}|look in {d}|enumerate the files of folder {d}""".replace("\n", "").split("|")
LIST_DIR_Q = """Which files are in {d}?|What files are in the folder {d}?|What's in the {d} folder?|What is in the directory {d}?|What does the folder {d} contain?|ls {d}|Are there any files in {d}?|What have I got in {d}?
|Which files does {d} contain?|What is inside {d}?|What is stored in the {d} directory?|dir {d}|How many files are in {d}?|Which documents are in the folder {d}?|Is {d} empty?|And in {d}?|What about the folder {d}?""".replace("\n", "").split("|")
WRITE_VP = """write {c} to {f}|write {c} into {f}|save {c} to {f}|save {c} in {f}|put {c} in {f}|put {c} into {f}|write the text {c} to {f}|create {f} with the text {c}|create a file {f} with {c}|store {c} in {f}
|make a file called {f} with the content {c}|write {c} in a file called {f}|create the file {f} containing {c}|save the note {c} as {f}|write down {c} in {f}|save {c} as {f}|write a file {f} that says {c}|record {c} in {f}
|make {f} say {c}|start a new file {f} with {c}|write a note {c} to {f}|create a text file named {f} with the words {c}|overwrite {f} with {c}|replace the content of {f} with {c}|enter {c} into {f}|save the line {c} to {f}
|put the text {c} into the file {f}|write the words {c} to the file {f}|save a file {f} with the message {c}|type {c} into {f}""".replace("\n", "").split("|")
WRITE_COLON = """Write to {f}: {c}|Save this in {f}: {c}|Create {f} with this content: {c}|Put this into {f}: {c}|In {f}, write: {c}|New file {f}: {c}|Please save to {f}: {c}|Write the following to {f}: {c}
|Make a note in {f}: {c}|Store this as {f}: {c}|Could you write this to {f}: {c}|{f} should contain: {c}|Text for {f}: {c}|Save as {f}: {c}""".replace("\n", "").split("|")
WRITE_Q = """I want a file {f} that says {c}.|I need {c} saved in {f}.|{f} should say {c}.|Let {f} contain {c}.|Remember {c} in {f}.|I'd like {f} to contain {c}.|There should be a file {f} with the text {c}.
|Don't let me forget {c}: put it in {f}.|Can {c} go into {f}?|{c} belongs in {f}, please save it.|Note to self, in {f}: {c}""".replace("\n", "").split("|")
DELETE_VP = """delete {f}|delete the file {f}|remove the file {f}|remove {f}|erase {f}|delete my file {f}|get rid of {f}|throw away {f}|wipe {f}|trash {f}|throw out {f}|discard {f}|rm {f}|del {f}|destroy {f}|delete the file named {f}
|take {f} away|clean up {f}|scrap the file {f}|dispose of {f}|permanently delete {f}|remove my {f}|delete that file {f}|kill the file {f}""".replace("\n", "").split("|")
DELETE_Q = """I don't need {f} any more.|{f} is no longer needed, delete it.|{f} can be deleted.|I don't want {f} any more, remove it.|{f} should be deleted.|{f} must go.|Is it possible to delete {f}?|I want {f} gone.|{f} is old. Please remove it.
|We are done with {f}; delete it.|Let's lose the file {f}.|{f} is useless, get rid of it.|The file {f} has to be removed.|Please make sure {f} is deleted.""".replace("\n", "").split("|")


def _case(r, s):
    """The request with its first letter large, or all of it careless. Done before the values come in."""
    if r.random() < 0.07:
        return sloppy(r, s)
    return capital(s) if r.random() < 0.75 else s


def _ask(r, vps, questions, share=0.55):
    """A request with its placeholders still in it."""
    return r.choice(more.ASK).format(r.choice(vps)) if r.random() < share else r.choice(questions)


def _list(r, args):
    if r.random() < 0.45:
        form = _ask(r, LIST_VP, LIST_Q) if r.random() < 0.3 else _ask(r, more.LIST, more.LIST_ASK)
        if r.random() < 0.08 and not re.search("here|folder|director|disk|called|[:]|this", form) and form.rstrip("?.") and " file" in form:
            form = re.sub(r"[ .?]*$", lambda m: " " + r.choice(wm.HERE) + m[0].strip(), form, count=1)
        return dress(r, _case(r, form)), ""
    args["directory"] = d = wm.folder(r)
    if r.random() < 0.25:
        form = _ask(r, LIST_DIR_VP, LIST_DIR_Q)
    else:
        form, place = _ask(r, more.LIST_IN, more.LIST_IN_ASK), r.choice(wm.PLACE)
        # A bare name must be asked about as a folder.
        if place == "{d}" and not re.search("file|list|ls |dir |document|empty|everything|anything| in {p}|inside", form):
            place = r.choice(["the {d} folder", "the folder {d}", "{d}/", "my {d} folder", "the {d} directory"])
        form = form.replace("{p}", place)
        form = re.sub(r"([?.!])\1", r"\1", form)
    return dress(r, _case(r, form)), quoted(r, d) if r.random() < 0.08 and "{d}/" not in form else d


def request(r, tool=None, name=None):
    """(tool, arguments, question)"""
    tool = tool or r.choice(["list_files", "read_file", "read_file", "write_file", "write_file", "delete_file"])
    args, d = {}, wm.folder(r)
    if tool == "list_files":
        form, d = _list(r, args)
        return tool, args, form.replace("{d}", d)
    f = args["filename"] = name or wm.filename(r)
    mark, end, verb = "", False, None
    old = r.random() < 0.25
    if tool == "write_file":
        k = r.random()
        if k < 0.3:
            c, end = wm.content(r), True
            form = r.choice(WRITE_COLON if old else wm.WRITE_END)
            mark = quoted(r, c) if r.random() < 0.12 else c
            if not old and r.random() < 0.25 and not form.startswith(("{", "I", "the ", "new ", "file")):
                form = r.choice(["please ", "can you ", "could you ", "I want you to ", "hey, ", "go ahead and "]) + form
        elif k < 0.42:
            c = mark = wm.bare_words(r)
            form = verb = r.choice(wm.WRITE_BARE).replace("{s}", "s" if " " in c else "")
        else:
            c = wm.content(r)
            mark = quoted(r, c)
            verb = r.choice(WRITE_VP if old else wm.WRITE) if r.random() < 0.65 else None
            form = verb or r.choice(WRITE_Q if old else wm.WRITE_ASK)
            end = form.endswith("{c}") and ":" in form
        args["content"] = c
    else:
        vps, asks = ((READ_VP, READ_Q) if old else (more.READ, more.READ_ASK)) if tool == "read_file" else (DELETE_VP, DELETE_Q) if old else (more.DELETE, more.DELETE_ASK)
        verb = r.choice(vps) if r.random() < 0.6 else None
        form = verb or r.choice(asks)
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
        form = r.choice(more.ASK).format(form)
    form = lead + form
    form = dress(r, _case(r, form), tail=not end)
    return tool, args, form.replace("{f}", shown).replace("{d}", place).replace("{c}", mark)


def _placed(r, tool, form, verb, shown, end):
    """The form, the file's name and a lead; one of them says the folder."""
    write = tool == "write_file"
    tails = wm.TAIL if write else wm.TAIL + wm.TAIL_FROM * 2
    k, lead = r.random(), ""
    if k < 0.12 and not end and "{s}" not in form and (not write or verb):
        form = r.choice({"write_file": wm.WRITE_IN, "read_file": wm.READ_IN, "delete_file": wm.DELETE_IN}[tool])
    elif k < 0.42 and (verb or (end and re.match("write|save|put|store|note|jot|drop|record|create|make", form))):
        lead = r.choice(wm.LEAD if write else wm.LEAD + wm.LEAD_FROM)
        if lead.endswith((" and ", " to ")):
            form, lead = lead + form, ""
    elif k < 0.60 and verb and not end and (not write or "{c}" in form):
        if r.random() < 0.35:
            form += r.choice(wm.AFTER_WRITE if write else wm.AFTER_READ)
        else:
            t = r.choice(tails)
            form += t if t.startswith(",") else " " + t
    else:
        t = r.choice(tails if not write else [t for t in wm.TAIL if not t.startswith(",")])
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
        return r.choice([f"The files{where} are {listing(names)}.", f"I found these files{where}: {listing(names)}.",
                         f"{capital(where.strip()) if where else 'Here'} are {listing(names)}." if not where else f"The folder {d} contains {listing(names)}."])
    if tool == "write_file":
        return r.choice([f"I saved it to {f}.", f"Done, I wrote it to {f}.", f"{f} now says: {args['content']}", f"I wrote the text to {f}.", f"Saved to {f}."])
    if tool == "delete_file":
        return r.choice([f"I deleted {f}.", f"{f} has been deleted.", f"Deleted {f}.", f"Done, {f} is gone."])
    lines = [l.lstrip("-* []") for l in res.split("\n")]
    if len(lines) > 1:
        return r.choice([f"{f} lists {listing(lines)}.", f"{f} says: {listing(lines)}.", f"It contains: {listing(lines)}."])
    return r.choice([f"{f} says: {res}", f"It says: {res}", f'{f} says: "{res}"' if '"' not in res else f"It reads: {res}", f"The file says: {res}"])


__all__ = ["request", "result", "said", "phrase"]
