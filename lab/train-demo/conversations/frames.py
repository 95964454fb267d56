"""Chatty, polite, terse and misspelt surroundings of a request. None contains a number or a value."""

import re

from phrase_files import sections

PHRASES = sections("frames.txt")
BEFORE = [p + " " for p in PHRASES["before"]]
AFTER = [" " + p for p in PHRASES["after"]]
TYPOS = [line.split(": ") for line in PHRASES["typos"]]


def sloppy(r, s):
    """Lower case, without care: few marks, some misspelt words. Placeholders stay."""
    s = s.lower()
    if r.random() < 0.6:
        s = s.rstrip("?.!")
        s = s.replace("'", "") if "{" in s else s
    for right, wrong in r.sample(TYPOS, len(TYPOS)):
        if r.random() < 0.3:
            s = re.sub(rf"(?<![\w{{]){right}(?![\w}}])", r.choice(wrong.split()).replace("-", " "), s, count=1)
    return s


def dress(r, s, tail=True):
    """A sentence, or one with something said before or after it. Nothing is said after an open end."""
    greeted = re.match(r"(?i)(hi|hey|hello|please|kindly|now|next|and|so|ok|first|quick|be so|your task|let's|let us|use|go ahead|help|for my|my teacher|oh|and)\b", s)
    before = r.random() < 0.13 and not greeted
    if before:
        lead = r.choice(BEFORE)
        s = lead + (s if lead.rstrip()[-1] in ".!" or re.match(r"I\b", s) else s[:1].lower() + s[1:])
    if tail and r.random() < 0.10 and s[-1] != "=":
        low = s.lower()
        if r.random() < 0.3 and not before and "pl" not in low and "could" not in low and "kindly" not in low and s[-1] not in ".?!":
            s += r.choice([" please", ", please", ", please.", ", will you?", " asap", " now", ", thanks", " for me please"])
        elif "thank" not in low:
            s += ("" if s[-1] in ".?!" else ".") + r.choice(AFTER)
    return s
