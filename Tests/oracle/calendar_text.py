"""Decides whether a local time matches a calendar expression, by the grammar of systemd.time(7) and without RxTime."""

import re

DAYS = "mon tue wed thu fri sat sun".split()
NUMBER = r"\d+(?:\.\d+)?"
YEAR = re.compile(r"(?<![\d/])\d\d(?!\d)")
ELEMENT = re.compile(rf"({NUMBER})(?:\.\.({NUMBER}))?(?:/({NUMBER}))?")


def matches(text, local, microsecond):
    """If a local time without a zone matches an expression without a zone. False also for what is not decided here:
    words such as `daily`, and repetitions of days from the end of a month."""
    weekdays, date, time = "", "", "00:00"
    for part in text.split():
        if ":" in part:
            time = part
        elif re.match(r"[*\d]", part):
            date = part
        else:
            weekdays = part
    hour, minute, second = (time.split(":") + ["0"])[:3]
    return (is_weekday(weekdays, local.weekday()) and is_date(date or "*-*-*", local)
            and has(hour, local.hour) and has(minute, local.minute)
            and has(second, local.second * 1_000_000 + microsecond, 1_000_000))


def is_weekday(text, number):
    for part in filter(None, text.lower().split(",")):
        names = [day[:3] for day in part.split("..")]
        if any(name not in DAYS for name in names):
            return False
        if DAYS.index(names[0]) <= number <= DAYS.index(names[-1]):
            return True
    return not text


def is_date(text, local):
    head, mark, day = re.fullmatch(r"(.*)([-~])(.*)", text).groups()
    year, month = head.split("-") if "-" in head else ("*", head)
    if mark == "~" and "/" in day:
        return False
    length = next(n for n in (31, 30, 29, 28) if is_length(local, n))
    number = local.day if mark == "-" else length + 1 - local.day
    return has(YEAR.sub(full_year, year), local.year) and has(month, local.month) and has(day, number)


def full_year(found):
    """Two digits mean 1970 to 2069."""
    return str(int(found[0]) + (2000 if int(found[0]) < 70 else 1900))


def is_length(local, days):
    try:
        local.replace(day=days)
    except ValueError:
        return False
    return True


def has(text, value, unit=1):
    """If a value is in a list of values, ranges, and repetitions, each `unit` times what the text has."""
    if text == "*":
        return unit == 1 or value % unit == 0
    for part in text.split(","):
        start, stop, step = (found and round(float(found) * unit) for found in ELEMENT.fullmatch(part).groups())
        if value == start:
            return True
        within = start < value <= stop if stop is not None else step is not None and start < value
        if within and (value - start) % (step or unit) == 0:
            return True
    return False
