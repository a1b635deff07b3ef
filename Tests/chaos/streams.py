#!/usr/bin/env python3
"""Kills of a daemon whose streams start work: each slot is fired exactly once, and so is each failure.

Two actions are bound to a schedule, and two to the failures of one of these: one to each failure, one to batches of
failures that steps hold back. Two more read a stream of the others by a table. The daemon is killed at random moments
and started again. In the end each slot between the first and the last one must have exactly one execution, and the
program must not have run twice for any of them; each failure must have exactly one alert, and be in exactly one batch.

RX_KILLS is the number of kills (100), RX_SLOTS the least number of slots (1000), RX_SEED repeats the decisions of a
run (not its timing), RXD and RXCTL are the programs.
"""

import collections
import datetime
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

SEED = int(os.environ.get("RX_SEED") or random.SystemRandom().randrange(1 << 32))
KILLS = int(os.environ.get("RX_KILLS") or 100)
SLOTS = int(os.environ.get("RX_SLOTS") or 10 * KILLS)
BUILD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../.build/debug/")
RXD = os.environ.get("RXD") or BUILD + "rxd"
RXCTL = os.environ.get("RXCTL") or BUILD + "rxctl"
PATIENCE = 60.0  # seconds for a start on a busy machine
PERIOD = 200  # milliseconds between slots

CONFIGURATION = """
[action.slot]
run     = ["sh", "-c", "echo $RX_SCHEDULED >> {directory}/slots"]
overlap = "queue"
limit   = 100000
on      = {{ every = "{period}ms", missed = "all", missed-window = "1h" }}

[action.failing]
run     = ["sh", "-c", "echo fails >&2; exit 3"]
overlap = "queue"
limit   = 100000
on      = {{ every = "{period}ms", missed = "all", missed-window = "1h", name = "failing-slots" }}

[action.alert]
run     = ["sh", "-c", "echo $1 >> {directory}/alerts", "sh", {{ input = "/execution" }}]
overlap = "queue"
limit   = 100000

[[action.alert.on]]
name    = "failures"
action  = "failing"
channel = "errors"
persist = true
input   = '{{execution}}'

[action.batch]
run     = ["true"]
overlap = "queue"
limit   = 100000

[action.reader]
run     = ["true"]
overlap = "queue"
limit   = 2
on      = {{ stream = "failing-slots", through = [{{ filter = "true" }}], input = '{{scheduled}}' }}

[action.second]
run     = ["true"]
overlap = "queue"
limit   = 2
on      = {{ stream = "failures", input = '{{execution}}' }}

[[action.batch.on]]
name    = "batches"
action  = "failing"
channel = "errors"
persist = true
through = [
  {{ groupBy = '.execution', through = [{{ throttle = "1s" }}] }},
  {{ delay = "100ms" }},
  {{ buffer = "1s", count = 3 }},
]
input   = '[.[].execution]'
"""


class Run:
    def __init__(self):
        self.random = random.Random(SEED)
        self.directory = tempfile.mkdtemp(prefix="rxd-streams-")
        for name in ("config", "state"):
            os.mkdir(f"{self.directory}/{name}")
        with open(f"{self.directory}/config/rxd.toml", "w") as file:
            file.write(CONFIGURATION.format(directory=self.directory, period=PERIOD))
        self.socket = f"{self.directory}/socket"
        self.process = None

    def start(self):
        self.process = subprocess.Popen(
            [RXD, "--config", f"{self.directory}/config", "--state", f"{self.directory}/state", "--socket",
             self.socket],
            stdout=open(f"{self.directory}/log", "ab"), stderr=subprocess.STDOUT)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(timeout=PATIENCE) == 0, "the daemon did not stop in order"

    def rxctl(self, *arguments):
        result = subprocess.run(
            [RXCTL, "--socket", self.socket, "--wait", f"{int(PATIENCE)}s", *arguments], capture_output=True, text=True)
        assert result.returncode == 0, f"rxctl {arguments}: {result.stderr}"
        return [json.loads(line) for line in result.stdout.splitlines()]

    def run(self):
        begin = time.monotonic()
        for kill in range(KILLS):
            self.start()
            # Some kills hit the start, some the time after it.
            time.sleep(self.random.choice([0.05, 0.3, 1.0, 2.5]) * self.random.random() * 2)
            if self.random.random() < 0.1:
                self.rxctl("list", "--json")
                self.stop()
            else:
                self.kill()
        self.start()
        while (time.monotonic() - begin) * 1000 < SLOTS * PERIOD:
            time.sleep(0.5)
        self.settle()
        faults = self.check()
        self.stop()
        return faults

    def settle(self):
        """Waits until the streams have fired everything that they owe, and nothing is in flight."""
        deadline = time.monotonic() + 20 * PATIENCE
        while time.monotonic() < deadline:
            now = time.time()
            streams = {stream["stream"]: stream for stream in self.rxctl("list", "--streams", "--json")}
            last = [streams[name].get("last", {}).get("scheduled") for name in ("slot@1", "failing-slots")]
            if all(time_ and now - seconds(time_) < 5 for time_ in last):
                return
            time.sleep(0.5)
        raise AssertionError("the streams have not caught up")

    def check(self):
        faults = []
        history = self.rxctl("history", "--json")
        by_slot = {action: collections.Counter() for action in ("slot", "failing", "reader")}
        failures = set()
        by_failure = {action: collections.Counter() for action in ("alert", "second", "batch")}
        for record in history:
            if record["action"] in by_slot:
                slot = record["input"] if record["action"] == "reader" else record["by"]
                by_slot[record["action"]][slot["scheduled"]] += 1
                if record["action"] == "failing" and record["state"] in ("failed", "timedOut", "interrupted"):
                    failures.add(record["execution"])
            elif record["action"] == "batch":
                by_failure["batch"].update(record["input"])
            else:
                by_failure[record["action"]][record["input"]["execution"]] += 1
        for action, counts in by_slot.items():
            times = sorted(seconds(slot) for slot in counts)
            slots = round((times[-1] - times[0]) * 1000 / PERIOD) + 1
            missing = slots - len(times)
            twice = [slot for slot, count in counts.items() if count > 1]
            print(f"{action}: {slots} slots, {missing} missing, {len(twice)} fired twice")
            if missing or twice:
                faults.append(f"{action}: {missing} missing, twice: {twice[:5]}")
        ran = collections.Counter(open(f"{self.directory}/slots").read().split())
        twice = [slot for slot, count in ran.items() if count > 1]
        if twice:
            faults.append(f"the program ran twice for {twice[:5]}")
        # The newest failures may have neither yet.
        newest = sorted(failures)[-50:]
        for name, counts in by_failure.items():
            missing = [failure for failure in failures if not counts[failure] and failure not in newest]
            twice = [failure for failure, count in counts.items() if count > 1]
            print(f"{name}: {len(failures)} failures, {len(missing)} without one, {len(twice)} with more than one")
            if missing or twice:
                faults.append(f"{name}: missing {missing[:5]}, twice {twice[:5]}")
        return faults


def seconds(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def main():
    print(f"seed {SEED}: {KILLS} kills, {SLOTS} slots")
    run = Run()
    try:
        faults = run.run()
    except AssertionError as fault:
        faults = [str(fault)]
    finally:
        if run.process and run.process.poll() is None:
            run.kill()
    if faults:
        print("\n".join(faults), f"kept: {run.directory}", sep="\n")
        sys.exit(1)
    shutil.rmtree(run.directory)


if __name__ == "__main__":
    main()
