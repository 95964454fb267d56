"""Scores calls with the checker of the wheel bfcl-eval, without the packages that its models need.

    python3 wheel-scores.py FOLDER < calls.jsonl > scores.jsonl

FOLDER: the unpacked wheel. A line in: {"id", "category", "calls": [{"name", "arguments"}]}; a line out: {"id", "valid", "error"}.
"""

import json
import sys
import types
from pathlib import Path

root = Path(sys.argv[1])
sys.path.insert(0, str(root))
# The list of all models imports a client library for each of their makers; the checker only asks about dots in names.
models = types.ModuleType("bfcl_eval.constants.model_config")
models.MODEL_CONFIG_MAPPING = {"served": types.SimpleNamespace(underscore_to_dot=True)}
sys.modules["bfcl_eval.constants.model_config"] = models

from bfcl_eval.constants.enums import Language  # noqa: E402
from bfcl_eval.eval_checker.ast_eval.ast_checker import ast_checker  # noqa: E402

LANGUAGES = {"simple_java": Language.JAVA, "simple_javascript": Language.JAVASCRIPT}


def entries(path):
    with open(path) as file:
        return {entry["id"]: entry for entry in map(json.loads, file)}


class Category:
    def __init__(self, name):
        data = root / "bfcl_eval" / "data"
        self.name = name
        self.questions = entries(data / f"BFCL_v4_{name}.json")
        self.judged = "relevance" not in name
        self.answers = entries(data / "possible_answer" / f"BFCL_v4_{name}.json") if self.judged else {}

    def score(self, id, calls):
        """As the wheel's runner does: calls count as decoded if there is at least one."""
        if not self.judged:
            return {"valid": bool(calls) != ("irrelevance" in self.name), "error": "relevance"}
        if not calls:
            return {"valid": False, "error": "decoder_failed"}
        output = [{call["name"]: call["arguments"]} for call in calls]
        language = LANGUAGES.get(self.name, Language.PYTHON)
        functions, answers = self.questions[id]["function"], self.answers[id]["ground_truth"]
        try:
            result = ast_checker(functions, output, answers, language, self.name, "served")
        except Exception as error:  # the wheel would stop here
            return {"valid": False, "error": f"raised {type(error).__name__}"}
        return {"valid": result["valid"], "error": result.get("error_type", "")}


categories = {}
for line in sys.stdin:
    case = json.loads(line)
    name = case["category"]
    if name not in categories:
        categories[name] = Category(name)
    print(json.dumps({"id": case["id"], **categories[name].score(case["id"], case["calls"])}))
