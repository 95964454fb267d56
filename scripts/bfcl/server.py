import json

from calls import Player, call_text
from schemas import tool_of

PARSE_ERROR, INVALID_REQUEST, UNKNOWN_METHOD, INVALID_PARAMS = -32700, -32600, -32601, -32602


class Fault(Exception):
    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


def serve(benchmark, case_id, class_name, lines, out):
    """Answers JSON-RPC messages, one a line, until there are no more."""
    server = Server(benchmark, case_id, class_name)
    for line in lines:
        answer = server.answer(line)
        if answer is not None:
            print(json.dumps(answer), file=out, flush=True)


class Server:
    """MCP for one class of a case: its functions are the tools."""

    def __init__(self, benchmark, case_id, class_name):
        self._name = class_name
        self._tools = [tool_of(function) for function in benchmark.functions(class_name)]
        instances = {class_name: benchmark.instance(case_id, class_name)}
        self._player = Player(instances, f"model_{case_id}")
        self._methods = {
            "initialize": self._initialize,
            "ping": lambda params: {},
            "tools/list": lambda params: {"tools": self._tools},
            "tools/call": self._call,
        }

    def answer(self, line):
        """None for a message that needs none."""
        message_id = None
        try:
            message = _read(line)
            message_id = message.get("id")
            if message_id is None:
                return None
            result = self._run(message)
        except Fault as fault:
            error = {"code": fault.code, "message": str(fault)}
            return {"jsonrpc": "2.0", "id": message_id, "error": error}
        return {"jsonrpc": "2.0", "id": message_id, "result": result}

    def _run(self, message):
        method, params = message.get("method"), message.get("params", {})
        if method not in self._methods:
            raise Fault(UNKNOWN_METHOD, f"there is no method {method}")
        if not isinstance(params, dict):
            raise Fault(INVALID_PARAMS, "params must be an object")
        return self._methods[method](params)

    def _initialize(self, params):
        return {
            "protocolVersion": params.get("protocolVersion", "2025-06-18"),
            "capabilities": {"tools": {}},
            "serverInfo": {"name": self._name, "version": "1"},
        }

    def _call(self, params):
        name, arguments = params.get("name"), params.get("arguments", {})
        if not any(tool["name"] == name for tool in self._tools):
            raise Fault(INVALID_PARAMS, f"there is no tool {name}")
        if not isinstance(arguments, dict):
            raise Fault(INVALID_PARAMS, "arguments must be an object")
        # Errors too are plain text, as BFCL shows them to a model.
        return {"content": [{"type": "text", "text": self._player.run(call_text(name, arguments))}]}


def _read(line):
    try:
        message = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise Fault(PARSE_ERROR, f"this is no JSON: {error}") from error
    if not isinstance(message, dict):
        raise Fault(INVALID_REQUEST, "a message must be an object")
    return message
