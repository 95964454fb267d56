# Types of JSON Schema for those of BFCL; any other is a string. As src/bench/tools/bfcl/offered-tool.ts has them.
JSON_SCHEMA_TYPES = {
    name: kind
    for kind, names in {
        "integer": ["integer", "byte", "short", "long", "Bigint"],
        "number": ["number", "float", "double"],
        "boolean": ["boolean", "bool"],
        "array": ["array", "list", "tuple", "ArrayList", "Array", "Queue", "Stack"],
        "object": ["object", "dict", "HashMap", "Hashtable"],
    }.items()
    for name in names
}


def tool_of(function):
    """An MCP tool for a function as BFCL describes it."""
    parameters = function["parameters"]
    return {
        "name": function["name"].replace(".", "_"),
        "description": f"{function['description']} Note that the provided function is in Python 3 syntax.",
        "inputSchema": {
            **parameters,
            "type": "object",
            "properties": _mapped(parameters["properties"]),
        },
    }


def _mapped(properties):
    return {name: _json_schema(schema) for name, schema in properties.items()}


def _json_schema(schema):
    named = schema.get("type", "string")
    kind = _type(named)
    result = {**schema, "type": kind}
    if named == "float":
        result["format"] = "float"
        result["description"] = f"{schema.get('description', '')} This is a float type value."
    if kind in ("array", "object"):
        if "properties" in schema:
            result["properties"] = _mapped(schema["properties"])
        elif "items" in schema:
            result["items"] = _item_schema(schema["items"])
    return result


def _item_schema(items):
    kind = _type(items.get("type"))
    if kind == "array" and "items" in items:
        inner = items["items"]
        return {**items, "type": kind, "items": {**inner, "type": _type(inner.get("type"))}}
    if kind == "object" and "properties" in items:
        return {**items, "type": kind, "properties": _mapped(items["properties"])}
    return {**items, "type": kind}


def _type(name):
    return JSON_SCHEMA_TYPES.get(name, "string")
