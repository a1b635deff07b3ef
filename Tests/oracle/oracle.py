#!/usr/bin/env python3
"""Compares the slots of RxTime with those of two other programs: cronsim from PyPI, and `systemd-analyze calendar`.

Random cron expressions, each with a random zone, get 24 slots after each of 20 random instants and around both clock
changes of a year. Random calendar expressions get 12 slots after a random instant, and slots within a day of a clock
change are not compared, since systemd loses some there.

Both programs differ from RxTime by design. Each difference must follow from one of the rules in `contract.py`, which
decides it for the instant in question; differences are counted by rule, and one without a rule fails.

    Tests/oracle/oracle.py [cron | calendar]      both without an argument

RX_SEED repeats a run, RX_CRON and RX_CALENDAR are the numbers of expressions, RX_ORACLE is the program TimeOracle.
cronsim is installed below .build with pip; systemd-analyze must be there.
"""

import collections
import os
import random
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
VERSION = "2.8"
LIBRARY = ROOT / f".build/oracle/cronsim-{VERSION}"
PROGRAM = os.environ.get("RX_ORACLE") or str(ROOT / ".build/debug/TimeOracle")
SEED = int(os.environ.get("RX_SEED") or random.SystemRandom().randrange(1 << 32))
CRON = int(os.environ.get("RX_CRON") or 10_000)
CALENDAR = int(os.environ.get("RX_CALENDAR") or 500)
SHOWN = 20  # differences without a rule that are printed
BATCH = 200  # expressions for which TimeOracle is started once


def install():
    """cronsim, if it is not there yet; a folder without the last file is of an attempt that did not succeed."""
    if not (LIBRARY / "installed").exists():
        subprocess.run(
            [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--root-user-action",
             "ignore", "--no-deps", "--upgrade", "--target", str(LIBRARY), f"cronsim=={VERSION}"], check=True)
        (LIBRARY / "installed").touch()
    sys.path.insert(0, str(LIBRARY))


def answers(questions):
    """For each question (kind, expression, zone, number of slots, instants in microseconds): lists of slots, or a text
    with a fault."""
    for begin in range(0, len(questions), BATCH):
        lines = ["\t".join([kind, text, zone, str(count), " ".join(map(str, starts))])
                 for kind, text, zone, count, starts in questions[begin:begin + BATCH]]
        done = subprocess.run([PROGRAM], input="\n".join(lines) + "\n", capture_output=True, text=True)
        found = done.stdout.splitlines()
        if done.returncode != 0 or len(found) != len(lines):
            sys.exit(f"oracle: {PROGRAM} ended with {done.returncode} at\n{lines[min(len(found), len(lines) - 1)]}")
        for line in found:
            yield line if line.startswith("!") else [
                [int(slot) for slot in part.strip("[]").split(",") if slot] for part in line.split(" ")]


class Report:
    """Differences, by rule, and those without one."""

    def __init__(self, name):
        self.name, self.rules, self.unexplained = name, collections.Counter(), []
        self.expressions = self.compared = 0

    def differ(self, rule, where):
        if rule is None:
            self.unexplained.append(where)
        else:
            self.rules[rule] += 1

    def show(self):
        print(f"{self.name}: {self.expressions} expressions, {self.compared} slots compared")
        for rule, count in sorted(self.rules.items()):
            print(f"  {count:8} {rule}")
        print(f"  {len(self.unexplained):8} differences without a rule", flush=True)
        for where in self.unexplained[:SHOWN]:
            print(f"           {where}")
        return not self.unexplained


def main(arguments):
    if not set(arguments) <= {"cron", "calendar"}:
        sys.exit("usage: oracle.py [cron | calendar]")
    print(f"oracle: RX_SEED={SEED}", flush=True)
    install()
    import against_cronsim
    import against_systemd

    fine = True
    if "calendar" not in arguments:
        fine &= against_cronsim.run(random.Random(SEED), CRON, answers, Report("cronsim")).show()
    if "cron" not in arguments:
        fine &= against_systemd.run(random.Random(SEED), CALENDAR, answers, Report("systemd-analyze")).show()
    sys.exit(0 if fine else f"oracle: there are differences without a rule; RX_SEED={SEED} repeats the run")


if __name__ == "__main__":
    main(sys.argv[1:])
