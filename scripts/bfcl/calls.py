import ast
import inspect
import json
import re

# BFCL refuses calls of these names, whatever they are.
FORBIDDEN = {"kill", "exit", "quit", "remove", "unlink", "popen", "Popen", "run"}
NAME_BEFORE_BRACKET = re.compile(r"\b([a-zA-Z_]\w*)\s*(?=\()")


def call_text(name, arguments):
    """A call in the words of BFCL, which writes one as Python and then runs that."""
    return f"{name}({','.join(f'{key}={value!r}' for key, value in arguments.items())})"


class Player:
    """Runs calls on the instances of a case as BFCL does, but reads them without running what they say as Python."""

    def __init__(self, instances, who):
        """who: whose instances they are; it is part of their names."""
        self.instances = instances
        self._by_name = {re.sub(r"[-./:]", "_", f"{who}_{name}_instance"): name for name in instances}
        # Where two classes have a method of the same name, that of the last one counts.
        self._owners = {
            method: owner
            for owner, name in self._by_name.items()
            for method, _ in inspect.getmembers(instances[name], predicate=inspect.ismethod)
            if not method.startswith("_")
        }

    def run(self, text):
        """The text of the result."""
        try:
            return _result_text(self._run(NAME_BEFORE_BRACKET.sub(self._qualified, text)))
        except Exception as error:
            return f"Error during execution: {error}"

    def _qualified(self, match):
        """BFCL puts the name of an instance before each name of a method and drops spaces, inside of texts too."""
        name = match.group(1)
        return f"{self._owners[name]}.{name}" if name in self._owners else name

    def _run(self, text):
        name = text.split("(")[0]
        if "." in name:
            name = name.split(".")[1]
        if name in FORBIDDEN:
            raise Exception(f"Function call {name} is not allowed.")
        call = ast.parse(text, "<string>", "eval").body
        if not isinstance(call, ast.Call):
            raise ValueError("this is no call")
        method = self._method(call.func)
        positional = [ast.literal_eval(argument) for argument in call.args]
        named = {keyword.arg: ast.literal_eval(keyword.value) for keyword in call.keywords}
        return method(*positional, **named)

    def _method(self, node):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            owner, name = node.value.id, node.attr
            if self._owners.get(name) == owner:
                return getattr(self.instances[self._by_name[owner]], name)
        while isinstance(node, ast.Attribute):
            node = node.value
        raise NameError(f"name '{ast.unparse(node)}' is not defined")


def _result_text(result):
    if type(result) is str:
        return result
    if type(result) is dict:
        try:
            return json.dumps(result)
        except Exception:
            return str(result)
    return str(result)
