"""The rules of RxTime's front page, decided for one instant and without RxTime: is it a slot?

Times are whole seconds. `matches(local)` decides whether a local time, a datetime without a zone, matches an
expression.
"""

from datetime import datetime, timedelta, timezone

SECOND = timedelta(seconds=1)
DAY = 86_400

REAL = "an interval fires at every real instant whose local time matches, and at no other"
GAP = "a fixed time that does not exist fires at the first instant that does"
FOLD = "a fixed time that occurs twice fires at the first occurrence"
ONE = "two slots at the same instant are one slot"
YEARS = "slots lie in the years 1970 to 2199"
NEVER = "an expression that can never fire is a fault"
LISTS = "days from the end of the month are 1 to 28; systemd 252 allows 3 fewer for each further element of a list"
BACK = "slots ascend in a night in which midnight occurs twice; cronsim 2.8 goes back to the first one, or for ever"
MATCH = "every local time that matches has its slot; systemd skips some after a repetition passes the end of a " \
    "unit, and gives up on others"
CHANGE = "slots within a day of a clock change follow the rules for them, which systemd does not have"


def local(instant, zone):
    return datetime.fromtimestamp(instant, zone).replace(tzinfo=None)


def is_first(instant, zone):
    """If the local time of the instant has not occurred before."""
    return datetime.fromtimestamp(instant, zone).fold == 0


def skipped(instant, zone):
    """The local times that the clock skips at an instant, from the first to the one after the last; none mostly."""
    before, after = local(instant - 1, zone) + SECOND, local(instant, zone)
    return (before, after) if before < after else None


def is_slot(instant, zone, is_interval, matches):
    """The rule by which an instant is a slot; None if it is none."""
    now = local(instant, zone)
    if is_interval:
        return REAL if matches(now) else None
    if matches(now) and is_first(instant, zone):
        return FOLD
    gap = skipped(instant, zone)
    if gap:
        time = gap[0]
        while time < gap[1]:
            if matches(time):
                return GAP
            time += SECOND
    return None


def changes(year, zone):
    """The instants of a year at which the offset of a zone changes."""
    start = int(datetime(year, 1, 1, tzinfo=timezone.utc).timestamp())
    for begin in range(start, start + 366 * DAY, DAY):
        if offset(begin, zone) != offset(begin + DAY, zone):
            low, high = begin, begin + DAY
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (middle, high) if offset(middle, zone) == offset(begin, zone) else (low, middle)
            yield high


def offset(instant, zone):
    return datetime.fromtimestamp(instant, zone).utcoffset()


def is_near_change(instant, zone):
    """If the zone's clock changes within a day and two hours."""
    return any(offset(instant + hours * 3600, zone) != offset(instant, zone) for hours in (-26, -13, 13, 26))
