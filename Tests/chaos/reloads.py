#!/usr/bin/env python3
"""Reloads of a daemon whose streams run: no firing is lost or happens twice, and subscribers are kept.

Of ten reloads, nine change nothing; the tenth changes the `on` of a schedule and adds or removes another stream. Two
schedules fire all the while, numbers are sent to a subject, and a client subscribes to a schedule. In the end each slot
between the first and the last one has one execution, each number has been passed on once, and the one subscription has
had each slot once.

RX_RELOADS is the number of reloads (1000); RXD and RXCTL are the programs.
"""

import collections
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

from streams import PATIENCE, RXCTL, RXD, seconds

RELOADS = int(os.environ.get("RX_RELOADS") or 1000)
PERIOD = 200  # milliseconds between slots

CONFIGURATION = """
[history]
count = 1000000

[stream.kept]
every         = "{period}ms"
missed        = "all"
missed-window = "1h"

[action.kept-slot]
run     = ["true"]
overlap = "queue"
limit   = 100000
on      = "kept"

[stream.numbers]
subject = true
through = [{{ scan = ".state + 1", initial = 0 }}]

[action.number]
run     = ["sh", "-c", "echo $1 >> {directory}/numbers", "sh", {{ input = "/n" }}]
overlap = "queue"
limit   = 100000
on      = {{ stream = "numbers", input = '{{n: tostring}}' }}

[action.changing-slot]
run     = ["true"]
overlap = "queue"
limit   = 100000
on      = {{ every = "{period}ms", missed = "all", missed-window = "1h", input = '{{slot: .scheduled, v: {variant}}}' }}
"""
EXTRA = """
[stream.extra]
every = "1s"

[action.extra-slot]
run     = ["true"]
overlap = "queue"
on      = "extra"
"""


class Run:
    def __init__(self):
        self.directory = tempfile.mkdtemp(prefix="rxd-reloads-")
        for name in ("config", "state"):
            os.mkdir(f"{self.directory}/{name}")
        self.socket = f"{self.directory}/socket"
        self.configure(0)
        self.sent = 0
        self.isDone = False
        self.faults = []

    def configure(self, variant):
        text = CONFIGURATION.format(directory=self.directory, period=PERIOD, variant=variant)
        with open(f"{self.directory}/config/rxd.toml", "w") as file:
            file.write(text + (EXTRA if variant % 2 else ""))

    def rxctl(self, *arguments):
        result = subprocess.run(
            [RXCTL, "--socket", self.socket, "--wait", f"{int(PATIENCE)}s", *arguments], capture_output=True, text=True)
        assert result.returncode == 0, f"rxctl {arguments}: {result.stderr}"
        return [json.loads(line) for line in result.stdout.splitlines()]

    def send(self):
        """Sends numbers to the subject, one by one, until the reloads are over."""
        try:
            while not self.isDone:
                self.rxctl("send", "numbers", str(self.sent))
                self.sent += 1
        except AssertionError as fault:
            self.faults.append(str(fault))

    def run(self):
        self.daemon = subprocess.Popen(
            [RXD, "--config", f"{self.directory}/config", "--state", f"{self.directory}/state", "--socket",
             self.socket], stdout=open(f"{self.directory}/log", "ab"), stderr=subprocess.STDOUT)
        self.rxctl("list", "--json")
        seen = open(f"{self.directory}/seen", "wb")
        self.reader = subprocess.Popen(
            [RXCTL, "--socket", self.socket, "subscribe", "kept", "--channel", "elements"], stdout=seen,
            stderr=subprocess.PIPE)
        sender = threading.Thread(target=self.send)
        sender.start()
        unchanged = 0
        try:
            for number in range(1, RELOADS + 1):
                changes = number % 10 == 0
                if changes:
                    self.configure(number // 10)
                    planned = self.rxctl("reload", "--dry-run", "--json")[0]["streams"]
                    assert "changing-slot@1" in planned["restarted"], planned
                    assert {"kept", "numbers"} <= set(planned["unchanged"]), planned
                change = self.rxctl("reload", "--json")[0]["streams"]
                if changes:
                    assert change == planned, (change, planned)
                else:
                    unchanged += 1
                    assert not any(names for key, names in change.items() if key != "unchanged"), change
        finally:
            self.isDone = True
            sender.join()
        print(f"{RELOADS} reloads, {unchanged} of them without a change")
        self.settle()
        return self.check()

    def settle(self):
        """Waits until all numbers have been fired, and nothing is in flight."""
        deadline = time.monotonic() + PATIENCE
        while sum(self.rxctl("describe", "number@1", "--json")[0]["counts"].values()) < self.sent:
            assert time.monotonic() < deadline, "the numbers have not been fired"
            time.sleep(0.1)
        for action in ("kept-slot", "number", "changing-slot"):
            self.rxctl("wait", action, "--timeout", f"{int(PATIENCE)}s")

    def check(self):
        faults = self.faults

        def compare(name, slots):
            """Each slot once, and none missing between the first and the last one."""
            counts = collections.Counter(slots)
            times = sorted(seconds(slot) for slot in counts)
            expected = round((times[-1] - times[0]) * 1000 / PERIOD) + 1
            missing = expected - len(times)
            twice = [slot for slot, count in counts.items() if count > 1]
            print(f"{name}: {expected} slots, {missing} missing, {len(twice)} twice")
            if missing or twice:
                faults.append(f"{name}: {missing} missing, twice: {twice[:5]}")

        records = self.rxctl("history", "--json")
        for action in ("kept-slot", "changing-slot"):
            compare(action, [record["by"]["scheduled"] for record in records if record["action"] == action])
        numbers = collections.Counter(open(f"{self.directory}/numbers").read().split())
        expected = {str(number) for number in range(1, self.sent + 1)}
        missing, twice = expected - set(numbers), [number for number, count in numbers.items() if count > 1]
        print(f"numbers: {self.sent} sent, {len(missing)} missing, {len(twice)} twice")
        if missing or twice or set(numbers) != expected:
            faults.append(f"numbers: missing {sorted(missing)[:5]}, twice {twice[:5]}")
        if self.reader.poll() is not None:
            faults.append(f"the subscriber has ended: {self.reader.stderr.read().decode()}")
        else:
            # A shell that starts this in the background has SIGINT ignored.
            self.reader.send_signal(signal.SIGTERM)
            _, errors = self.reader.communicate(timeout=PATIENCE)
            if b"connecting again" in errors:
                faults.append(f"the subscriber has lost its connection: {errors.decode()}")
        with open(f"{self.directory}/seen") as file:
            compare("subscriber", [json.loads(line)["value"]["scheduled"] for line in file])
        self.daemon.send_signal(signal.SIGTERM)
        if self.daemon.wait(timeout=PATIENCE) != 0:
            faults.append("the daemon did not stop in order")
        return faults


def main():
    print(f"{RELOADS} reloads")
    run = Run()
    try:
        faults = run.run()
    except AssertionError as fault:
        faults = [str(fault)]
    finally:
        for process in (getattr(run, "reader", None), getattr(run, "daemon", None)):
            if process and process.poll() is None:
                process.kill()
    if faults:
        print("\n".join(faults), f"kept: {run.directory}", sep="\n")
        sys.exit(1)
    shutil.rmtree(run.directory)


if __name__ == "__main__":
    main()
