"""Cron expressions, compared with cronsim."""

from datetime import datetime, timezone
from zoneinfo import ZoneInfo, available_timezones

import contract
from cronsim import CronSim, CronSimError

SLOTS = 24
INSTANTS = 20
LAST = int(datetime(2199, 12, 31, tzinfo=timezone.utc).timestamp())
GIVES_UP = 50 * 365 * contract.DAY  # cronsim searches no further
MOST_DAYS = 40_000  # more than twice the days of such a search

DAYS = "sun mon tue wed thu fri sat".split()
MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()


def element(dice, low, high, names):
    """A number, name, range, or step of a field."""
    def value(least=low):
        number = dice.randint(least, high)
        if names and dice.random() < 0.4 and number - low < len(names):
            return names[number - low], number
        return str(number), number

    kind = dice.random()
    first, number = value()
    if kind < 0.45:
        return first
    if kind < 0.55:
        return f"*/{dice.randint(1, high)}"
    if kind < 0.65:
        return f"{first}/{dice.randint(1, high)}"
    last = dice.randint(number, high)
    # cronsim reads `3-3/5` as `3/5`: a range of one number with a step is not what crontab(5) is about.
    return f"{first}-{last}" + (f"/{dice.randint(1, high - low)}" if kind < 0.8 and last > number else "")


def field(dice, low, high, star, names=(), special=None):
    if dice.random() < star:
        return "*"
    if special and dice.random() < 0.2:
        return special()
    parts = [element(dice, low, high, names) for _ in range(dice.choice([1, 1, 1, 2, 3]))]
    if special and len(parts) > 1 and dice.random() < 0.2:
        parts[-1] = special()
    text = ",".join(parts)
    return text.upper() if dice.random() < 0.2 else text


def expression(dice):
    weekday = lambda: dice.choice(
        [f"{dice.randint(0, 7)}L", f"{dice.randint(0, 7)}#{dice.randint(1, 5)}", f"{dice.choice(DAYS)}#2"])
    fields = [
        field(dice, 0, 59, 0.2),
        # Clock changes are at night.
        field(dice, 0, 23, 0.25) if dice.random() < 0.6 else field(dice, 0, 3, 0.2),
        field(dice, 1, 31, 0.6, special=lambda: "L"),
        field(dice, 1, 12, 0.7, MONTHS),
        field(dice, 0, 7, 0.6, DAYS, special=weekday),
    ]
    if dice.random() < 0.2:
        fields.insert(0, field(dice, 0, 59, 0.1))
    return " ".join(fields)


def starts(dice, zone):
    """Random instants, and around the clock changes of a random year: both, and whether they are near a change."""
    random = [dice.randrange(31_536_000, 4_102_444_800) for _ in range(INSTANTS)]
    near = []
    for change in contract.changes(dice.randint(1972, 2060), zone):
        # Seconds to days before the change, and in the time that occurs twice.
        near += [change - int(10 ** dice.uniform(0, 5.2)), change + dice.randint(-5400, 5400)]
    return random + near, len(random)


class Stuck(Exception):
    """cronsim does not come to an end."""


class BoundedCronSim(CronSim):
    """cronsim, without the endless loop that it has where the clock is put back over midnight."""

    def advance(self):
        self.day_count = 0
        super().advance()

    def advance_day(self):
        self.day_count += 1
        if self.day_count > MOST_DAYS:
            raise Stuck
        return super().advance_day()


class Cron:
    """A cron expression as cronsim reads it."""

    def __init__(self, text):
        self.text = text
        self.fields = CronSim(text, datetime(2000, 1, 1))
        minute, hour = text.split()[-5:-3]
        self.is_interval = minute.startswith("*") or hour.startswith("*")

    def matches(self, local):
        it = self.fields
        return (local.second in it.seconds and local.minute in it.minutes and local.hour in it.hours
                and local.month in it.months and it.match_day(local.date()))

    def slots(self, start, zone):
        """Up to 24 instants, if there are no more, and the instant at which cronsim is stuck, or None."""
        found = []
        it = BoundedCronSim(self.text, datetime.fromtimestamp(start, zone))
        try:
            for slot in it:
                found.append(int(slot.timestamp()))
                if len(found) == SLOTS:
                    return found, False, None
        except OverflowError:
            pass
        except Stuck:
            return found, False, int(it.dt.replace(tzinfo=it.dt.tzinfo or zone).timestamp())
        return found, True, None


def run(dice, count, answers, report):
    names = sorted(available_timezones() - {"localtime"})
    questions, firsts = [], []
    for _ in range(count):
        name = dice.choice(names)
        instants, near = starts(dice, ZoneInfo(name))
        questions.append(("cron", expression(dice), name, SLOTS, [start * 1_000_000 for start in instants]))
        firsts.append(near)
    for question, near, answer in zip(questions, firsts, answers(questions)):
        report.expressions += 1
        _, text, name, _, instants = question
        compare(report, text, name, [start // 1_000_000 for start in instants], near, answer)
    return report


def compare(report, text, name, instants, near, answer):
    zone = ZoneInfo(name)
    try:
        cron = Cron(text)
    except CronSimError:
        cron = None
    if isinstance(answer, str):
        is_never = "never occur" in answer and (cron is None or not cron.slots(0, zone)[0])
        report.differ(contract.NEVER if is_never else None, f"{text} in {name}: {answer}")
        return
    if cron is None:
        report.differ(None, f"{text}: cronsim rejects it")
        return
    for number, (start, ours) in enumerate(zip(instants, answer)):
        ours = [slot // 1_000_000 for slot in ours]
        theirs, is_all, stuck = cron.slots(start, zone)
        where = f"{text} in {name} after {start}"
        if stuck is not None:
            is_change = contract.is_near_change(stuck, zone)
            report.differ(contract.BACK if is_change else None, f"{where}: cronsim is stuck at {stuck}")
            # Up to there both can be compared; beyond it, what RxTime has must be slots.
            for slot in ours:
                if not contract.is_slot(slot, zone, cron.is_interval, cron.matches):
                    report.differ(None, f"{where}: no slot by the contract: {slot}")
            ours, theirs = [[slot for slot in slots if slot < stuck - contract.DAY] for slots in (ours, theirs)]
            is_all = True
        if number >= near or ours != theirs:
            compare_slots(report, cron, zone, start, ours, theirs, is_all, where)
        report.compared += len(ours)


def compare_slots(report, cron, zone, start, ours, theirs, is_all, where):
    """Decides each difference, and near clock changes also what both have."""
    if ours != sorted(set(ours)) or any(slot <= start for slot in ours):
        report.differ(None, f"{where}: not ascending: {ours}")
    for slot in ours:
        if not contract.is_slot(slot, zone, cron.is_interval, cron.matches):
            report.differ(None, f"{where}: no slot by the contract: {slot}")
    for slot, after in zip(theirs, theirs[1:]):
        if slot == after:
            report.differ(contract.ONE, where)
    end = min(ours[-1] if len(ours) == SLOTS else 1 << 60, theirs[-1] if theirs and not is_all else 1 << 60)
    for slot in sorted(set(ours) ^ set(theirs)):
        if slot > end:
            continue
        report.differ(
            rule(cron, zone, start, slot, slot in ours, theirs, is_all),
            f"{where}: {slot} {'is missing' if slot in theirs else 'is too many'}")


def rule(cron, zone, start, slot, is_ours, theirs, is_all):
    """Why only one of the two has a slot."""
    found = contract.is_slot(slot, zone, cron.is_interval, cron.matches)
    if is_ours and is_all and slot > (theirs[-1] if theirs else start) + GIVES_UP - 366 * contract.DAY:
        return contract.YEARS
    if not is_ours and slot > LAST:
        return contract.YEARS
    # Far from clock changes nothing may differ.
    if not contract.is_near_change(slot, zone):
        return None
    if is_ours:
        return found
    if not cron.is_interval and (slot <= start or not contract.is_first(slot, zone)):
        return contract.FOLD
    if slot <= start and contract.local(start, zone).date() != contract.local(slot, zone).date():
        return contract.BACK
    return contract.REAL if cron.is_interval and not found else None
