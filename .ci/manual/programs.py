"""The parts of rxctl(1) and rxd(8), from what `--experimental-dump-help` prints of an argument parser."""
from .roff import bold, discussion, italic, item, prose


def names(argument):
    dashes = {"short": "-", "long": "--", "longWithSingleDash": "-"}
    return sorted((dashes[name["kind"]] + name["name"] for name in argument.get("names", [])), key=len)


def argument_item(argument):
    if argument["kind"] == "positional":
        head = italic(argument["valueName"])
    else:
        head = ", ".join(bold(name) for name in names(argument))
        if argument["kind"] == "option":
            head += " " + italic(argument["valueName"])
    text = argument.get("abstract", "")
    if argument.get("defaultValue"):
        text += f" Default: `{argument['defaultValue']}`."
    further = " ".join(argument.get("discussion", "").split())
    return item(head, prose(f"{text} {further}"))


def shown(arguments):
    return [argument for argument in arguments if argument["shouldDisplay"]]


def synopsis(command):
    words = [bold("rxctl"), bold(command["commandName"])]
    own = shown(command.get("arguments", []))
    if any(argument["kind"] != "positional" for argument in own):
        words.append("[" + italic("options") + "]")
    for argument in own:
        if argument["kind"] == "positional":
            word = italic(argument["valueName"]) + (" ..." if argument["isRepeating"] else "")
            words.append(f"[{word}]" if argument["isOptional"] else word)
    return " ".join(words)


def commands(root):
    """All commands with the options that are theirs alone."""
    shared = {name for argument in root["arguments"] for name in names(argument)}
    result = []
    for command in shown(root["subcommands"]):
        result += [f".SS {command['commandName']}", synopsis(command)]
        result += [".PP", *prose(command.get("abstract", "Shows the help of a command."))]
        result += discussion(command["discussion"]) if command.get("discussion") else []
        for argument in shown(command.get("arguments", [])):
            if not shared.intersection(names(argument)):
                result += argument_item(argument)
    return result


def exit_statuses(root):
    """The table in the help of rxctl."""
    paragraph = root["discussion"].split("Exit status:\n")[1]
    return discussion(paragraph)


def options(root):
    """The options of a program, in the groups of its help."""
    result, section = [], None
    for argument in shown(root["arguments"]):
        if argument.get("sectionTitle") != section and argument.get("sectionTitle"):
            section = argument["sectionTitle"]
            result.append(f".SS {section}")
        elif section and not argument.get("sectionTitle"):
            section = None
            result.append(".SS Other options")
        result += argument_item(argument)
    return result
