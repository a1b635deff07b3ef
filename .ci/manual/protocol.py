"""The parts of rx-protocol(7), from `rxd --describe`."""
from .roff import bold, italic, item, lines, literal, prose


def kind(schema):
    """The type that a JSON Schema of the protocol describes, as roff."""
    if "$ref" in schema:
        return italic(schema["$ref"].split("/")[-1])
    if "allOf" in schema:
        return kind(schema["allOf"][0])
    if "anyOf" in schema:
        return " or ".join(kind(part) for part in schema["anyOf"])
    if "enum" in schema:
        return ", ".join(bold(word) for word in schema["enum"])
    least, most = schema.get("minimum"), schema.get("maximum")
    match schema.get("type"):
        case None:
            return "any JSON value"
        case "array":
            return "array of " + kind(schema["items"])
        case "object":
            return "object of " + kind(schema["additionalProperties"])
        case "integer" if least is not None and most is not None:
            return f"integer from {least} to {most}"
        case "integer" if least is not None:
            return f"integer, at least {least}"
        case name:
            return name


def head(name, schema, optional):
    return f"{bold(name)} ({kind(schema)}{'' if not optional else '; optional'})"


def record(schema, skip=()):
    result = []
    for name, field in schema["properties"].items():
        if name not in skip:
            result += item(head(name, field, name not in schema["required"]), prose(field["description"]))
    return result


def methods(description):
    result = []
    for method in description["protocol"]["methods"]:
        result += [f".SS {literal(method['name'])}", *prose(method["summary"])]
        for parameter in method["params"]:
            text = head(parameter["name"], parameter["schema"], not parameter["required"])
            result += item(text, prose(parameter["summary"]))
        result += [".PP", *lines(f"Result: {kind(method['result']['schema'])}.")]
        if method["errors"]:
            known = {error["code"]: error["name"] for error in description["errors"]}
            result += lines("Errors: " + ", ".join(bold(known[error["code"]]) for error in method["errors"]) + ".")
    return result


def error_types(description):
    return {error["name"][0].upper() + error["name"][1:]: error for error in description["errors"]}


def errors(description):
    schemas = description["protocol"]["components"]["schemas"]
    result = []
    for name, error in error_types(description).items():
        text = f"{error['meaning'][0].upper()}{error['meaning'][1:]}."
        result += item(f"{bold(error['name'])} ({literal(str(error['code']))})", prose(text))
        facts = record(schemas[name + "Data"], skip=("name",))
        result += [".RS", *facts, ".RE"] if facts else []
    return result


def types(description):
    schemas = description["protocol"]["components"]["schemas"]
    of_errors = {name + end for name in error_types(description) for end in ("Error", "Data")}
    result = []
    for name, schema in schemas.items():
        if name in of_errors:
            continue
        result += [f".SS {name}", *prose(schema["description"])]
        if name == "Error":
            result += [".PP", "See ERRORS."]
        elif "anyOf" in schema:
            result += [".PP", *lines(f"One of: {kind(schema)}.")]
        elif "pattern" in schema:
            result += [".PP", *lines("A string that matches " + bold(schema["pattern"]) + ".")]
        else:
            result += record(schema)
    return result
