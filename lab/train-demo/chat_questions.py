"""Questions that need no tool; the untuned model itself answers them, so that tuning keeps its manner."""

import json
import random
import re

from phrase_files import FOLDER

UNHELPFUL = re.compile("sorry for any|confusion|not a nice place|sorry for your loss|[Aa]s an AI|I'm not available|poverty")
OUT = FOLDER / "chat-answers.jsonl"

COUNTRIES = """France Italy Spain Germany Japan China India Brazil Canada Egypt Kenya Norway Sweden Greece Turkey Russia
Mexico Peru Chile Cuba Poland Austria Portugal Ireland Scotland Thailand Vietnam Morocco Finland Denmark""".split()
BOOKS = """Romeo and Juliet;Moby Dick;Pride and Prejudice;The Odyssey;Don Quixote;Frankenstein;Dracula;War and Peace;
Oliver Twist;Jane Eyre;The Hobbit;Animal Farm;Macbeth;Little Women;Alice in Wonderland;Treasure Island""".replace("\n", "").split(";")
THINGS = """cats;dogs;elephants;the moon;the sun;honey;penguins;whales;coffee;tea;chocolate;bananas;spiders;dinosaurs;volcanoes;
trains;bicycles;the ocean;bees;owls;horses;butterflies;rainbows;glass;paper;salt;snow;turtles;dolphins;ants;robots;maps;
music;football;chess;bread;cheese;pizza;apples;trees""".replace("\n", "").split(";")
CONCEPTS = """gravity;photosynthesis;evolution;electricity;magnetism;inflation;democracy;friendship;sleep;the water cycle;
a black hole;an atom;a cell;a planet;a comet;an earthquake;a volcano;a rainbow;a vaccine;a virus;machine learning;
a computer program;the internet;an algorithm;a database;a web browser;a text file;a folder on a computer;a file extension;
a prime number;a square root;a fraction;division;multiplication;an exponent;a negative number;arithmetic;algebra;geometry;
a calculator;a spreadsheet;a to-do list;a diary;a recipe;an essay;a haiku;a metaphor;a noun;a verb;an adjective""".replace("\n", "").split(";")
FORMS = [
    (["What is the capital of {}?", "What's the capital city of {}?", "Which city is the capital of {}?"], COUNTRIES),
    (["What language do people speak in {}?", "Name one famous food from {}.", "On which continent is {}?",
      "Tell me something about {}."], COUNTRIES),
    (["Who wrote {}?", "Who is the author of {}?", "What is {} about?"], BOOKS),
    (["Tell me a fun fact about {}.", "Tell me about {}.", "Give me an interesting fact about {}.", "Why do people like {}?",
      "Can you say something nice about {}?", "Write one sentence about {}.", "Tell me a short joke about {}.",
      "What do you know about {}?", "Write a very short poem about {}.", "What do you think about {}?"], THINGS),
    (["What is {}?", "Explain {} in simple words.", "What does {} mean?", "Can you explain {} to a child?",
      "Describe {} in one sentence.", "Why is {} important?", "How would you define {}?", "What is {} used for?"], CONCEPTS),
    (["What is the opposite of {}?", "What is another word for {}?", "Use the word '{}' in a sentence.", "What does the word {} mean?",
      "How do you spell {}?"],
     "hot;happy;fast;big;dark;early;brave;quiet;easy;strong;empty;open;add;remove;write;read;power;list;file;divide".split(";")),
    (["How do I {}?", "Give me a tip on how to {}.", "What is the best way to {}?", "Any advice on how to {}?", "I want to {}. Any ideas?"],
     """make tea;bake bread;learn to swim;sleep better;save money;make new friends;stay healthy;study for an exam;plant a tree;
wash a car;clean a window;cook rice;train a dog;learn to play the guitar;write a good story;learn mathematics;keep my files tidy;
remember things better;be more productive;start running;make a sandwich;learn French;relax after work;get up early""".replace("\n", "").split(";")),
    (["{}"], """Hello!;Hi there.;Hey, how are you?;Good morning!;Good evening.;Good night!;Thanks a lot!;Thank you very much.;
Thanks, that helps.;How are you today?;Who are you?;What is your name?;What can you do?;Are you a robot?;Are you a person?;
Nice to meet you.;I'm bored.;I'm feeling sad today.;I am so happy!;I had a long day.;Tell me a joke.;Tell me a story.;
Make me laugh.;Say something kind.;Do you like music?;What's your favourite colour?;What's your favourite animal?;
Do you ever sleep?;Can you help me?;I need some advice.;What should I have for dinner?;What should I read next?;
Give me a riddle.;Write a haiku.;Wish me luck!;It's my birthday today!;Goodbye!;See you later.;Bye for now.;That's great.;
OK.;Cool!;Never mind.;You are very helpful.;I don't understand.;Yes, please.;No, thank you.;Sorry about that.;Great job!;
I like you.;What is the meaning of life?;Why is the sky blue?;Why is grass green?;Why do leaves fall in autumn?;
Why do we dream?;Why is the sea salty?;How do planes fly?;How do fish breathe?;How does a rainbow form?;
How many continents are there?;How many days are in a week?;How many legs does a spider have?;How many planets are there?;
How many minutes are in an hour?;How many letters are in the alphabet?;What colour is the sky?;What colour are bananas?;
What comes after Monday?;Which month comes after June?;What is the largest animal?;What is the fastest animal?;
What is the tallest mountain?;What is the longest river?;What is the largest ocean?;What is the smallest country?;
Which planet is the red planet?;What is water made of?;What do bees make?;What do cows drink?;What do pandas eat?;
At what temperature does water boil?;Who invented the telephone?;Who painted the Mona Lisa?;Who was Albert Einstein?;
Who was Isaac Newton?;Who discovered gravity?;Who was the first person on the moon?;Who was Cleopatra?;Who was Mozart?;
When did the Second World War end?;When did people first land on the moon?;Which sport is played at Wimbledon?;
How many players are in a football team?;What instrument has black and white keys?;What is the currency of Japan?;
Is a tomato a fruit?;Is the earth flat?;Is it healthy to eat vegetables?;Should I drink more water?;Is chess hard to learn?;
Why is the number 7 considered lucky?;Who invented zero?;What is pi?;Do you like numbers?;Is maths useful?;
What's the difference between a file and a folder?;What is a good file name?;Why should I back up my files?;
Why should I write things down?;What are the four basic operations?;What does 'squared' mean?;Is zero an even number?;
Suggest a name for my cat.;Suggest a name for my boat.;Give me three names for a dog.;Name three fruits.;Name three colours.;
List three animals that live in the sea.;Name two planets.;List some healthy snacks.;Name a famous scientist.;
Write a short thank-you message.;Write a birthday greeting.;Write a slogan for a bakery.;Write one line about autumn.;
Translate 'good morning' into French.;Translate 'thank you' into Spanish.;How do you say hello in German?;
Complete the sentence: The cat sat on the;Finish this: Roses are red,;Give me a synonym for 'happy'.;
Is it better to read or to watch films?;Summer or winter?;Tea or coffee?;Cats or dogs?;Should I go for a walk?""".replace("\n", "").split(";")),
]


def questions(seed=1) -> list[str]:
    rng = random.Random(seed)
    found = []
    for patterns, values in FORMS:
        for v in values:
            found += [p.format(v) for p in rng.sample(patterns, min(len(patterns), 3))]
    return sorted(set(found))


def shorten(text: str) -> str | None:
    """The first sentence, and the second where both are short; None for anything clumsy."""
    text = text.strip().split("\n")[0]
    parts = re.findall(r"[^.!?]+[.!?]+[\"']?(?=\s|$)", text)
    if not parts:
        return None
    out = parts[0].strip()
    if len(parts) > 1 and len(out) + len(parts[1]) < 130:
        out += " " + parts[1].strip()
    return None if len(out) < 3 or len(out) > 230 or UNHELPFUL.search(out) else out


def main():
    import torch

    from base_model import load_tokenizer
    from model import Model, generate

    torch.set_num_threads(2)
    tok, model, rows = load_tokenizer(), Model(), []
    todo = questions()
    for at in range(0, len(todo), 48):
        batch = todo[at:at + 48]
        prompts = [tok.encode(
            "<|im_start|>system\nYou are a helpful assistant. Answer in one short sentence.<|im_end|>\n"
            f"<|im_start|>user\n{q}<|im_end|>\n<|im_start|>assistant\n").ids for q in batch]
        for q, out in zip(batch, generate(model, prompts, 56)):
            answer = shorten(tok.decode(out))
            if answer:
                rows.append({"question": q, "answer": answer})
        print(len(rows), "of", at + len(batch), flush=True)
    OUT.write_text("".join(json.dumps(r, ensure_ascii=False) + "\n" for r in rows))


if __name__ == "__main__":
    main()
