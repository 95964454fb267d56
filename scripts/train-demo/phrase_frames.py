"""Chatty, polite, terse and misspelt surroundings of a request. None contains a number or a value."""

import re

BEFORE = """Hey, |Hi, |Hello, |Hey there! |Good morning. |Good evening! |Hi there. |Yo, |Ok, |Okay, |Okay so |Right, |Alright, |Well, |Um, |Hmm, |Sorry to bother you, |Excuse me, |Quick one: |One more thing: |Quick favour: 
|Now then, |Next up: |I'm in a hurry: |I'm a bit stuck. |I'm tired today, so |My hands are full. |Thanks for earlier! |Great, thanks. |Perfect. |Nice work. |I've got a job for you. |Here's another one. |Back again! |It's me again. 
|When you have a moment, |If you don't mind, |If possible, |As quickly as you can, |Be a dear and help: |Assistant, |Dear assistant, |Oh, |Oh and |By the way, |btw |ok |so |hey |hi |And now: |Fine. |Cool, |Another question. |I need some help. 
|I have a request. |Before I forget, |Sorry, me again: |Just checking: |Let's go on. |Could use your help here. |Small task: |Help me out: |Listen, |Morning! """.replace("\n", "").split("|")
AFTER = """ Thanks!| Thank you.| Thanks a lot.| Thank you so much!| Cheers.| Cheers!| Ta.| Many thanks.| It's urgent.| I'm in a hurry.| Take your time.| No rush.| Be quick.| That's all.| That's all I need.| I'd appreciate it.| Much appreciated.
| My boss is waiting.| I'm on my phone.| I keep forgetting.| Just curious.| I can't do it myself.| You're the best.| I'm too lazy to do it.| thx| thanks| ty| Thank you in advance.| Sorry for the trouble.| That would help me a lot.
| Let me know when you have it.| I hope that's clear.| Nothing else for now.""".replace("\n", "").split("|")
TYPOS = [("please", "pls plz plese pleas"), ("what's", "whats wats"), ("what is", "whats wat-is what-s"), ("you", "u yuo"), ("file", "fiel flie"), ("folder", "foldr foler"), ("show", "shwo sho"), ("delete", "delte delet"),
         ("files", "fiels flies"), ("directory", "directry dir"), ("create", "creat crate"), ("write", "wirte wrte"), ("contents", "contens"), ("the", "teh th"), ("what", "wat waht"), ("how", "hwo"), ("much", "mutch muhc"),
         ("many", "mny meny"), ("calculate", "calculte calcualte"), ("divided", "devided"), ("multiply", "mutliply multiplie"), ("multiplied", "multplied"), ("square", "sqaure squre"), ("subtract", "substract subtrct"),
         ("difference", "diference diffrence"), ("together", "togehter togther"), ("total", "totl totel"), ("remove", "remvoe remov"), ("called", "caled"), ("containing", "contaning"), ("could", "cud coud"), ("there", "ther"), ("power", "powr"), ("minus", "mius"), ("read", "raed"), ("want", "wnat")]


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
