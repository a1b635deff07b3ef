"""The parts of rxd.toml(5), from `rxd --describe`."""
from .roff import bold, item, literal, options, prose


def key_item(key):
    head = bold(key["key"]) + " = " + options(key["value"]).replace("`", "")
    summary = key["summary"][0].upper() + key["summary"][1:]
    text = summary + ("" if summary.endswith(".") else ".")
    if key["required"]:
        text += " Required."
    elif key.get("default"):
        # The default of a source or an operator is text, that of a table TOML.
        text += f" Default: {key['default']}."
    return item(head, prose(text))


def tables(description):
    result = []
    for table in description["tables"]:
        result += [f".SS {literal(table['table'])}", *prose(table["summary"])]
        for key in table["keys"]:
            result += key_item(key)
    return result


def stream_rows(description, kind):
    result, family = [], None
    for row in description["streams"]:
        if kind not in row:
            continue
        if row.get("family") != family:
            family = row.get("family")
            result.append(f".SS {family}")
        head = bold(row[kind]) + " = " + options(row["value"])
        text = row["summary"]
        if row.get("level"):
            text += " The elements are a current value."
        element = [prose(f"Element: {row['element']}.")] if "element" in row else []
        result += item(head, prose(text), *element)
        if row["keys"]:
            result += [".RS", *(line for key in row["keys"] for line in key_item(key)), ".RE"]
    return result
