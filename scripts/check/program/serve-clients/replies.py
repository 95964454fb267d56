"""What a server answers, read strictly by the types of the official openai and anthropic packages from PyPI; run by
scripts/check/program/serve-clients.mjs.

usage: python replies.py URL KEY

The packages themselves build their objects without looking; here every value must have its declared type, and no field may be there that
the type does not know, but those named here.
"""

import json
import sys
import urllib.request

import anthropic.types as claude
import openai.types as oai
from checks import FAILED, check, must
from openai.types import chat, responses
from pydantic import BaseModel, TypeAdapter

URL, KEY = sys.argv[1:]
MODEL = "demo"
WANTED = 30
# What the API has (or the types from npm) and those from PyPI leave out; what this program says of a model beside it.
BESIDE = {
    "Response": {"store"},
    "ResponseFunctionCallArgumentsDoneEvent": {"name"},
    "Model": {"context_length", "thinking"},
}
CAPITAL = [{"role": "user", "content": "What is the capital of France?"}]
WEATHER = [{"role": "user", "content": "What is the weather in Paris?"}]
PARAMETERS = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
FUNCTION = {"name": "get_weather", "description": "Get the weather in a city", "parameters": PARAMETERS}
CLIENT_TOOL = {"name": "get_weather", "description": "Get the weather in a city", "input_schema": PARAMETERS}


def ask(path: str, body: dict | None = None) -> str:
    headers = {"Authorization": f"Bearer {KEY}", "Content-Type": "application/json"}
    data = None if body is None else json.dumps({"model": MODEL, **body}).encode()
    with urllib.request.urlopen(urllib.request.Request(f"{URL}/v1/{path}", data, headers)) as response:
        return response.read().decode()


def events(path: str, body: dict) -> list[str]:
    """The data of a stream's events; the packages pass over a ping."""
    lines = ask(path, {**body, "stream": True}).splitlines()
    return [line[6:] for line in lines if line.startswith("data: {") and json.loads(line[6:]).get("type") != "ping"]


def fields_of(value: object, path: str = "") -> set[str]:
    """The paths of all fields that an answer has, those of lists once."""
    if isinstance(value, list):
        return set().union(*(fields_of(one, path) for one in value))
    if not isinstance(value, BaseModel):
        return {path}
    here = type(value).__name__
    unknown = set(value.model_extra or {}) - BESIDE.get(here, set())
    must(not unknown, f"{here} has no {sorted(unknown)}")
    return set().union(*(fields_of(getattr(value, name), f"{here}.{name}") for name in value.model_fields_set))


def read(kind: object, answers: list[str]) -> set[str]:
    adapter = TypeAdapter(kind)
    return set().union(*(fields_of(adapter.validate_json(answer, strict=True)) for answer in answers))


def told(fields: set[str]) -> str:
    must(len(fields) >= WANTED, sorted(fields))
    return f"{len(fields)} fields"


@check("openai chat, the types of PyPI")
def _():
    body = {"messages": CAPITAL, "logprobs": True, "top_logprobs": 2, "max_tokens": 40}
    choice = {"type": "function", "function": {"name": "get_weather"}}
    call = {"messages": WEATHER, "tools": [{"type": "function", "function": FUNCTION}], "tool_choice": choice}
    whole = [ask("chat/completions", one) for one in (body, call)]
    options = {"stream_options": {"include_usage": True}}
    chunks = [chunk for one in (body, call) for chunk in events("chat/completions", {**one, **options})]
    return told(read(chat.ChatCompletion, whole) | read(chat.ChatCompletionChunk, chunks))


@check("openai responses, the types of PyPI")
def _():
    body = {"input": CAPITAL, "top_logprobs": 2, "include": ["message.output_text.logprobs"]}
    tool = {"type": "function", "strict": False, **FUNCTION}
    choice = {"type": "function", "name": "get_weather"}
    call = {"input": WEATHER, "tools": [tool], "tool_choice": choice}
    whole = [ask("responses", one) for one in (body, call)]
    streamed = [event for one in (body, call) for event in events("responses", one)]
    return told(read(responses.Response, whole) | read(responses.ResponseStreamEvent, streamed))


@check("openai completions and models, the types of PyPI")
def _():
    text = ask("completions", {"prompt": "Once upon", "max_tokens": 4, "logprobs": 1})
    fields = read(oai.Completion, [text]) | read(list[oai.Model], [json.dumps(json.loads(ask("models"))["data"])])
    return f"{len(fields)} fields"


@check("anthropic messages, the types of PyPI")
def _():
    body = {"messages": CAPITAL, "max_tokens": 40}
    choice = {"type": "tool", "name": "get_weather"}
    call = {"messages": WEATHER, "max_tokens": 60, "tools": [CLIENT_TOOL], "tool_choice": choice}
    whole = [ask("messages", one) for one in (body, call)]
    streamed = [event for one in (body, call) for event in events("messages", one)]
    counted = ask("messages/count_tokens", {"messages": CAPITAL})
    fields = read(claude.Message, whole) | read(claude.RawMessageStreamEvent, streamed)
    return told(fields | read(claude.MessageTokensCount, [counted]))


sys.exit(1 if FAILED else 0)
