"""Writes BFCL's single-turn questions as a folder for `llm-host bench --tools`.

    python3 lab/bfcl/folders.py FOLDER [CATEGORY...]

A file for each category. Tools are worded as BFCL's own program words them for models of the OpenAI API. In Java and
JavaScript any call counts, since their values are the text of literals, which only score.py's checker reads.
"""

import json
import sys
from pathlib import Path

import wheel

wheel.prepare()
from bfcl_eval.constants.enums import ModelStyle  # noqa: E402
from bfcl_eval.constants.type_mappings import GORILLA_TO_OPENAPI  # noqa: E402
from bfcl_eval.model_handler.utils import convert_to_tool  # noqa: E402
from bfcl_eval.utils import load_dataset_entry, load_ground_truth_entry  # noqa: E402


def calls_of(category, answers, id, tools):
    """What counts as right, in the form of docs/tool-benchmark.md; answers with arguments that a tool lacks go without."""
    if "irrelevance" in category:
        return []
    if category in ("live_relevance", "simple_java", "simple_javascript"):
        return "any"
    known = {tool["function"]["name"]: tool["function"]["parameters"]["properties"] for tool in tools}
    calls = [(name.replace(".", "_"), arguments) for call in answers[id] for name, arguments in call.items()]
    return [
        {"name": name, "arguments": {key: value for key, value in arguments.items() if key in known[name]}}
        for name, arguments in calls
    ]


def lines(category):
    judged = "relevance" not in category
    answers = {e["id"]: e["ground_truth"] for e in load_ground_truth_entry(category)} if judged else {}
    for entry in load_dataset_entry(category):
        tools = convert_to_tool(entry["function"], GORILLA_TO_OPENAPI, ModelStyle.OPENAI_COMPLETIONS)
        yield {
            "id": entry["id"],
            "question": [{"role": m["role"], "content": m["content"]} for m in entry["question"][0]],
            "tools": tools,
            "calls": calls_of(category, answers, entry["id"], tools),
        }


folder, *categories = sys.argv[1:] or sys.exit(__doc__)
Path(folder).mkdir(parents=True, exist_ok=True)
for category in categories or wheel.SINGLE_TURN:
    text = "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines(category))
    (Path(folder) / f"{category}.jsonl").write_text(text, encoding="utf-8")
    print(f"{category}: {text.count(chr(10))} questions")
