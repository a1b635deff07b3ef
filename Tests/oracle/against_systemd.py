"""Calendar expressions, compared with `systemd-analyze calendar`."""

import os
import re
import subprocess
from datetime import datetime, timezone
from zoneinfo import ZoneInfo, available_timezones

import calendar_text
import contract

SLOTS = 12
END = datetime(2199, 12, 30, tzinfo=timezone.utc).timestamp()
DAYS = "Mon Tue Wed Thu Fri Sat Sun".split()
LONG = "monday tuesday wednesday thursday friday saturday sunday".split()
WORDS = "minutely hourly daily monthly weekly yearly annually quarterly semiannually".split()


def weekdays(dice):
    def day(number):
        return dice.choice([DAYS, LONG])[number]

    parts = []
    for _ in range(dice.choice([1, 1, 2, 3])):
        first = dice.randint(0, 6)
        parts.append(f"{day(first)}..{day(dice.randint(first, 6))}" if dice.random() < 0.4 else day(first))
    return ",".join(parts)


def component(dice, low, high, star):
    """A list of values, ranges, and repetitions; rarely one that goes beyond the bounds, which must be rejected."""
    if dice.random() < star:
        return "*"
    parts = []
    for _ in range(dice.choice([1, 1, 1, 2, 3])):
        first = dice.randint(low, high + (dice.random() < 0.01))
        kind = dice.random()
        text = dice.choice([f"{first}", f"{first:02}"])
        if kind > 0.5:
            text += f"..{dice.randint(first - (dice.random() < 0.03), max(first, high))}" if kind < 0.75 else ""
            text += f"/{dice.randint(1, max(1, high - first))}" if kind > 0.6 else ""
        parts.append(text)
    return ",".join(parts)


def seconds(dice):
    if dice.random() < 0.7:
        return component(dice, 0, 59, 0.1)
    first = f"{dice.randint(0, 29)}.{dice.randint(0, 999_999)}"
    return first + dice.choice(["", f"/{dice.randint(1, 29)}.{dice.randint(0, 9999)}", f"..{dice.randint(31, 59)}.5"])


def date(dice):
    mark = dice.choice("---~")
    day = component(dice, 1, 31 if mark == "-" else 28, 0.5)
    month = component(dice, 1, 12, 0.6)
    if dice.random() < 0.3:
        return f"{month}{mark}{day}"
    year = dice.choice(["*", "*", "*", component(dice, 2020, 2060, 0), f"{dice.randint(20, 60)}"])
    return f"{year}-{month}{mark}{day}"


def time(dice):
    text = component(dice, 0, 23, 0.3) + ":" + component(dice, 0, 59, 0.3)
    return text + (":" + seconds(dice) if dice.random() < 0.5 else "")


def expression(dice, zones):
    if dice.random() < 0.05:
        text = dice.choice(WORDS)
    else:
        parts = []
        if dice.random() < 0.3:
            parts.append(weekdays(dice))
        if dice.random() < 0.6:
            parts.append(date(dice))
        if dice.random() < 0.8 or not parts:
            parts.append(time(dice))
        text = " ".join(parts)
    zone = None
    if dice.random() < 0.2:
        zone = dice.choice(["UTC", dice.choice(zones)])
        text += " " + zone
    return text, zone


class Rejected(Exception):
    """systemd does not accept an expression."""


def theirs(text, zone, start, count=SLOTS):
    """The slots in whole seconds, as far as systemd finds them; throws Rejected."""
    base = contract.local(start, ZoneInfo(zone)).strftime("%Y-%m-%d %H:%M:%S")
    done = subprocess.run(
        ["systemd-analyze", "calendar", f"--base-time={base}", f"--iterations={count}", text], capture_output=True,
        text=True, env={**os.environ, "TZ": f":{zone}", "LC_ALL": "C"})
    if "Failed to parse calendar" in done.stderr:
        raise Rejected
    if done.returncode != 0 and "Failed to determine next elapse" not in done.stderr:
        raise RuntimeError(done.stderr)
    slots = []
    for line in done.stdout.splitlines():
        found = re.fullmatch(r"\s*(Next elapse|Iter\. #\d+|\(in UTC\)): \w+ (\S+ \S+)( UTC)?.*", line)
        if not found:
            continue
        if found[1] == "(in UTC)":
            slots.pop()
        slots.append(int(datetime.fromisoformat(found[2] + "+00:00").timestamp()))
    return slots


def run(dice, count, answers, report):
    zones = sorted(available_timezones() - {"localtime"})
    questions, cases = [], []
    while len(questions) < count:
        name = dice.choice(zones)
        start = dice.randrange(1_577_836_800, 1_893_456_000)
        text, own = expression(dice, zones)
        if contract.is_near_change(start, ZoneInfo(name)):
            continue
        questions.append(("calendar", text, name, SLOTS, [start * 1_000_000]))
        cases.append((text, name, own, start))
    for case, ours in zip(cases, answers(questions)):
        report.expressions += 1
        compare(report, *case, ours)
    return report


def is_long_list(text):
    """If the days from the end of the month are within the bounds, but beyond those that systemd has for a list."""
    days = []
    for part in (re.findall(r"~(\d\S*)", text) or [""])[0].split(","):
        found = re.fullmatch(r"(\d+)(?:\.\.(\d+))?(?:/(\d+))?", part)
        if not found:
            return False
        first = int(found[1])
        last = int(found[2] or first)
        days.append((first, last - (last - first) % int(found[3] or 1)))
    return max(days)[1] <= 28 and any(last > 31 - 3 * place for place, (_, last) in enumerate(sorted(days), 1))


def is_match(text, own, second, exact, zone):
    """If all slots of a second, in microseconds, match the expression, which may end with the zone `own`."""
    plain = text.removesuffix(own or "")
    local = contract.local(second, zone)
    return all(calendar_text.matches(plain, local, slot % 1_000_000)
               for slot in exact if slot // 1_000_000 == second)


def compare(report, text, name, own, start, ours):
    zone = ZoneInfo(own or name)
    where = f"{text} in {name} after {start}"
    try:
        found = theirs(text, name, start)
    except Rejected:
        if not isinstance(ours, str):
            report.differ(contract.LISTS if is_long_list(text) else None, f"{where}: systemd rejects it")
        return
    if isinstance(ours, str):
        report.differ(contract.NEVER if "never occur" in ours and found == [] else None, f"{where}: {ours}")
        return
    exact = ours[0]
    ours = [slot // 1_000_000 for slot in exact]
    report.compared += len(ours)
    # Fractions are not printed, so that several slots may have one second: what counts is how many.
    end = min(ours[-1] if len(ours) == SLOTS else END, found[-1] if len(found) == SLOTS else END)
    for slot in sorted(set(ours) | set(found)):
        if ours.count(slot) == found.count(slot) or slot >= end:
            continue
        rule = None
        if contract.is_near_change(slot, zone):
            rule = contract.CHANGE
        elif slot not in found and (
                theirs(text, name, slot - 1, 1) == [slot] or is_match(text, own, slot, exact, zone)):
            rule = contract.MATCH
        report.differ(rule, f"{where}: {slot} {'is missing' if slot in found else 'is too many'}")
