"""Training phrasings for arithmetic, built from a small grammar. The held-out phrasings are elsewhere and are not read here."""

import math

import calc_forms_more as more
from calc_stories_more import STORY as MORE_STORY
from phrase_frames import dress, sloppy
from values import ITEMS, NAMES, capital, number, show, word

SMALL = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
nineteen twenty""".split()

ASK_NP = """What is {}?|What's {}?|How much is {}?|Calculate {}|Calculate {}.|Compute {}|Compute {} please|Can you calculate {}?|Please compute {}.
|Tell me {}|I need {}|Find {}|{}|{}?|{} =|{} = ?|Work out {}|Give me {}|Evaluate {}|Quick question: what is {}?|Hey, what's {}?|I'd like to know {}
|Do you know what {} is?|What does {} equal?|What does {} give?|Could you tell me {}, please?|Please tell me what {} is.|And what is {}?
|Now {}|What about {}?|Show me {}|Do the maths: {}|Solve {}|Hi! What is {}?|Hello, can you find {}?|what is {}|whats {}|Let's see, {}?
|Use the tool to get {}|I can't do {} in my head.|Help: {}?|For my homework, what is {}?|My teacher asks for {}.|Determine {}|Any idea what {} is?
|Result of {}?|I want the result of {}.|What is the answer to {}?|What is the result of {}?|Check {} for me|How many is {}?|What number is {}?
|What's the value of {}?|Can I get {}?|please {}|I wonder what {} is.|So, {}?|Next: {}|Could I have {}, please?|Let me know {}""".replace("\n", "").split("|")
ASK_VP = """{}|{}.|Please {}|Please {}.|Can you {}?|Could you {}, please?|Could you {}?|I want to {}|I need you to {}.|I'd like you to {}|{} for me|Now {}
|Would you {}?|Let's {}|Can you quickly {}?|Go ahead and {}|{} please|Can you {} for me?|What happens if I {}?|What do you get if you {}?|Try to {}
|Kindly {}|Hey, {}|I have to {}. What is the result?|First, {}|Use your tools to {}|I would like to {}.|Next, {}|How do things look if we {}?
|If I {}, what comes out?|When you {}, what is the result?|Be so kind and {}|Time to {}|We need to {}.|Your task: {}""".replace("\n", "").split("|")
NP = {
    "add": """{a} plus {b}|{a} + {b}|{a}+{b}|the sum of {a} and {b}|{a} and {b} added together|the total of {a} and {b}|{a} added to {b}|{a} & {b} added up
|{a} increased by {b}|{a} plus another {b}|the sum {a} + {b}|adding {a} and {b}""",
    "subtract": """{a} minus {b}|{a} - {b}|{a}-{b}|the difference between {a} and {b}|{a} less {b}|{a} take away {b}|{b} subtracted from {a}|{b} less than {a}
|{a} decreased by {b}|{a} without {b}|the difference of {a} and {b}|{a} − {b}|subtracting {b} from {a}|{b} taken from {a}|{a} lowered by {b}""",
    "multiply": """{a} times {b}|{a} * {b}|{a}*{b}|{a} x {b}|{a} × {b}|the product of {a} and {b}|{a} multiplied by {b}|{a}×{b}|{a} by {b} multiplied
|{a} groups of {b}|{a} sets of {b}|{a} packs of {b}|the product {a} * {b}|multiplying {a} by {b}""",
    "divide": """{a} divided by {b}|{a} / {b}|{a}/{b}|{a} ÷ {b}|the quotient of {a} and {b}|{a} over {b}|{a} split into {b} parts|{a} shared among {b}
|{a} : {b}|dividing {a} by {b}|one {b}th of {a}|the ratio of {a} to {b}|{a} split by {b}|{a} parted by {b}""",
    "power": """{a} to the power of {b}|{a}^{b}|{a} ^ {b}|{a}**{b}|{a} ** {b}|{a} raised to the power of {b}|{a} raised to the power {b}|{a} to the {b}th|the {b}th power of {a}
|{a} to the power {b}|base {a} and exponent {b}|{a} with the exponent {b}""",
    "square_root": """the square root of {a}|√{a}|sqrt({a})|sqrt {a}|sqrt of {a}|square root of {a}|√ {a}|the root of {a}|the positive square root of {a}|root {a}
|the square root for {a}|{a}'s square root""",
}
VP = {
    "add": "add {a} and {b}|add {a} to {b}|sum {a} and {b}|add {a} + {b}|add up {a} and {b}|total {a} and {b}|add {a} with {b}|put {a} and {b} together|join {a} and {b} as a sum|add the numbers {a} and {b}",
    "subtract": "subtract {b} from {a}|take {b} from {a}|deduct {b} from {a}|take away {b} from {a}|calculate {a} minus {b}|remove {b} from {a}|subtract the number {b} from {a}|reduce {a} by {b}|lower {a} by {b}|start at {a} and go down by {b}",
    "multiply": "multiply {a} by {b}|multiply {a} and {b}|multiply {a} with {b}|times {a} by {b}|find {a} times {b}|multiply the numbers {a} and {b}|scale {a} by {b}|take {a} times {b}",
    "divide": "divide {a} by {b}|split {a} by {b}|split {a} into {b}|share {a} between {b}|divide {a} into {b} parts|break {a} into {b} equal groups|distribute {a} over {b}|divide the number {a} by {b}|separate {a} into {b} equal parts",
    "power": "raise {a} to the power of {b}|raise {a} to the power {b}|raise {a} to {b}|take {a} to the power of {b}|take {a} to the {b}th power|compute {a} to the power of {b}|put {a} to the power {b}|exponentiate {a} by {b}",
    "square_root": "take the square root of {a}|find the square root of {a}|calculate the square root of {a}|get the square root of {a}|extract the square root of {a}|find the number whose square is {a}|find the side of a square with area {a}|work out which number squared is {a}|compute the root of {a}",
}
STORY = {
    "add": ["{who} {has} {a} {i} and {gets} {b} more. {how_many}", "{who} {has} {a} {i}. Then {n2} brings {b} {i}. {how_many}",
            "There are {a} {i} on the {w} and {b} {i} on the {w2}. How many are there in total?", "{a} {i} in one box, {b} in another. How many in all?",
            "{n} scored {a} points and {n2} scored {b}. How many points together?", "I spent {a} dollars on {i} and {b} on {i2}. How much did I spend?",
            "The {w} costs {a} and the {w2} costs {b}. What do both cost?", "I read {a} pages yesterday and {b} today. How many pages altogether?",
            "It was {a} degrees and it got {b} degrees warmer. What is it now?", "{n} drove {a} miles, then {b} more. How far was it overall?",
            "A {w} weighs {a} kg and a {w2} weighs {b} kg. What is the total weight?", "There were {a} people; {b} joined. How many now?",
            "{n} caught {a} {i}, {n2} caught {b}. Total number of {i}?", "{n} has {a} {i}, {n2} has {b}. Amount altogether?", "{a} {i} here and {b} there, so the total is?"],
    "subtract": ["{who} {has} {a} {i} and {loses} {b}. {how_many_left}", "{who} {has} {a} {i}. {n2} takes {b} of them. {how_many_left}",
                 "There are {a} {i} in the {w}. If {b} are taken away, how many stay?", "I have {a} dollars and pay {b} for a {w}. How much money is left?",
                 "{n} is {a} years old and {n2} is {b}. What is the age difference?", "The trip is {a} km; I have done {b}. How far is it still?",
                 "A tank holds {a} litres and {b} leak out. How many litres remain?", "Of {a} {i}, {b} are broken. How many are fine?",
                 "It was {a} degrees and fell by {b}. What is it now?", "The book has {a} pages and I have read {b}. How many pages to go?",
                 "We baked {a} {i} and ate {b}. What remains?", "{a} people came and {b} went home. How many stayed?"],
    "multiply": ["There are {a} {w} boxes with {b} {i} each. How many {i} are there?", "{n} buys {a} packs of {b} {i}. How many {i} is that?",
                 "Each of {a} shelves has {b} {i}. How many {i} in total?", "One {w} costs {b}. How much do {a} cost?", "{a} people each pay {b} dollars. How much is it together?",
                 "{n} walks {b} km a day for {a} days. How far is that?", "{a} rows with {b} {i} in every row: how many {i}?", "{n} works {a} days for {b} dollars a day. What does {n} earn?",
                 "A hall has {a} rows and {b} seats per row. How many seats?", "I need {a} bags and every bag holds {b} {i}. How many {i}?"],
    "divide": ["{a} {i} are shared equally among {b} friends. How many does each get?", "{n} puts {a} {i} into {b} boxes equally. How many per box?",
               "We split {a} dollars between {b} people. How much is that each?", "{n} has {a} {i} for {b} days. How many per day?", "A rope of {a} metres is cut into {b} pieces. How long is a piece?",
               "{b} people share a bill of {a}. What does each pay?", "{a} {i} in {b} equal rows: how many in a row?", "I drove {a} km in {b} hours. What was my speed per hour?",
               "How many groups of {b} can I make from {a} {i}?", "{a} pages in {b} days: how many pages a day?", "How often does {b} go into {a}?"],
    "power": ["In maths class we need {a} raised to the power of {b}.", "My base is {a} and my exponent is {b}. What is the result?",
              "Use base {a}, exponent {b}.", "How big is {a} to the power of {b}?", "Exponent {b}, base {a}: what comes out?"],
    "square_root": ["A square garden covers {a} square metres. How long is one side?", "What number squared is {a}?", "Which number multiplied by itself makes {a}?",
                    "x times x is {a}. What is x?", "The area of a square is {a}. Find the side length.", "If x squared is {a}, what is x?", "I need a number that gives {a} when squared."],
}
SPECIAL = [("{} squared", "power", 2), ("the square of {}", "power", 2), ("{} cubed", "power", 3), ("the cube of {}", "power", 3), ("{}²", "power", 2), ("{}³", "power", 3),
           ("double {}", "multiply", 2), ("twice {}", "multiply", 2), ("triple {}", "multiply", 3), ("half of {}", "divide", 2), ("a quarter of {}", "divide", 4), ("a third of {}", "divide", 3)]
SPECIAL_VP = [("square {}", "power", 2), ("cube {}", "power", 3), ("square the number {}", "power", 2), ("double {}", "multiply", 2), ("halve {}", "divide", 2), ("triple {}", "multiply", 3)]


def _values(r, op):
    if op == "power":
        return (number(r, 60) if r.random() < 0.3 else r.choice([r.randint(2, 30), round(r.uniform(1, 9), 1), -r.randint(2, 9)])), \
            r.randint(0, 12) if r.random() < 0.9 else r.choice([0.5, 1.5, -1, -2])
    if op == "square_root":
        k = r.random()
        return (r.randint(1, 120) ** 2 if k < 0.6 else abs(number(r)) if k < 0.96 else -r.randint(1, 99)),
    a, b = number(r), number(r)
    if op == "divide":
        k = r.random()
        b = 0 if k < 0.03 else r.randint(2, 60) if k < 0.8 else b
        if k < 0.5 and b:
            a = b * r.randint(2, 200)
    elif op == "subtract" and a < b and r.random() < 0.85:
        a, b = b, a
    return a, b


def _shown(r, n, spell):
    if spell and isinstance(n, int) and 0 <= n <= 20:
        return SMALL[n]
    if isinstance(n, int) and n >= 1000 and r.random() < 0.06:
        return f"{n:,}"
    return ("minus " + show(-n)) if n < 0 and r.random() < 0.2 else show(n)


def _story(r, op, a, b):
    n, n2 = r.sample(NAMES, 2)
    mine = r.random() < 0.4
    i, i2 = r.sample(ITEMS, 2)
    fields = dict(a=a, b=b, n=n, n2=n2, i=i, i2=i2, w=word(r), w2=word(r), who="I" if mine else n, has=r.choice(["had", "have" if mine else "has", "collected", "owned"]),
                  gets=r.choice(["find" if mine else "finds", "got", "received", "bought", "picked up", "won"]),
                  loses=r.choice(["gave away", "sold", "ate", "dropped", "gave " + n2, "used", "lost", "threw out"]),
                  how_many=r.choice([f"How many {i} are there now?", f"How many {i} in total?", f"How many {'do I' if mine else 'does ' + n} have now?", "How many is that?", "What's the total?"]),
                  how_many_left=r.choice([f"How many {i} are left?", f"How many {'do I' if mine else 'does ' + n} still have?", "How many remain?", "What is left?"]))
    form = r.choice(STORY[op] if r.random() < 0.3 else MORE_STORY[op])
    return form, form.format(**fields)


def _told(op, form, values):
    """Where the order does not matter, the arguments come in the order of the question."""
    return values[::-1] if op in ("add", "multiply") and form.index("{b}") < form.index("{a}") else values


def _finish(r, q):
    if r.random() < 0.08:
        q = sloppy(r, q)
    elif r.random() < 0.75:
        q = capital(q)
    return dress(r, q)


def _forms(op, table, extra):
    return table[op].replace("\n", "").split("|"), extra[op]


def operation(r, op=None):
    """(operation, values, phrasing, question)"""
    op = op or r.choice(["add", "subtract", "multiply", "divide", "power", "square_root"])
    asks = lambda vp: r.choice((ASK_VP if vp else ASK_NP) if r.random() < 0.4 else (more.ASK_VP if vp else more.ASK_NP))
    if op in ("power", "multiply", "divide") and r.random() < (0.4 if op == "power" else 0.08):
        vp = r.random() < 0.3
        form, op, k = r.choice([s for s in (SPECIAL_VP + more.SPECIAL_VP if vp else SPECIAL + more.SPECIAL) if s[1] == op])
        v = abs(number(r))
        return op, (v, k), _finish(r, asks(vp).format(form.format(show(v))))
    values = _values(r, op)
    spell = r.random() < 0.1
    a, b = ([_shown(r, v, spell) for v in values] + [""])[:2]
    k = r.random()
    if op == "subtract" and values[0] > values[1] >= 0 and r.random() < 0.25:
        return op, values, _finish(r, r.choice(more.COMPARE).format(a=a, b=b))
    fits = min(values) >= 0 and (op != "subtract" or values[0] >= values[1]) and (op != "divide" or values[1] > 0) and (all(isinstance(v, int) for v in values) or op == "square_root" or r.random() < 0.2)
    if k < (0.34 if op in ("add", "subtract", "multiply", "divide") else 0.22) and fits:
        form, q = _story(r, op, a, b)
        return op, _told(op, form, values), _finish(r, q)
    vp = k >= 0.72
    old, new = _forms(op, VP if vp else NP, more.VP if vp else more.NP)
    form = r.choice(old if r.random() < 0.35 else new)
    if "{b}th" in form and not (isinstance(values[1], int) and 4 <= values[1] <= 12):
        form = "{a} divided by {b}" if op == "divide" else NP[op].split("|")[0]
        vp = False
    values = _told(op, form, values)
    ask = asks(vp)
    if form.startswith("from ") or any(w in ask and w in form for w in ("result", "value", "number", "exactly")):
        ask = r.choice(["{}", "{}", "{}?", "{}.", "{} please"]) if not form.startswith("from ") else r.choice(["{}", "{}.", "please {}", "{}, please", "{}. What do I get?"])
    return op, values, _finish(r, ask.format(form.format(a=a, b=b)))


def result(op, v):
    try:
        if op == "divide" and v[1] == 0:
            return "Error: Division by zero is not allowed."
        if op == "square_root" and v[0] < 0:
            return "Error: Square root of a negative number is not a real number."
        x = {"add": lambda: v[0] + v[1], "subtract": lambda: v[0] - v[1], "multiply": lambda: v[0] * v[1], "divide": lambda: v[0] / v[1],
             "power": lambda: float(v[0]) ** v[1], "square_root": lambda: math.sqrt(v[0])}[op]()
        return "Error: The result is not a real number." if isinstance(x, complex) else show(x)
    except (ZeroDivisionError, OverflowError):
        return "Error: The result is not a finite number."


def said(r, op, v, res):
    """The result read back in one sentence."""
    if res.startswith("Error: Division"):
        return r.choice(["Dividing by zero is not allowed, so there is no answer.", f"I can't divide {show(v[0])} by zero.", "Division by zero is not possible."])
    if res.startswith("Error: Square"):
        return r.choice([f"{show(v[0])} is negative, so it has no real square root.", "The square root of a negative number is not a real number."])
    if res.startswith("Error"):
        return "That can't be worked out: " + res[7:8].lower() + res[8:]
    a, b = ([show(x) for x in v] + [""])[:2]
    form = {"add": [f"{a} + {b} is {res}.", f"{a} plus {b} equals {res}.", f"The sum of {a} and {b} is {res}."],
            "subtract": [f"{a} - {b} is {res}.", f"{a} minus {b} equals {res}."], "multiply": [f"{a} × {b} is {res}.", f"{a} times {b} equals {res}."],
            "divide": [f"{a} ÷ {b} is {res}.", f"{a} divided by {b} is {res}."], "power": [f"{a} to the power of {b} is {res}."],
            "square_root": [f"The square root of {a} is {res}."]}[op]
    return r.choice(form * 3 + [f"The answer is {res}.", f"The result is {res}.", f"That makes {res}."])
