"""A server on stdio with one tool that runs only as a task, written with the Python SDK 1.23 or later."""

import anyio
import mcp.types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

server = Server("tasks")
server.experimental.enable_tasks()


@server.list_tools()
async def tools():
    execution = types.ToolExecution(taskSupport="required")
    return [types.Tool(name="research", inputSchema={"type": "object"}, execution=execution)]


@server.call_tool()
async def call(name, arguments):
    async def work(task):
        for step in range(3):
            await task.update_status(f"step {step + 1} of 3")
            await anyio.sleep(0.3)
        return types.CallToolResult(content=[types.TextContent(type="text", text="researched")])

    return await server.request_context.experimental.run_task(work)


async def main():
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


anyio.run(main)
