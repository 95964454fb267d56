"""More ways to write a file, places for the folder in a request, and values of many shapes."""

import re

from file_phrases_more import rows
from values import NAMES, NOUNS, clock, phrase, quoted, text, word
from values import filename as plain_filename
from values import folder as plain_folder

# {c} is quoted content, {f} a file name with or without a folder behind it.
WRITE = rows("""write {c} to the file {f}|write {c} in {f}|write {c} in the file {f}|write {c} into the file {f}|write the sentence {c} to {f}|write the line {c} into {f}|write the message {c} to {f}|write my note {c} to {f}|write text {c} into {f}
save {c} to the file {f}|save {c} in the file {f}|save {c} in a file called {f}|save {c} in a file named {f}|save {c} under the name {f}|save {c} under {f}|save {c} into {f}|save the text {c} to {f}|save the text {c} as {f}|save the words {c} in {f}|save my note {c} to {f}
save the message {c} in {f}|save the reminder {c} to {f}|save the sentence {c} as {f}|put {c} in the file {f}|put {c} in a file called {f}|put {c} in a new file {f}|put {c} into a file named {f}|put the note {c} in {f}|put the words {c} in {f}|put the line {c} into {f}
store {c} as {f}|store {c} in the file {f}|store {c} in a file called {f}|store the text {c} in {f}|store the note {c} under {f}|note {c} in {f}|note down {c} in {f}|note {c} down in {f}|jot down {c} in {f}|jot {c} down in {f}|jot {c} into {f}|jot down the note {c} in {f}
drop {c} into {f}|drop {c} in a file named {f}|drop the text {c} into {f}|place {c} in {f}|place the text {c} in the file {f}|dump {c} into {f}|stick {c} in {f}|stick {c} into a file called {f}|pop {c} into {f}|insert {c} into {f}|copy {c} into {f}|enter {c} in the file {f}
log {c} to {f}|log {c} in {f}|record {c} to {f}|record the message {c} in {f}|keep {c} in {f}|keep {c} in a file called {f}|remember {c} in the file {f}|scribble {c} in {f}|type {c} in {f}|type the words {c} into {f}|print {c} to {f}|echo {c} > {f}|echo {c} into {f}|output {c} to {f}
write down {c} in the file {f}|write down {c} in a file named {f}|make a note of {c} in {f}|make a note {c} in {f}|make a file with {c} in it and call it {f}|write {c} and save it as {f}|take the text {c} and save it to {f}|take {c} and put it in {f}|take down {c} in {f}
create {f} with {c}|create {f} with {c} in it|create {f} with the content {c}|create {f} with content {c}|create {f} containing {c}|create {f} that says {c}|create {f} saying {c}|create {f} and write {c} in it|create {f} and put {c} into it|create the file {f} with {c}
create the file {f} with the text {c}|create the file {f} that contains {c}|create a file {f} containing {c}|create a file {f} that says {c}|create a file named {f} with the content {c}|create a file named {f} containing {c}|create a file named {f} that says {c}
create a file called {f} with {c}|create a file called {f} with {c} inside|create a file called {f} that contains {c}|create a file called {f} saying {c}|create a new file {f} with the text {c}|create a new file called {f} and write {c}|create a note {f} with the text {c}
make {f} with {c}|make {f} contain {c}|make {f} with the text {c}|make a file {f} with {c}|make a file {f} containing {c}|make a file named {f} containing {c}|make a file named {f} with {c} in it|make a file named {f} saying {c}|make a file called {f} that says {c}
make a new file {f} that contains {c}|make a new file named {f} with the words {c}|make a text file {f} with {c}|make me a file {f} with {c} in it|make the file {f} read {c}|set up a file {f} with {c}|set the content of {f} to {c}|set {f} to {c}|fill {f} with {c}
fill the file {f} with the text {c}|update {f} to say {c}|update the file {f} to {c}|change {f} to say {c}|change the text of {f} to {c}|change the contents of {f} to {c}|replace what is in {f} with {c}|replace the text in {f} by {c}|overwrite the file {f} with {c}
open a new file {f} and write {c}|open {f} and write {c} in it|start {f} with the text {c}|start a file called {f} with {c}|start a note {f} saying {c}|generate a file {f} with the text {c}|generate {f} containing {c}|let {f} say {c}|have {f} say {c}""")
WRITE_ASK = rows("""I need a file {f} with {c} in it.|I need a file called {f} containing {c}.|I need a file named {f} that says {c}|I want {f} to say {c}.|I want {f} to contain {c}.|I want {c} in {f}.|I want {c} saved as {f}.|I want {c} written to {f}.|I want a new file {f} with the text {c}.
I'd like a file called {f} with {c}.|I'd like {c} saved to {f}.|I'd like {c} stored in {f}.|I'd like you to remember {c}, use {f}.|{c} should go into {f}.|{c} should be in {f}.|{c} needs to be saved in {f}.|{c} must be written to {f}.|{c} - save that to {f}|{c}: put that in {f}
{c}, please write that to {f}|{c} goes in {f}|{f} should hold {c}.|{f} should read {c}.|{f} must say {c}.|{f} must contain {c}.|{f} needs the text {c}.|{f} is to contain {c}.|Can {f} say {c}?|Can you make a file {f} that says {c}?|Can we have {c} in {f}?
Could {c} be saved in {f}?|Could I have a file {f} that contains {c}?|May I have {c} saved as {f}?|There must be a file {f} saying {c}.|The file {f} should say {c}.|The file {f} should contain {c}.|The text is {c}, the file is {f}. Save it.|The file is {f}, the text is {c}. Write it.
The content is {c} and the file name is {f}. Save it, please.|File name {f}, content {c}.|filename {f} content {c}|Name: {f}, text: {c}. Please save.|Content {c}, file {f}, please save.|new file {f} with {c}|New file: {f}. Text: {c}.|A note for {f}: {c}
Take this down: {c}. Save it as {f}.|Write this: {c}. The file is {f}.|Save this text: {c}. Call the file {f}.|Here is a note: {c}. Put it in {f}.|Here's some text for {f}: {c}|I must not forget {c}. Save it in {f}.|Please keep {c} for me in {f}.
I have a note {c}, store it in {f}.|My note says {c}, save it as {f}.|My message is {c}. It belongs in {f}.""")
# {c} stands bare at the very end, up to the last mark.
WRITE_END = rows("""write to {f}: {c}|write in {f}: {c}|write into the file {f}: {c}|write this to {f}: {c}|write this text to {f}: {c}|write the following in {f}: {c}|write this down in {f}: {c}|save to {f}: {c}|save in {f}: {c}|save this to {f}: {c}|save this as {f}: {c}
save this text in {f}: {c}|save the following as {f}: {c}|save the following to {f}: {c}|save a note in {f}: {c}|save my note to {f}: {c}|put in {f}: {c}|put this in {f}: {c}|put the following in {f}: {c}|put the following text into {f}: {c}|put this line in {f}: {c}|store in {f}: {c}
store this in {f}: {c}|store the following in {f}: {c}|note in {f}: {c}|note this in {f}: {c}|note down in {f}: {c}|jot this down in {f}: {c}|jot down in {f}: {c}|drop this into {f}: {c}|drop this in {f}: {c}|record in {f}: {c}|record this in {f}: {c}|keep this in {f}: {c}
log this to {f}: {c}|create {f}: {c}|create {f} with this text: {c}|create {f} with the text: {c}|create {f} with the following content: {c}|create {f} saying: {c}|create {f} that says: {c}|create {f} containing: {c}|create a file {f} with this content: {c}|create a file {f} containing: {c}
create a file named {f} with the content: {c}|create a file named {f} that says: {c}|create a file called {f} with this inside: {c}|create a new file called {f} with the text: {c}|make {f} with this text: {c}|make {f} say: {c}|make a file {f} that says: {c}|make a file {f} saying: {c}
make a file named {f} containing: {c}|make a file called {f} with the content: {c}|make a new file {f}: {c}|make a note called {f}: {c}|start a file {f}: {c}|start a new file {f} with: {c}|fill {f} with this: {c}|fill {f} with: {c}|overwrite {f} with this: {c}|overwrite {f} with: {c}
replace the text of {f} with: {c}|replace the content of {f} by this: {c}|change {f} to: {c}|change {f} to this: {c}|update {f} to: {c}|set {f} to: {c}|remember this in {f}: {c}|take this down in {f}: {c}|file {f}, text: {c}|file {f}, content: {c}|filename: {f}, content: {c}
new note {f}: {c}|new file called {f}: {c}|{f} must say: {c}|{f} should say: {c}|{f} should read: {c}|the content of {f} should be: {c}|the text in {f} should be: {c}|I want {f} to say: {c}|I want this in {f}: {c}|I need this saved in {f}: {c}|I'd like this in {f}: {c}
create {f} saying {c}|create {f} that says {c}|create a file {f} saying {c}|create a file named {f} that says {c}|create a file called {f} saying {c}|make a file {f} that says {c}|make a file called {f} saying {c}|make a note {f} saying {c}|write a file {f} that says {c}
save a file {f} saying {c}|write a note in {f} saying {c}|write a note to {f} that says {c}|leave a note in {f} saying {c}|put a note in {f} saying {c}|make a file named {f} containing {c}|create {f} containing {c}|create a file {f} containing {c}|create a file called {f} with the text {c}
create a file {f} with the words {c}|make {f} with the text {c}|make {f} say {c}|write a file called {f} with the content {c}|start a file {f} with the text {c}|create a new file {f} with the content {c}""")
# {c} is one to four bare words in the middle.
WRITE_BARE = rows("""write {c} to {f}|write {c} in {f}|write {c} into {f}|write {c} to the file {f}|save {c} to {f}|save {c} in {f}|save {c} as {f}|save {c} into the file {f}|put {c} in {f}|put {c} into {f}|put {c} into the file {f}|store {c} in {f}|note {c} in {f}
jot down {c} in {f}|note down {c} in {f}|write down {c} in {f}|write the word{s} {c} to {f}|write the text {c} into {f}|save the text {c} to {f}|put the word{s} {c} into {f}|put the text {c} in {f}|record {c} in {f}|enter {c} in {f}|type {c} into {f}|echo {c} > {f}""")
# The folder apart from the file.
LEAD = rows("""in {d}, |in {d} |in the {d} folder, |in the {d} folder |in the folder {d}, |in the folder {d} |in my {d} folder, |in my {d} folder |inside {d}, |inside the folder {d}, |inside directory {d}, |inside the {d} directory, |in the directory {d}, |in directory {d}, |in folder {d}, 
under {d}, |under the folder {d}, |go to {d} and |go to the {d} folder and |go to the folder {d} and |go into {d} and |switch to the directory {d} and |use the folder {d} and |use the {d} directory to |within {d}, |within the {d} folder, |folder {d}: |cd {d} and |within directory {d} """)
LEAD_FROM = rows("from {d}, |from the {d} folder, |from the folder {d}, |from my {d} folder |from directory {d} |look in {d} and |look in the {d} folder and |look into the folder {d} and ")
LEAD = [l if l.endswith(" ") else l + " " for l in LEAD]
LEAD_FROM = [l if l.endswith(" ") else l + " " for l in LEAD_FROM]
TAIL = rows("""in {d}|in the {d} folder|in the folder {d}|in my {d} folder|in the {d} directory|in the directory {d}|in directory {d}|in folder {d}|inside {d}|inside the {d} folder|inside the folder {d}|inside directory {d}|under {d}|within {d}|(in {d})|(folder: {d})|, folder {d}|, in the {d} folder
in {d}/|inside my {d} directory|in the folder named {d}|in the folder called {d}|in our {d} folder|in the subfolder {d}|within the {d} directory""")
TAIL_FROM = rows("from {d}|from the {d} folder|from the folder {d}|from my {d} folder|from the {d} directory|from directory {d}|from folder {d}|out of {d}|out of the {d} folder|from the folder called {d}|from inside {d}|that's in {d}|which is in the {d} folder|stored in {d}|located in the folder {d}|from {d}/")
AFTER_READ = rows(". It's in {d}.|. It's in the {d} folder.|. It is in the folder {d}.|. The folder is {d}.|. It should be in {d}.|. You'll find it in {d}.|; it's in the {d} directory|. Look in {d}.|. Folder: {d}")
AFTER_WRITE = rows(". Put it in the {d} folder.|. The folder is {d}.|. Use the folder {d}.|. It goes in {d}.|. It belongs in the {d} folder.|. Directory: {d}|; use directory {d}|. Save it in the {d} directory.|, and put the file in {d}")
WRITE_IN = rows("""create a file in {d} named {f} with {c}|create a file in {d} called {f} with the text {c}|create a file in the {d} folder called {f} that says {c}|make a file in {d} named {f} containing {c}|make a file in the folder {d} called {f} with {c}|make a new file in my {d} folder, {f}, with {c}
add a file {f} to the {d} folder with the text {c}|add to {d} a file {f} containing {c}|put {c} in {d} as {f}|save {c} in {d} as {f}|save {c} in the {d} folder as {f}|save {c} in the folder {d} under the name {f}|store {c} in the {d} directory as {f}|write {c} in {d} to a file called {f}
save {c} to folder {d}, file {f}|use directory {d} and save {c} to {f}|with folder {d} and file {f}, write {c}|put a file called {f} in {d} with the text {c}|put a file {f} in the {d} folder that says {c}|drop a file named {f} in {d} saying {c}|place a file {f} in {d} with {c} in it""")
READ_IN = rows("""open the folder {d} and read {f}|open the {d} folder and show me what {f} says|in the folder {d} there is a file {f}, read it|in {d} there's {f}; show me what it says|go to {d} and tell me what {f} says|find {f} in {d} and read it|read the {d} folder's {f}|read the file in {d} called {f}
show me the file in the {d} folder called {f}|open the file in {d} named {f}|from {d} give me the text of {f}|folder {d}, file {f}: what does it say""")
DELETE_IN = rows("""open the folder {d} and delete {f}|in the folder {d} there is a file {f}, delete it|in {d} there's {f}; erase it|find {f} in {d} and remove it|delete the file in {d} called {f}|remove the file in the {d} folder called {f}|erase the file in {d} named {f}
folder {d}, file {f}: delete it|clean up {d} by deleting {f}|rid the {d} folder of {f}|take {f} out of {d} and bin it|throw out the file in {d} named {f}""")
PLACE = rows("{d}|{d}|{d}|the {d} folder|the {d} folder|the folder {d}|the folder {d}|my {d} folder|my folder {d}|folder {d}|the directory {d}|the {d} directory|directory {d}|the folder called {d}|the folder named {d}|our {d} folder|{d}/|the subfolder {d}")
HERE = rows("in the current folder|in this folder|in the root|in the main folder|here|at the top level|in the root directory|in the working directory|in the current directory|in my directory")
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


__all__ = [n for n in dir() if not n.startswith("_")] + ["quoted"]
