"""Facts told in a conversation, in a summary at its beginning or in a long text, and asked for later."""

import json
import re

from phrase_files import sections

from .kinds import phone
from .messages import call, result, say, turn, user
from .values import CITIES, DAYS, ITEMS, NAMES, clock, word

PHRASES = sections("facts.txt")
JOBS = "nurse baker teacher pilot carpenter lawyer gardener cook plumber painter vet driver farmer singer dentist".split()
THINGS = "ladder tent lamp bicycle sofa printer kettle carpet mirror drill bench camera stove rug cupboard piano".split()
FOODS = "rice fish cheese pasta soup lentils mushrooms salad pancakes bread beans honey cake noodles".split()
MONTHS = "January February March April May June July August September October November December".split()


def _fact(r, kind):
    statement, *questions, answer = r.choice(PHRASES[kind]).split("|")
    n, n2 = r.sample(NAMES, 2)
    fields = dict(n=n, n2=n2, c=r.choice(CITIES), d=r.choice(DAYS[:7]), t=clock(r), k=r.randint(2, 990), a=r.randint(3, 95), w=word(r), w2=word(r), i=r.choice(ITEMS), s=word(r).capitalize(),
                  y=phone(r), o=r.choice(JOBS), g=r.choice(THINGS), h=r.choice(FOODS), m=r.choice(MONTHS))
    return statement.format(**fields), [q.format(**fields) for q in questions], answer.format(**fields), statement


def several(r, count, share=0.4):
    """So many facts, none of which answers the question of another."""
    found, asked, mine = [], set(), set()
    while len(found) < count:
        kind = "mine" if r.random() < share and len(mine) < len(PHRASES["mine"]) // 2 else "theirs"
        statement, questions, answer, form = _fact(r, kind)
        if asked & set(questions) or (kind == "mine" and form in mine):
            continue
        asked |= set(questions)
        mine |= {form} if kind == "mine" else set()
        found.append((statement, questions, answer))
    return found


def _asked(r, facts):
    """One or two of the facts asked for, or one that nobody has told."""
    if r.random() < 0.08:
        known = {q for _, questions, _ in facts for q in questions}
        _, questions, _, _ = _fact(r, "theirs")
        if not known & set(questions):
            return [user(r.choice(questions)), say(r.choice(PHRASES["unknown"]))]
    out = []
    for _, questions, answer in r.sample(facts, min(len(facts), r.choice([1, 1, 2]))):
        out += [user(r.choice(questions)), say(answer)]
    return out


def told(r, between, most=6):
    """Facts told one by one; `between()` gives an exchange that has nothing to do with them."""
    facts, out = several(r, r.randint(1, most)), []
    for statement, _, _ in facts:
        if r.random() < 0.15:
            out += _beside_a_text(r, statement)
        else:
            out += [user(statement), say(r.choice(PHRASES["noted"]))]
        if r.random() < 0.2:
            out += between()
    return out + _asked(r, facts)


def summarized(r, between, most=20):
    """As the product puts a summary in the place of older turns."""
    facts = several(r, r.randint(2, most))
    lines = [s for s, _, _ in facts] + r.sample(PHRASES["about"], r.randint(0, 2))
    lines = [line if r.random() < 0.8 else f"{line} {r.choice(PHRASES['filler'])[:40]} ..." for line in lines]
    written = r.choice(["The user told about people they know.", "The user talked about their life and friends.", "We talked about people, places and dates.", " ".join(s for s, _, _ in facts[:2]), ""])
    parts = ["Summary of our conversation so far:", written, "The user's own words, in short:", *("- " + line for line in lines)]
    if r.random() < 0.4:
        parts.append(f"Also mentioned: {r.choice(CITIES)}, {r.randint(2, 99)}.")
    out = [user("\n".join(p for p in parts if p)), say(PHRASES["go-on"][0] if r.random() < 0.8 else r.choice(PHRASES["go-on"]))]
    return out + (between() if r.random() < 0.25 else []) + _asked(r, facts)


# The product's own tool, which it offers while a summary stands for older turns.
RECALL = {"type": "function", "function": {
    "name": "recall", "description": "Find what was said earlier in this conversation about a person, a place, a number, a date or anything else.",
    "parameters": {"type": "object", "properties": {"about": {"type": "string", "description": "words to find"}}, "required": ["about"]}}}
ASKING = set("what which where when who whose how many much does did was were have has had the and for with that from you your tell told remember mention mentioned called say said".split())
NOT_FOUND = "Nothing that was said before fits. Try other words."


def _about(question):
    """The names in a question, else its last telling words."""
    names = [n.removesuffix("'s") for n in re.findall(r"(?<=\s)[A-Z][\w'-]+", question)]
    return " ".join(names or [w for w in re.findall(r"[\w-]{3,}", question) if w.lower() not in ASKING][-2:] or ["said"])


def looked_up(r, most=8):
    """Facts behind a summary, found again by the product's `recall`, question after question, whatever was said in between."""
    facts = several(r, r.randint(3, most), share=0.3)
    kept = [s for s, _, _ in facts if r.random() < 0.3]
    parts = ["Summary of our conversation so far:", r.choice(PHRASES["about"]), *kept]
    out = [user("\n".join(parts)), say(PHRASES["go-on"][0])]
    for _ in range(r.choice([0, 0, 1, 2])):
        out += _beside_a_text(r, _fact(r, "theirs")[0])
    asked = r.sample(range(len(facts)), min(len(facts), r.choice([1, 2, 3, 4, 6])))
    if len(asked) > 1 and r.random() < 0.35:
        # Answered once without looking, which is not to be learned and not to be copied.
        wrong = asked.pop(0)
        out += [user(r.choice(facts[wrong][1])), {**say(facts[wrong - 1][2]), "given": True}]
    for at in asked:
        out += _found_again(r, facts, at)
    return out


def _found_again(r, facts, at):
    statement, questions, answer = facts[at]
    question, lost = r.choice(questions), r.random() < 0.08
    said = [] if lost else [f"The user said: {json.dumps(statement, ensure_ascii=False)}"]
    if said and r.random() < 0.4:
        others = [f"The user said: {json.dumps(facts[at - 1][0], ensure_ascii=False)}", 'You said: "OK, noted."', f"You said: {json.dumps(facts[at - 2][2], ensure_ascii=False)}"]
        said += r.sample(others, r.choice([1, 1, 2]))
    looked = [call("recall", {"about": _about(question)})]
    return [user(question), turn(looked), result("\n".join(said) or NOT_FOUND), say(r.choice(PHRASES["unknown"]) if lost else answer)]


def _beside_a_text(r, statement):
    """A fact and a text beside it, as people paste one."""
    text = text_of(r, [], r.randint(2, 4))
    return [user(f"{statement} {r.choice(PHRASES['paste'])} {text} {r.choice(PHRASES['about'])}"), say(r.choice(PHRASES["about-say"]))]


def text_of(r, statements, filler):
    sentences = list(statements) + r.sample(PHRASES["filler"], min(filler, len(PHRASES["filler"])))
    r.shuffle(sentences)
    return " ".join(sentences)


def pasted(r, between, most=10):
    """A long text with questions on it, in the same message or later."""
    facts = several(r, r.randint(3, most), share=0)
    text = text_of(r, [s for s, _, _ in facts], r.randint(2, 8))
    lead = r.choice(PHRASES["paste"])
    (first, first_answer), *more = [(m[0]["content"], m[1]) for m in (_asked(r, facts), _asked(r, facts))]
    if r.random() < 0.5:
        return [user(r.choice([f"{lead}\n\n{text}\n\n{first}", f"{text}\n\n{first}", f"{first}\n\n{text}"])), first_answer]
    out = [user(r.choice([f"{lead}\n{text}", text])), say(r.choice(PHRASES["paste-ready"]))]
    if r.random() < 0.25:
        return out + between()
    for q, a in [(first, first_answer)] + (more if r.random() < 0.4 and more[0][0] != first else []):
        out += [user(q), a]
    return out
