"""Scores the same conversations by our rules and with the checker of the wheel bfcl-eval, and compares case by case.

    python3 same_conversations.py DATA WHEEL COUNT < answers.jsonl

DATA: the folder that `bench --tools` keeps. WHEEL: the unpacked wheel. answers.jsonl: answers of models, {"id", "turns"}.
After those come answers of our own up to COUNT: the right calls as a model would make them, and changed ones. Exit 1 if a
score or the text of a result differs.
"""

import ast
import collections
import copy
import inspect
import json
import random
import sys
from pathlib import Path

data, wheel, count = sys.argv[1:]
sys.path[:0] = [str(Path(__file__).resolve().parents[2] / "bfcl"), wheel]

import bfcl_eval.eval_checker.multi_turn_eval.func_source_code  # noqa: E402, F401  before ours, which has no files of its own
from bfcl_eval.eval_checker.multi_turn_eval.multi_turn_checker import multi_turn_checker  # noqa: E402
from bfcl_eval.eval_checker.multi_turn_eval.multi_turn_utils import (  # noqa: E402
    execute_multi_turn_func_call,
)
from benchmark import Benchmark  # noqa: E402
from calls import Player, call_text  # noqa: E402
from score import fault_of  # noqa: E402

CATEGORIES = ["multi_turn_base", "multi_turn_miss_func", "multi_turn_miss_param"]
NAMES_OF_FAULTS = {
    "multi_turn:empty_turn_model_response": "no call",
    "multi_turn:instance_state_mismatch": "wrong state",
    "multi_turn:execution_response_mismatch": "missing result",
    "multi_turn:force_terminated": "too many steps",
}

benchmark = Benchmark(data)


def right_turns(case_id):
    """The right calls as a model writes them: with the names of all arguments."""
    methods = {
        name: method
        for instance in benchmark.instances(case_id).values()
        for name, method in inspect.getmembers(instance, predicate=inspect.ismethod)
    }
    return [[made_call(text, methods) for text in turn] for turn in benchmark.ground_truth(case_id)]


def made_call(text, methods):
    call = ast.parse(text.strip(), mode="eval").body
    named = {keyword.arg: ast.literal_eval(keyword.value) for keyword in call.keywords}
    positions = list(inspect.signature(methods[call.func.id]).parameters)
    given = {positions[place]: ast.literal_eval(value) for place, value in enumerate(call.args)}
    return {"name": call.func.id, "arguments": {**given, **named}}


def as_javascript(value):
    """JSON has one kind of numbers: what a program in JavaScript passes on of 5.0 is 5."""
    if isinstance(value, dict):
        return {key: as_javascript(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [as_javascript(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def changed(turns, rng):
    """Some changes that may matter or not."""
    turns = copy.deepcopy(turns)
    for _ in range(rng.choice([0, 1, 1, 1, 2, 3])):
        rng.choice(CHANGES)(turns, rng)
    return turns


def turn_with_calls(turns, rng):
    return rng.choice([turn for turn in turns if turn] or [[]])


def leave_out(turns, rng):
    turn = turn_with_calls(turns, rng)
    if turn:
        turn.pop(rng.randrange(len(turn)))


def empty(turns, rng):
    turns[rng.randrange(len(turns))].clear()


def repeat(turns, rng):
    turn = turn_with_calls(turns, rng)
    if turn:
        turn.insert(rng.randrange(len(turn) + 1), copy.deepcopy(rng.choice(turn)))


def reverse(turns, rng):
    turn_with_calls(turns, rng).reverse()


def move(turns, rng):
    """To another turn, earlier or later."""
    turn = turn_with_calls(turns, rng)
    if turn:
        rng.choice(turns).append(turn.pop(rng.randrange(len(turn))))


def break_off(turns, rng):
    del turns[rng.randrange(1, len(turns) + 1) :]


def add_look(turns, rng):
    """A call that changes nothing, or is of no function at all."""
    names = ["pwd", "ls", "ticket_get_login_status", "view_messages_sent", "get_watchlist"]
    names += ["no_such_function", "GorillaFileSystem.pwd", "_load_scenario", "remove"]
    rng.choice(turns).append({"name": rng.choice(names), "arguments": {}})


def alter_argument(turns, rng):
    calls = [call for turn in turns for call in turn if call["arguments"]]
    if not calls:
        return
    arguments = rng.choice(calls)["arguments"]
    name = rng.choice(list(arguments))
    value = arguments[name]
    arguments[name] = rng.choice(VALUES_FOR)(value)


def rename_argument(turns, rng):
    calls = [call for turn in turns for call in turn if call["arguments"]]
    if calls:
        arguments = rng.choice(calls)["arguments"]
        arguments[rng.choice(["value", "not a name", "class"])] = arguments.pop(rng.choice(list(arguments)))


VALUES_FOR = [
    lambda value: f"{value} and more",
    lambda value: f"{value} (see post_tweet (1) and ls())",
    lambda value: value.upper() if isinstance(value, str) else value,
    lambda value: value + 1 if isinstance(value, (int, float)) else value,
    lambda value: float(value) if isinstance(value, int) else value,
    as_javascript,
    lambda value: [value],
    lambda value: None,
    lambda value: {"a": [1, {"b": True}]},
    lambda value: "it's \"quoted\" \\ \n (twice)",
    lambda value: "größer 数",
]
CHANGES = [
    *(leave_out, empty, repeat, reverse, move, break_off, add_look, alter_argument, alter_argument),
    *(alter_argument, rename_argument),
]


def wheel_fault(case_id, turns, model):
    """As the wheel's runner scores a conversation; None: nothing is wrong."""
    truth = benchmark.ground_truth(case_id)
    if len(turns) != len(truth):
        return "too many steps"
    steps = [[turn] if turn else [] for turn in turns]
    try:
        result = multi_turn_checker(
            steps, truth, copy.deepcopy(benchmark.case(case_id)), case_id.rsplit("_", 1)[0], model
        )
    except Exception as error:  # the wheel would stop here
        return f"raised {type(error).__name__}"
    return None if result["valid"] else NAMES_OF_FAULTS[result["error_type"]]


def result_texts(case_id, turns, model):
    """The results of all calls, by us and by the wheel."""
    entry = benchmark.case(case_id)
    classes, config = entry["involved_classes"], entry["initial_config"]
    player = Player(benchmark.instances(case_id), f"{model}_{case_id}")
    ours, theirs = [], []
    for turn in turns:
        ours += [player.run(call) for call in turn]
        theirs += execute_multi_turn_func_call(turn, config, classes, model, case_id)[0]
    return ours, theirs


def answers():
    """Of models, then the right ones of all cases, then changed ones."""
    given = [json.loads(line) for line in sys.stdin]
    for answer in given:
        yield "model", answer["id"], answer["turns"]
    ids = [
        json.loads(line)["id"]
        for category in CATEGORIES
        for line in open(Path(data) / f"BFCL_v4_{category}.json", encoding="utf-8")
    ]
    for case_id in ids:
        yield "right", case_id, right_turns(case_id)
    for index in range(max(0, int(count) - len(given) - len(ids))):
        case_id = ids[index * 97 % len(ids)]
        yield "changed", case_id, changed(right_turns(case_id), random.Random(index))


counts = collections.Counter()
different = calls = other_texts = one_kind = 0
for index, (kind, case_id, made) in enumerate(answers()):
    turns = [[call_text(call["name"], call["arguments"]) for call in turn] for turn in made]
    ours, theirs = fault_of(benchmark, case_id, turns), wheel_fault(case_id, turns, f"model{index}")
    counts[kind, ours or "right", theirs or "right"] += 1
    if ours != theirs:
        different += 1
        print(f"{case_id}: ours {ours}, the wheel's {theirs}: {json.dumps(made)}")
    for own, other in zip(*result_texts(case_id, turns, f"texts{index}")):
        calls += 1
        if own != other:
            other_texts += 1
            print(f"{case_id}: a result is {own!r}, the wheel's {other!r}")
    if kind == "right":
        plain = [[call_text(call["name"], as_javascript(call["arguments"])) for call in turn] for turn in made]
        one_kind += fault_of(benchmark, case_id, plain) is not None
print("| answers | ours | the wheel | conversations |\n| --- | --- | --- | --- |")
for (kind, ours, theirs), number in sorted(counts.items()):
    print(f"| {kind} | {ours} | {theirs} | {number} |")
print(f"\n{counts.total()} conversations: {different} scored differently; {calls} results: {other_texts} worded differently")
print(f"Right ones that are wrong once 5.0 has become 5: {one_kind}")
sys.exit(1 if different + other_texts > 0 else 0)
