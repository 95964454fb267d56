"""smolagents from PyPI with tools of its own against a server that has tools, and beside an MCP server of ours.

usage: python agents.py URL KEY NODE MAIN
"""

import sys

from checks import FAILED, check, must
from mcp import StdioServerParameters
from smolagents import OpenAIServerModel, ToolCallingAgent, ToolCollection, tool

URL, KEY, NODE, MAIN = sys.argv[1:]
MODEL = "demo"


@tool
def add_numbers(a: float, b: float) -> float:
    """Adds two numbers.

    Args:
        a: The first number.
        b: The second number.
    """
    return a + b


agent_model = OpenAIServerModel(model_id=MODEL, api_base=f"{URL}/v1", api_key=KEY, max_tokens=120)


def steps(tools: list) -> str:
    """Whether the model answers well is not asked here: each step must reach it and be read back."""
    agent = ToolCallingAgent(tools=tools, model=agent_model, max_steps=2, verbosity_level=0)
    answer = agent.run("What is 17 plus 25?")
    names = {call.name for step in agent.memory.steps for call in getattr(step, "tool_calls", None) or []}
    known = {one.name for one in tools} | {"final_answer"}
    must(names <= known, f"calls of tools that it was not given: {names - known}")
    failed = [step.error for step in agent.memory.steps if type(getattr(step, "error", None)).__name__ == "AgentGenerationError"]
    must(not failed, failed)
    return f"{sorted(names)} {answer}"


@check("smolagents, its own tool beside the server's")
def _():
    return steps([add_numbers])


@check("smolagents, tools of our MCP server beside its own")
def _():
    server = StdioServerParameters(command=NODE, args=[MAIN, "server", "calculator"])
    with ToolCollection.from_mcp(server, trust_remote_code=True, structured_output=False) as collection:
        must({one.name for one in collection.tools} >= {"add", "divide"}, [one.name for one in collection.tools])
        added = next(one for one in collection.tools if one.name == "add")
        must("42" in str(added(a=17, b=25)), added(a=17, b=25))
        return steps([add_numbers, *collection.tools])


sys.exit(1 if FAILED else 0)
