"""A small server on stdio, written with whichever Python SDK is installed: mcp 1, mcp 2 or fastmcp 4."""

import asyncio
import sys

from pydantic import BaseModel


class Name(BaseModel):
    name: str


def make(kind):
    if kind == "fastmcp":
        from fastmcp import Context, FastMCP

        return FastMCP("dual"), Context
    if kind == "mcp2":
        from mcp.server.mcpserver import Context, MCPServer

        return MCPServer("dual"), Context
    from mcp.server.fastmcp import Context, FastMCP

    return FastMCP("dual"), Context


kind = sys.argv[1]
server, Context = make(kind)
cancelled = False


@server.tool()
async def add(a: int, b: int) -> int:
    return a + b


@server.tool()
async def steps(ctx: Context) -> str:
    for step in range(1, 4):
        await ctx.report_progress(step, 3)
        await asyncio.sleep(0.15)
    return "stepped"


@server.tool()
async def wait() -> str:
    global cancelled
    try:
        await asyncio.sleep(20)
    except asyncio.CancelledError:
        cancelled = True
        raise
    return "waited"


@server.tool()
async def was_cancelled() -> str:
    return "yes" if cancelled else "no"


def add_question():
    if kind == "mcp2":
        from typing import Annotated

        from mcp.server.mcpserver import Elicit, Resolve

        async def who() -> Elicit[Name]:
            return Elicit("Who are you?", Name)

        async def ask(answer):
            return f"hello {answer.name}"

        ask.__annotations__ = {"answer": Annotated[Name, Resolve(who)], "return": str}
        server.tool()(ask)
    elif kind == "fastmcp":
        from mcp_types import ElicitRequest, ElicitRequestFormParams, InputRequiredResult

        schema = Name.model_json_schema()

        async def ask(ctx: Context):
            answer = (ctx.input_responses or {}).get("who")
            if answer is not None:
                return f"hello {answer.content['name']}"
            if not ctx._is_modern_protocol():
                return f"hello {(await ctx.elicit('Who are you?', Name)).data.name}"
            form = ElicitRequestFormParams(message="Who are you?", requested_schema=schema)
            return InputRequiredResult(input_requests={"who": ElicitRequest(params=form)})

        server.tool()(ask)
    elif hasattr(Context, "elicit"):

        async def ask(ctx: Context) -> str:
            return f"hello {(await ctx.elicit('Who are you?', Name)).data.name}"

        server.tool()(ask)


add_question()
if kind == "fastmcp":
    server.run(show_banner=False)
else:
    server.run()
