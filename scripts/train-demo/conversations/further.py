"""A request that names one argument more: behind it, in words that fit any."""

from .other_tools import words_of

# What is said of one call, by how the request ends; {a}: the argument, {v}: its value.
SENTENCES = ["The {a} is {v}.", "Use {v} as the {a}.", "Take {v} as {a}, please.", "Also, the {a} should be {v}.", "Set the {a} to {v}.", "{A}: {v}.", "And with {v} as {a}.", "Make the {a} {v}, please."]
CLAUSES = [", with {v} as the {a}", " and {v} as {a}", ", {a} {v}", ", and set the {a} to {v}", " ({a}: {v})", " using {v} as the {a}", ", the {a} being {v}", ", {a} = {v}"]
# And of several calls.
OF_ALL = ["The {a} is {v} for each.", "Use {v} as the {a} for all of them.", "All with {v} as the {a}.", "Each time the {a} is {v}.", "For each, set the {a} to {v}.", "The same {a} for all: {v}."]
CLAUSES_OF_ALL = [", all with {v} as the {a}", ", each with {a} {v}", " ({a} {v} for all of them)", ", with {v} as {a} in every case"]


def more(r, q, name, said, several):
    """The request with the argument, in a sentence of its own or a clause; None if it does not fit behind the request."""
    words = words_of(name)
    values = {"a": words, "A": words[:1].upper() + words[1:], "v": said}
    if q[-1] in ".!?":
        if r.random() < 0.5:
            return q + " " + r.choice(OF_ALL if several else SENTENCES).format(**values)
        return q[:-1] + r.choice(CLAUSES_OF_ALL if several else CLAUSES).format(**values) + q[-1]
    if not (q[-1].isalnum() or q[-1] in "\"')"):
        return None
    return q + r.choice(CLAUSES_OF_ALL if several else CLAUSES).format(**values)
