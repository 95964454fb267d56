"""Asks a running `serve` the questions of a category with BFCL's own program, and scores its answers with BFCL's own checkers.

    OPENAI_BASE_URL=http://127.0.0.1:8080/v1 OPENAI_API_KEY=none python3 lab/bfcl/official_harness.py MODEL CATEGORY [COUNT]

CATEGORY: one of Python's, or one of several turns such as multi_turn_base, whose services run in this process. Needs the
packages openai and tenacity, multi_turn_* also mpmath. A line out for each question, {"id", "valid", "error", "result"},
then the share of valid ones.
"""

import json
import sys

import openai  # noqa: F401
import tenacity  # noqa: F401
import wheel

model, category, *count = sys.argv[1:]
wheel.prepare(model)
from bfcl_eval.constants.enums import Language, ReturnFormat  # noqa: E402
from bfcl_eval.eval_checker.ast_eval.ast_checker import ast_checker  # noqa: E402
from bfcl_eval.eval_checker.multi_turn_eval.multi_turn_checker import multi_turn_checker  # noqa: E402
from bfcl_eval.eval_checker.multi_turn_eval.multi_turn_utils import is_empty_execute_response  # noqa: E402
from bfcl_eval.model_handler.api_inference.openai_completion import OpenAICompletionsHandler  # noqa: E402
from bfcl_eval.utils import load_dataset_entry, load_ground_truth_entry  # noqa: E402

handler = OpenAICompletionsHandler(model, 0.0, model, True)
answers = {entry["id"]: entry["ground_truth"] for entry in load_ground_truth_entry(category)}
plain = {entry["id"]: entry for entry in load_dataset_entry(category, include_language_specific_hint=False)}


def score_single(id, result):
    try:
        calls = handler.decode_ast(result, ReturnFormat.PYTHON, False)
    except Exception as error:  # as BFCL's runner: what cannot be decoded is wrong
        return {"valid": False, "error_type": f"decoder_failed: {type(error).__name__}"}
    return ast_checker(plain[id]["function"], calls, answers[id], Language.PYTHON, category, model)


def score_turns(id, result):
    if not isinstance(result, list):
        return {"valid": False, "error_type": "multi_turn:inference_error"}
    if len(result) != len(answers[id]):
        return {"valid": False, "error_type": "multi_turn:force_terminated"}
    turns = [[calls for step in turn if (calls := decoded(step))] for turn in result]
    return multi_turn_checker(turns, answers[id], plain[id], category, model)


def decoded(step):
    """The calls of a reply; None: it has none, or they cannot be read."""
    try:
        calls = handler.decode_execute(step, has_tool_call_tag=False)
    except Exception:
        return None
    return None if is_empty_execute_response(calls) else calls


score = score_turns if category.startswith("multi_turn") else score_single
valid = total = 0
for entry in load_dataset_entry(category)[: int(count[0]) if count else None]:
    result, _ = handler.inference(entry, include_input_log=False, exclude_state_log=True)
    found = score(entry["id"], result)
    total += 1
    valid += found["valid"]
    error = "" if found["valid"] else found.get("error_type", "")
    line = {"id": entry["id"], "valid": found["valid"], "error": error}
    print(json.dumps({**line, "result": result}), flush=True)
print(f"{category}: {valid} of {total}")
