"""The bundled tools, a one-line notation for defining others, and the chat template."""

import json
import re
from pathlib import Path

from jinja2.sandbox import ImmutableSandboxedEnvironment

DEMO = Path(__file__).resolve().parents[2] / "models" / "demo"

_env = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)
_env.filters["tojson"] = lambda x, **_: json.dumps(x, ensure_ascii=False)
_template = _env.from_string((DEMO / "chat_template.jinja").read_text(encoding="utf-8"))


def render(messages, tools, generate=False) -> str:
    return _template.render(messages=messages, tools=tools, add_generation_prompt=generate)


def define(line: str) -> dict:
    """`name(a: number, unit?: "c"|"f", tags: string[]) - Description.` becomes an OpenAI-style tool."""
    name, args, description = re.fullmatch(r"(\w+)\((.*?)\) - (.+)", line.strip()).groups()
    properties, required = {}, []
    for arg in filter(None, (a.strip() for a in args.split(", "))):
        key, kind = arg.split(": ", 1)
        if key.endswith("?"):
            key = key[:-1]
        else:
            required.append(key)
        if kind.startswith('"'):
            properties[key] = {"type": "string", "enum": [json.loads(v) for v in kind.split("|")]}
        elif kind.endswith("[]"):
            properties[key] = {"type": "array", "items": {"type": kind[:-2]}}
        else:
            properties[key] = {"type": kind}
    parameters = {"type": "object", "properties": properties}
    if required:
        parameters["required"] = required
    return {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}


CALCULATOR = [define(l) for l in """
add(a: number, b: number) - Add two numbers.
subtract(a: number, b: number) - Subtract b from a.
multiply(a: number, b: number) - Multiply two numbers.
divide(a: number, b: number) - Divide a by b.
power(base: number, exponent: number) - Raise base to the power of exponent.
square_root(number: number) - Square root of a number.
""".strip().splitlines()]
FILES = [define(l) for l in """
list_files(directory?: string) - List the files in a directory.
read_file(filename: string, directory?: string) - Read a text file.
write_file(filename: string, content: string, directory?: string) - Write text to a file.
delete_file(filename: string, directory?: string) - Delete a file.
""".strip().splitlines()]
BUNDLED = CALCULATOR + FILES
