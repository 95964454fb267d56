"""Scores reports of `llm-host bench --tools --json` on BFCL's questions with BFCL's own checker.

    python3 lab/bfcl/score.py REPORT...

Prints a table for each mode, with 95 % confidence intervals, then each answer of which `bench` itself says otherwise.
Exit status 1 if there is one; Java and JavaScript, which `bench` does not judge, do not count.
"""

import json
import math
import sys
from collections import defaultdict

import wheel

wheel.prepare()
from bfcl_eval.constants.enums import Language  # noqa: E402
from bfcl_eval.eval_checker.ast_eval.ast_checker import ast_checker  # noqa: E402

LANGUAGES = {"simple_java": Language.JAVA, "simple_javascript": Language.JAVASCRIPT}
MODES = {"free": "First reply", "repair": "With repair", "held": "Held to the schemas"}


def entries(path):
    with open(path, encoding="utf-8") as file:
        return {entry["id"]: entry for entry in map(json.loads, file)}


class Category:
    def __init__(self, name):
        data = wheel.FOLDER / "bfcl_eval" / "data"
        self.name = name
        self.questions = entries(data / f"BFCL_v4_{name}.json")
        self.judged = "relevance" not in name
        self.answers = entries(data / "possible_answer" / f"BFCL_v4_{name}.json") if self.judged else {}

    def is_right(self, id, calls):
        """As the wheel's runner has it: calls count as decoded if there is at least one."""
        if not self.judged:
            return bool(calls) != ("irrelevance" in self.name)
        if not calls:
            return False
        output = [{call["name"]: call["arguments"]} for call in calls]
        language = LANGUAGES.get(self.name, Language.PYTHON)
        functions, answers = self.questions[id]["function"], self.answers[id]["ground_truth"]
        try:
            return ast_checker(functions, output, answers, language, self.name, wheel.MODEL)["valid"]
        except Exception:  # the wheel would stop here
            return False


def interval(right, of):
    """Wilson's, in percent."""
    z = 1.959964
    middle, scale = right / of + z * z / (2 * of), 1 + z * z / of
    spread = z * math.sqrt(right / of * (1 - right / of) / of + z * z / (4 * of * of))
    low, high = max(0, middle - spread) / scale, (middle + spread) / scale
    return f"{100 * right / of:.0f} ({100 * low:.0f} to {100 * high:.0f})"


categories = {name: Category(name) for name in wheel.SINGLE_TURN}
place = {id: category for category in categories.values() for id in category.questions}
reports = [json.load(open(path, encoding="utf-8")) for path in sys.argv[1:]] or sys.exit(__doc__)
shares = defaultdict(lambda: [0, 0])
different = []
for index, report in enumerate(reports):
    for result in report["results"]:
        category, mode = place[result["id"]], result["mode"]
        right = "error" not in result and category.is_right(result["id"], result["calls"])
        for name in (category.name, "all"):
            shares[index, mode, name][0] += right
            shares[index, mode, name][1] += 1
        if right != result["right"] and category.name not in LANGUAGES:
            different.append(f"{result['id']}: bench {result.get('fault', 'right')}, BFCL {right}: {result['calls']}")

for mode, title in MODES.items():
    rows = [name for name in (*wheel.SINGLE_TURN, "all") if any((i, mode, name) in shares for i in range(len(reports)))]
    if not rows:
        continue
    print(f"{title}\n\n| category | {' | '.join(report['model']['name'] for report in reports)} |")
    print(f"| --- |{' --- |' * len(reports)}")
    for name in rows:
        cells = [interval(*shares[i, mode, name]) if (i, mode, name) in shares else "" for i in range(len(reports))]
        print(f"| {name} | {' | '.join(cells)} |")
    print()
answers = sum(len(report["results"]) for report in reports)
print(*different, f"{answers} answers: {len(different)} scored differently", sep="\n")
sys.exit(1 if different else 0)
