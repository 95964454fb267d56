"""Asks a running `serve` the questions of a category with BFCL's own program, and scores its answers with BFCL's own checker.

    OPENAI_BASE_URL=http://127.0.0.1:8080/v1 OPENAI_API_KEY=none python3 official-harness.py WHEEL PACKAGES MODEL CATEGORY

WHEEL: the unpacked wheel bfcl-eval. PACKAGES: a folder with openai and tenacity (pip install --target). A line out for each
question, {"id", "valid", "error", "result"}, then the share of valid ones.

BFCL's command needs the clients of every maker of models, torch among them. Here only its handler for the API of OpenAI
runs; what that does not use is replaced by nothing.
"""

import importlib.abc
import importlib.machinery
import json
import sys
import types
from unittest.mock import MagicMock

wheel, packages, model, category = sys.argv[1:]
sys.path[:0] = [wheel, packages]


class Nothing(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Stands in for packages that are not installed."""

    def find_spec(self, name, path=None, target=None):
        if name.startswith("bfcl_eval"):
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        module = MagicMock(name=spec.name)
        module.__path__ = []
        module.__spec__ = spec
        return module

    def exec_module(self, module):
        pass


import openai  # noqa: E402, F401
import tenacity  # noqa: E402, F401

sys.meta_path.append(Nothing())
overrides = types.ModuleType("overrides")
overrides.final = overrides.override = overrides.EnforceOverrides = lambda method: method
sys.modules["overrides"] = overrides
models = types.ModuleType("bfcl_eval.constants.model_config")
models.MODEL_CONFIG_MAPPING = {model: types.SimpleNamespace(underscore_to_dot=True)}
sys.modules["bfcl_eval.constants.model_config"] = models

from bfcl_eval.constants.enums import Language, ReturnFormat  # noqa: E402
from bfcl_eval.eval_checker.ast_eval.ast_checker import ast_checker  # noqa: E402
from bfcl_eval.model_handler.api_inference.openai_completion import (  # noqa: E402
    OpenAICompletionsHandler,
)
from bfcl_eval.utils import load_dataset_entry, load_ground_truth_entry  # noqa: E402

handler = OpenAICompletionsHandler(model, 0.0, model, True)
answers = {entry["id"]: entry["ground_truth"] for entry in load_ground_truth_entry(category)}
plain = {
    entry["id"]: entry["function"]
    for entry in load_dataset_entry(category, include_language_specific_hint=False)
}
valid = total = 0
for entry in load_dataset_entry(category):
    result, _ = handler.inference(entry, include_input_log=False, exclude_state_log=True)
    try:
        calls = handler.decode_ast(result, ReturnFormat.PYTHON, False)
        score = ast_checker(
            plain[entry["id"]], calls, answers[entry["id"]], Language.PYTHON, category, model
        )
    except Exception as error:  # as BFCL's runner: what cannot be decoded is wrong
        score = {"valid": False, "error_type": f"decoder_failed: {type(error).__name__}"}
    total += 1
    valid += score["valid"]
    line = {"id": entry["id"], "valid": score["valid"], "error": score.get("error_type", "")}
    print(json.dumps({**line, "result": result}), flush=True)
print(f"{category}: {valid} of {total}")
