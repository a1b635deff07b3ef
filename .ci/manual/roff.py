"""Text as roff for man(7). Pages are ASCII, so that every formatter shows them in every locale."""
import re
import textwrap


def escaped(text):
    text = text.replace("\\", "\\e").replace("…", "...").replace("≥", ">=")
    text.encode("ascii")
    return text


def literal(text):
    """Text to be typed: a minus is one in the terminal, too."""
    return escaped(text).replace("-", "\\-").replace("'", "\\(aq")


def bold(text):
    return f"\\fB{literal(text)}\\fR"


def italic(text):
    return f"\\fI{literal(text)}\\fR"


def prose(text):
    """A sentence with `code` and links of Markdown, in lines below 80 bytes."""
    text = re.sub(r"\[([^]]+)\]\([^)]*\)", r"\1", text)
    parts = re.split(r"`([^`]+)`", text)
    marked = "".join(bold(part) if number % 2 else options(part) for number, part in enumerate(parts))
    return lines(marked)


def options(text):
    """Plain text, in which an option such as --each is bold."""
    parts = re.split(r"(?<![\w-])(--?[a-zA-Z][\w-]*)", text)
    return "".join(bold(part) if number % 2 else escaped(part) for number, part in enumerate(parts))


def lines(marked):
    wrapped = textwrap.wrap(marked, 78, break_long_words=False, break_on_hyphens=False)
    # A line that begins with a control character would be a macro.
    return [("\\&" + line if line[0] in ".'" else line) for line in wrapped]


def item(head, *paragraphs):
    """A head, and below it paragraphs."""
    result = [".TP", head]
    for number, paragraph in enumerate([p for p in paragraphs if p]):
        result += ([".IP"] if number else []) + paragraph
    return result


def discussion(text):
    """Paragraphs. An indented line with a number first, as in a list of exit statuses, is an item."""
    result = []
    for paragraph in re.split(r"\n\s*\n", text.strip("\n")):
        plain = []
        for line in paragraph.split("\n"):
            if found := re.fullmatch(r" +(\d+) +(.*)", line):
                result += [".PP", *prose(" ".join(plain))] if plain else []
                plain = []
                result += item(bold(found[1]), prose(found[2][0].upper() + found[2][1:] + "."))
            else:
                plain += line.split()
        result += [".PP", *prose(" ".join(plain))] if plain else []
    return result
