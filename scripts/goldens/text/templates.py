"""Writes test/golden/text/templates.json: what Hugging Face renders for test/fixtures/conversations.json,
and test/golden/text/jinja.json: what it makes of the small templates in test/fixtures/jinja.json.

    python scripts/goldens/text/templates.py [folder of further .jinja templates]

Of foreign templates only the length and the sha256 of each prompt are kept, of the demo's own the text too.
"""

import datetime
import hashlib
import json
import sys
from pathlib import Path

from transformers.utils import chat_template_utils

ROOT = Path(__file__).resolve().parents[3]


class FixedClock(datetime.datetime):
    """The clock of the test: 2026-11-21 22:05:09."""

    @classmethod
    def now(cls, tz=None):
        return cls(2026, 11, 21, 22, 5, 9, tzinfo=tz)


def render(template: str, case: dict) -> str:
    """As apply_chat_template(tokenize=False): null keys are dropped first."""
    variables = {key: value for key, value in case.items() if key not in ("name", "messages")}
    messages = [{k: v for k, v in message.items() if v is not None} for message in case["messages"]]
    rendered, _ = chat_template_utils.render_jinja_template(
        [messages], chat_template=template, bos_token="<s>", eos_token="</s>", **variables
    )
    return rendered[0]


def expected(template: str, case: dict, keep_text: bool) -> dict:
    try:
        text = render(template, case)
    except Exception as error:  # a template may refuse a conversation in any way
        return {"error": type(error).__name__}
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return {"length": len(text), "sha256": digest, **({"text": text} if keep_text else {})}


def jinja_results() -> list:
    fixture = json.loads((ROOT / "test/fixtures/jinja.json").read_text("utf-8"))
    results = []
    for template in fixture["templates"]:
        try:
            compiled = chat_template_utils._compile_jinja_template(template)
            results.append(compiled.render(**fixture["variables"]))
        except Exception as error:  # kept as what it is: a refusal
            results.append({"error": type(error).__name__})
    return results


def write_json(path: str, value) -> None:
    (ROOT / path).write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n", "utf-8")


def main() -> None:
    chat_template_utils.datetime = FixedClock
    write_json("test/golden/text/jinja.json", jinja_results())
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT.parent / "shared" / "chat-templates"
    cases = json.loads((ROOT / "test/fixtures/conversations.json").read_text("utf-8"))
    files = [ROOT / "models/demo/chat_template.jinja", *sorted(folder.glob("*.jinja"))]
    golden = {}
    for file in files:
        demo = file == files[0]
        template = file.read_text("utf-8")
        name = "demo" if demo else file.name
        golden[name] = {case["name"]: expected(template, case, demo) for case in cases}
    write_json("test/golden/text/templates.json", golden)
    failed = sum("error" in entry for entries in golden.values() for entry in entries.values())
    print(f"{len(files)} templates, {len(cases)} conversations, {failed} refused by their template")


if __name__ == "__main__":
    main()
