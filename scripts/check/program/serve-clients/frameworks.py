"""Frameworks from PyPI against a server with the demo and an embedding model; run by scripts/check/program/serve-clients.mjs.

usage: python frameworks.py URL KEY EMBEDDING_MODEL
"""

import json
import os
import sys
import tempfile

URL, KEY, EMBEDDER = sys.argv[1:]
CACHE = tempfile.TemporaryDirectory()
os.environ.update(LITELLM_LOCAL_MODEL_COST_MAP="True", DSPY_CACHEDIR=CACHE.name)

import dspy
import instructor
import litellm
import openai
from checks import FAILED, check, must
from instructor.core import InstructorRetryException
from langchain_ollama import OllamaEmbeddings
from langchain_openai import ChatOpenAI, OpenAIEmbeddings
from pydantic import BaseModel, Field

MODEL = "demo"
QUESTION = "What is the capital of France?"
CAPITAL = [{"role": "user", "content": QUESTION}]


class City(BaseModel):
    city: str = Field(max_length=20)
    capital: bool


# langchain
chat = ChatOpenAI(model=MODEL, base_url=f"{URL}/v1", api_key=KEY, max_retries=0, max_tokens=80)


@check("langchain, chat")
def _():
    text = chat.invoke(QUESTION).content
    return must("Paris" in text, text)


@check("langchain, stream")
def _():
    text = "".join(chunk.content for chunk in chat.stream(QUESTION))
    return must("Paris" in text, text)


@check("langchain, structured output")
def _():
    seen = chat.with_structured_output(City, method="json_schema").invoke(QUESTION)
    return must(isinstance(seen, City), seen)


def nearest(vectors: list[list[float]]) -> bool:
    same, other = (sum(a * b for a, b in zip(vectors[0], vector, strict=True)) for vector in vectors[1:])
    return same > other and len(vectors[0]) > 0


TEXTS = ["a cat sits on the mat", "a cat sits on the mat", "trains run every hour"]


# By default it would send ids of OpenAI's own tokenizer, which mean nothing to another model.
@check("langchain, embeddings of OpenAI's API")
def _():
    embeddings = OpenAIEmbeddings(
        model=EMBEDDER, base_url=f"{URL}/v1", api_key=KEY, max_retries=0, check_embedding_ctx_length=False
    )
    vectors = embeddings.embed_documents(TEXTS)
    return must(nearest(vectors) and len(embeddings.embed_query(TEXTS[0])) == len(vectors[0]), len(vectors[0]))


@check("langchain, embeddings of Ollama's API")
def _():
    headers = {"headers": {"Authorization": f"Bearer {KEY}"}}
    vectors = OllamaEmbeddings(model=EMBEDDER, base_url=URL, client_kwargs=headers).embed_documents(TEXTS)
    return must(nearest(vectors), len(vectors[0]))


# litellm, each API
ROUTES = {
    "openai": {"model": f"openai/{MODEL}", "api_base": f"{URL}/v1"},
    "anthropic": {"model": f"anthropic/{MODEL}", "api_base": URL},
    "ollama": {"model": f"ollama_chat/{MODEL}", "api_base": URL},
}
WEATHER = {
    "name": "get_weather",
    "description": "Get the weather in a city",
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
}
for api, route in ROUTES.items():
    asked = {**route, "api_key": KEY, "max_tokens": 80, "num_retries": 0}

    @check(f"litellm, {api}")
    def _():
        text = litellm.completion(messages=CAPITAL, **asked).choices[0].message.content
        return must("Paris" in text, text)

    @check(f"litellm, {api}, stream")
    def _():
        parts = litellm.completion(messages=CAPITAL, stream=True, **asked)
        text = "".join(part.choices[0].delta.content or "" for part in parts)
        return must("Paris" in text, text)

    @check(f"litellm, {api}, tools")
    def _():
        messages = [{"role": "user", "content": "What is the weather in Paris?"}]
        tools = [{"type": "function", "function": WEATHER}]
        message = litellm.completion(messages=messages, tools=tools, **asked).choices[0].message
        calls = message.tool_calls or []
        must([call.function.name for call in calls] == ["get_weather"], message)
        result = {"role": "tool", "tool_call_id": calls[0].id, "name": "get_weather", "content": "It is sunny."}
        answer = litellm.completion(messages=[*messages, message.model_dump(), result], tools=tools, **asked)
        return must(bool(answer.choices[0].message.content), answer)


@check("litellm, embeddings")
def _():
    data = litellm.embedding(model=f"openai/{EMBEDDER}", input=TEXTS, api_base=f"{URL}/v1", api_key=KEY).data
    return must(nearest([one["embedding"] for one in data]), len(data))


# dspy asks for a schema only where litellm knows that the model can follow one.
KNOWN = {"litellm_provider": "openai", "mode": "chat", "supports_response_schema": True, "max_tokens": 2048}
litellm.register_model({f"openai/{MODEL}": {**KNOWN, "input_cost_per_token": 0, "output_cost_per_token": 0}})
lm = dspy.LM(f"openai/{MODEL}", api_base=f"{URL}/v1", api_key=KEY, max_tokens=200, cache=False, num_retries=0)


@check("dspy, a language model")
def _():
    text = str(lm(QUESTION)[0])
    return must("Paris" in text, text)


@check("dspy, a signature with its JSON adapter")
def _():
    known = lm.copy(engine="litellm")
    with dspy.context(lm=known, adapter=dspy.JSONAdapter()):
        seen = dspy.Predict("question -> answer: str, certain: bool")(question=QUESTION)
    return must(isinstance(seen.certain, bool) and isinstance(seen.answer, str), seen)


# instructor
client = openai.OpenAI(base_url=f"{URL}/v1", api_key=KEY, max_retries=0)
for mode in ("JSON_SCHEMA", "TOOLS", "TOOLS_STRICT"):

    @check(f"instructor, {mode}")
    def _():
        seen = instructor.from_openai(client, mode=instructor.Mode[mode]).chat.completions.create(
            model=MODEL, messages=CAPITAL, response_model=City, max_tokens=120, max_retries=1
        )
        return must(isinstance(seen, City), seen)


# The schema stands in the prompt alone: what a small model makes of it is an answer of the server too.
for mode, is_answer in (("JSON", lambda text: isinstance(json.loads(text), dict)), ("MD_JSON", lambda text: text != "")):

    @check(f"instructor, {mode}")
    def _():
        create = instructor.from_openai(client, mode=instructor.Mode[mode]).chat.completions.create
        try:
            return create(model=MODEL, messages=CAPITAL, response_model=City, max_tokens=120, max_retries=0)
        except InstructorRetryException as error:
            seen = error.last_completion.choices[0].message.content
            return must(is_answer(seen), seen)


sys.exit(1 if FAILED else 0)
