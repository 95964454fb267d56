"""The official openai, anthropic and ollama packages from PyPI against a server; run by scripts/check/program/serve-clients.mjs.

usage: python pypi.py URL KEY
"""

import asyncio
import json
import sys

import anthropic
import ollama
import openai

URL, KEY = sys.argv[1:]
MODEL = "demo"
HEADERS = {"Authorization": f"Bearer {KEY}"}
SUM = [{"role": "user", "content": "What is 17 + 25?"}]
CAPITAL = [{"role": "user", "content": "What is the capital of France?"}]
WEATHER = [{"role": "user", "content": "What is the weather in Paris?"}]
LONG = [{"role": "user", "content": "Tell me a long story about a fox."}]
PARAMETERS = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
FUNCTION = {"name": "get_weather", "description": "Get the weather in a city", "parameters": PARAMETERS}
TOOL = {"type": "function", "function": FUNCTION}
SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string", "maxLength": 20}, "capital": {"type": "boolean"}},
    "required": ["city", "capital"],
    "additionalProperties": False,
}

client = openai.OpenAI(base_url=f"{URL}/v1", api_key=KEY, max_retries=0)
claude = anthropic.Anthropic(base_url=URL, api_key=KEY, max_retries=0)
local = ollama.Client(host=URL, headers=HEADERS)


def shown(name: str, passed: bool, seen: object) -> None:
    print(f"{'ok  ' if passed else 'FAIL'} {name}: {str(seen)[:90]!r}", flush=True)
    if not passed:
        sys.exit(1)


def refused(name: str, kind: type[Exception], status: int, ask) -> None:
    try:
        ask()
    except kind as error:
        shown(name, error.status_code == status, error)
    else:
        shown(name, False, "it was answered")


def city_of(text: str) -> bool:
    return set(json.loads(text)) == {"city", "capital"}


def openai_chat() -> None:
    create = client.chat.completions.create
    reply = create(model=MODEL, messages=CAPITAL)
    shown("openai chat", "Paris" in reply.choices[0].message.content, reply.choices[0].message.content)
    options = {"include_usage": True}
    chunks = list(create(model=MODEL, messages=CAPITAL, stream=True, stream_options=options))
    text = "".join(c.choices[0].delta.content or "" for c in chunks if c.choices)
    shown("openai stream", "Paris" in text and chunks[-1].usage.completion_tokens > 0, text)
    reply = create(model=MODEL, messages=SUM)
    shown("openai, tools of mcp.json", "42" in reply.choices[0].message.content, reply.choices[0].message.content)
    choice = {"type": "function", "function": {"name": "get_weather"}}
    message = create(model=MODEL, messages=WEATHER, tools=[TOOL], tool_choice=choice).choices[0].message
    call = message.tool_calls[0]
    shown("openai, tools of the client", "city" in json.loads(call.function.arguments), call.function)
    result = {"role": "tool", "tool_call_id": call.id, "content": "It is sunny."}
    reply = create(model=MODEL, messages=[*WEATHER, message, result], tools=[TOOL])
    shown("openai, the result of a call", bool(reply.choices[0].message.content), reply.choices[0].message.content)
    shape = {"type": "json_schema", "json_schema": {"name": "city", "schema": SCHEMA, "strict": True}}
    text = create(model=MODEL, messages=CAPITAL, response_format=shape, max_tokens=60).choices[0].message.content
    shown("openai, JSON schema", city_of(text), text)


def openai_rest() -> None:
    responses = client.responses
    shown("openai responses", "Paris" in (text := responses.create(model=MODEL, input=CAPITAL).output_text), text)
    with responses.stream(model=MODEL, input="What is 17 + 25?") as stream:
        events = [event.type for event in stream]
        text = stream.get_final_response().output_text
    shown("openai responses, stream", "42" in text and events[-1] == "response.completed", text)
    stream = client.chat.completions.create(model=MODEL, messages=LONG, stream=True)
    next(iter(stream))
    stream.close()
    again = client.chat.completions.create(model=MODEL, messages=CAPITAL).choices[0].message.content
    shown("openai, abort, then another", "Paris" in again, again)
    ask = client.chat.completions.create
    refused("openai, wrong model", openai.NotFoundError, 404, lambda: ask(model="gpt-4o", messages=SUM))
    wrong = openai.OpenAI(base_url=f"{URL}/v1", api_key="wrong", max_retries=0)
    refused("openai, wrong key", openai.AuthenticationError, 401, lambda: wrong.models.list())
    shown("openai, models", [one.id for one in client.models.list()] == [MODEL], "listed")


async def openai_async() -> None:
    async with openai.AsyncOpenAI(base_url=f"{URL}/v1", api_key=KEY, max_retries=0) as client:
        reply = await client.chat.completions.create(model=MODEL, messages=CAPITAL)
        shown("openai, async", "Paris" in reply.choices[0].message.content, reply.choices[0].message.content)


def anthropic_messages() -> None:
    base = {"model": MODEL, "max_tokens": 60}
    create = claude.messages.create
    text = create(**base, messages=CAPITAL, system="Answer in one sentence.").content[0].text
    shown("anthropic messages", "Paris" in text, text)
    with claude.messages.stream(**base, messages=CAPITAL) as stream:
        text = "".join(stream.text_stream)
        usage = stream.get_final_message().usage
    shown("anthropic stream", "Paris" in text and usage.cache_read_input_tokens > 0, text)
    text = create(**base, messages=SUM).content[0].text
    shown("anthropic, tools of mcp.json", "42" in text, text)
    tool = {"name": "get_weather", "description": "Get the weather in a city", "input_schema": PARAMETERS}
    counted = claude.messages.count_tokens(model=MODEL, messages=WEATHER, tools=[tool]).input_tokens
    choice = {"type": "tool", "name": "get_weather"}
    reply = create(**base, messages=WEATHER, tools=[tool], tool_choice=choice)
    call = reply.content[-1]
    shown("anthropic, tools of the client", reply.stop_reason == "tool_use" and "city" in call.input, call.input)
    result = [{"type": "tool_result", "tool_use_id": call.id, "content": "No such city.", "is_error": True}]
    turns = [*WEATHER, {"role": "assistant", "content": reply.content}, {"role": "user", "content": result}]
    text = create(**base, messages=turns, tools=[tool]).content[0].text
    shown("anthropic, the error of a call", text != "" and counted > 0, text)
    shape = {"format": {"type": "json_schema", "schema": SCHEMA}}
    text = create(**base, messages=CAPITAL, extra_body={"output_config": shape}).content[0].text
    shown("anthropic, JSON schema", city_of(text), text)


def anthropic_rest() -> None:
    stream = claude.messages.create(model=MODEL, max_tokens=500, messages=LONG, stream=True)
    next(iter(stream))
    stream.close()
    ask = claude.messages.create
    text = ask(model=MODEL, max_tokens=60, messages=CAPITAL).content[0].text
    shown("anthropic, abort, then another", "Paris" in text, text)
    wanted = {"max_tokens": 60, "messages": SUM}
    refused("anthropic, wrong model", anthropic.NotFoundError, 404, lambda: ask(model="claude-opus-4-6", **wanted))
    wrong = anthropic.Anthropic(base_url=URL, api_key="wrong", max_retries=0)
    refused("anthropic, wrong key", anthropic.AuthenticationError, 401, lambda: wrong.models.list())
    shown("anthropic, models", [one.id for one in claude.models.list()] == [MODEL], "listed")


def get_weather(city: str) -> str:
    """Get the weather in a city.

    Args:
      city: Name of the city.
    """
    return f"It is sunny in {city}."


def ollama_chat() -> None:
    message = local.chat(model=MODEL, messages=CAPITAL).message
    shown("ollama chat", "Paris" in message.content, message.content)
    text = "".join(part.message.content for part in local.chat(model=MODEL, messages=CAPITAL, stream=True))
    shown("ollama stream", "Paris" in text, text)
    text = local.chat(model=MODEL, messages=SUM).message.content
    shown("ollama, tools of mcp.json", "42" in text, text)
    calls = local.chat(model=MODEL, messages=WEATHER, tools=[get_weather]).message.tool_calls
    shown("ollama, tools of the client", calls[0].function.arguments["city"] == "Paris", calls[0].function)
    text = local.chat(model=MODEL, messages=CAPITAL, format=SCHEMA, options={"num_predict": 60}).message.content
    shown("ollama, JSON schema", city_of(text), text)
    text = local.generate(model=MODEL, prompt="What is the capital of France?").response
    shown("ollama generate", "Paris" in text, text)


def ollama_rest() -> None:
    for _ in (stream := local.chat(model=MODEL, messages=LONG, stream=True)):
        break
    stream.close()
    again = local.chat(model=MODEL, messages=CAPITAL).message.content
    shown("ollama, abort, then another", "Paris" in again, again)
    names = [one.model for one in local.list().models]
    shown("ollama list, show, ps", names == [MODEL] == [one.model for one in local.ps().models], names)
    shown("ollama show", "tools" in (able := local.show(MODEL).capabilities), able)
    ask = local.chat
    refused("ollama, wrong model", ollama.ResponseError, 404, lambda: ask(model="qwen2:7b", messages=SUM))
    wrong = ollama.Client(host=URL, headers={"Authorization": "Bearer wrong"})
    refused("ollama, wrong key", ollama.ResponseError, 401, wrong.list)


openai_chat()
openai_rest()
asyncio.run(openai_async())
anthropic_messages()
anthropic_rest()
ollama_chat()
ollama_rest()
