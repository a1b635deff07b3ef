#!/usr/bin/env python3
"""Kills of the daemon and of a reader: every failure is reported exactly once.

An action fails again and again. Three readers follow the errors of all actions with a cursor, and append what they
read to a file: `rxctl subscribe --cursor-file`, Examples/FailureReader on RxClient, and docs/examples/failures.py on
rxd.py. Each is killed now and then, the daemon is killed at random moments, and now and then stopped. In the end
the history shows which executions failed, were interrupted, or were canceled by a stop: each reader must have reported
each of them once, and nothing else.

RX_KILLS is the number of kills (100), RX_FAILURES the least number of failures (1000), RX_SEED repeats the decisions of
a run (not its timing), RXD, RXCTL, and FAILURE_READER name the programs.
"""

import collections
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
FAILURES = int(os.environ.get("RX_FAILURES") or 10 * KILLS)
BUILD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../.build/debug/")
RXD = os.environ.get("RXD") or BUILD + "rxd"
RXCTL = os.environ.get("RXCTL") or BUILD + "rxctl"
FAILURE_READER = os.environ.get("FAILURE_READER") or BUILD + "FailureReader"
FAILURES_PY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/examples/failures.py")
PATIENCE = 60.0  # seconds for a start on a busy machine

CONFIGURATION = """
[action.late]
run     = ["false"]
overlap = "queue"
limit   = 100000

[action.many]
run     = ["sh", "-c", "echo element; exit 3"]
overlap = "concurrent"
limit   = 50

[action.kept]
run     = ["false"]
overlap = "queue"
limit   = 100000
durable = true
"""


def isFailure(event):
    """Whether it is the error of an execution. A durable input that is queued at a stop ends for that daemon alone."""
    return event.get("channel") == "errors" and not event["error"]["data"].get("startsAgain")


class Reader:
    """A reader that is killed and started again, with the file in which it keeps what it reports and its cursor."""

    def __init__(self, run, name, command):
        self.name, self.command = name, command
        self.reported = f"{run.directory}/{name}"
        self.errors = f"{run.directory}/{name}-errors"
        self.environment, self.process = run.environment, None

    def start(self):
        self.process = subprocess.Popen(
            self.command, env=self.environment, stdout=open(self.reported, "ab"), stderr=open(self.errors, "ab"))

    def kill(self):
        self.process.kill()
        self.process.wait()

    def lines(self):
        return open(self.reported, "rb").read().splitlines()

    def seen(self):
        """The executions that it has reported, and the gaps."""
        gaps = open(self.errors).read().splitlines()
        return [line.split()[0].decode() for line in self.lines()], gaps


class Subscribe(Reader):
    """`rxctl subscribe --cursor-file`, which reports its reconnections on stdout."""

    def seen(self):
        lines = [json.loads(line) for line in self.lines()]
        gaps = [line for line in lines if line["channel"] == "lag"]
        gaps += [line for line in lines if line["channel"] == "reconnect" and not line["value"]["resumed"]]
        return [line["execution"] for line in lines if isFailure(line)], gaps


class Run:
    def __init__(self):
        self.random = random.Random(SEED)
        self.directory = tempfile.mkdtemp(prefix="rxd-log-")
        os.mkdir(self.directory + "/state")
        os.mkdir(self.directory + "/config")
        with open(self.directory + "/config/rxd.toml", "w") as file:
            file.write(CONFIGURATION)
        self.socket = self.directory + "/rxd.sock"
        self.environment = dict(os.environ, RXD_SOCKET=self.socket)
        self.daemon = None
        self.cursor = self.directory + "/cursor"
        # It may be started just before the daemon is killed.
        words = ["subscribe", "*", "--channel", "errors,reconnect", "--cursor-file", self.cursor, "--wait", "60s"]
        self.readers = [Subscribe(self, "rxctl", [RXCTL, *words])]
        for name, program in (("Swift", [FAILURE_READER]), ("Python", [sys.executable, FAILURES_PY])):
            self.readers.append(Reader(self, name, [*program, self.socket, f"{self.directory}/{name}"]))

    def start(self):
        arguments = [RXD, "--config", self.directory + "/config", "--socket", self.socket]
        self.daemon = subprocess.Popen(
            arguments + ["--state", self.directory + "/state"], stderr=open(self.directory + "/log", "ab"))
        self.rxctl("status", "--wait", "60s")

    def rxctl(self, *words, check=True):
        return subprocess.run(
            [RXCTL, *words], env=self.environment, capture_output=True, text=True, check=check, timeout=PATIENCE)

    def submit(self, count):
        lines = "".join(f"{number}\n" for number in range(count))
        action = self.random.choice(["late", "many", "kept"])
        return subprocess.Popen(
            [RXCTL, "execute", action, "--each", "--detach"], env=self.environment, stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True), lines

    def kill(self):
        submitting, lines = self.submit(max(1, FAILURES // KILLS) + 2)
        try:
            submitting.stdin.write(lines)
            submitting.stdin.close()
        except BrokenPipeError:
            pass
        time.sleep(self.random.uniform(0, 0.15))
        choice = self.random.randrange(4)
        killed = [reader for reader in self.readers if choice == 0 or self.random.random() < 0.6]
        if choice > 0:
            self.daemon.send_signal(signal.SIGTERM if choice == 3 else signal.SIGKILL)
        for reader in killed:
            reader.kill()
        if choice > 0:
            self.daemon.wait()
            self.start()
        for reader in killed:
            reader.start()
        submitting.wait()

    def listed(self, **parameters):
        return json.loads(self.rxctl("call", "execution.list", json.dumps(parameters)).stdout)["executions"]

    def ended(self):
        """The executions that did not complete, by the history, once nothing is in flight."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline and self.listed(state=["queued", "executing"], limit=1):
            time.sleep(0.05)
        ended, before = {}, {}
        while page := self.listed(state=["failed", "interrupted", "cancelled"], limit=1000, **before):
            ended.update((record["execution"], record["state"]) for record in page)
            before = {"before": page[0]["execution"]}
        return ended

    def check(self, who, seen, expected):
        counts = collections.Counter(seen)
        twice = [one for one, count in counts.items() if count > 1]
        missing = [one for one in expected if one not in counts]
        extra = [one for one in counts if one not in expected]
        print(f"{who}: {len(seen)} reports, {len(missing)} missing, {len(twice)} twice, {len(extra)} of nothing")
        for title, some in (("missing", missing), ("twice", twice), ("of nothing", extra)):
            for one in some[:3]:
                print(f"  {title}: {one} {expected.get(one)}")
        return not (missing or twice or extra)

    def main(self):
        self.start()
        for reader in self.readers:
            reader.start()
        # rxctl begins with the next event, the others with the first.
        deadline = time.monotonic() + PATIENCE
        while not os.path.exists(self.cursor) or not open(self.cursor).read(1).strip():
            if time.monotonic() > deadline:
                raise SystemExit("the reader does not begin")
            time.sleep(0.01)
        for _ in range(KILLS):
            self.kill()
        # Half of what a kill was about to submit never came to be.
        while len(expected := self.ended()) < FAILURES:
            submitting, lines = self.submit(FAILURES - len(expected))
            submitting.communicate(lines)
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            if all(len(reader.seen()[0]) >= len(expected) for reader in self.readers):
                break
            time.sleep(0.1)
        # What is too many would come at once.
        time.sleep(0.5)
        fine = True
        for reader in self.readers:
            seen, gaps = reader.seen()
            fine = self.check(reader.name, seen, expected) and fine
            if gaps:
                print(f"{reader.name} reported gaps: {gaps[:3]}")
                fine = False
        for reader in self.readers:
            reader.kill()
        self.daemon.terminate()
        self.daemon.wait()
        return fine


def main():
    print(f"log: RX_SEED={SEED}, {KILLS} kills", flush=True)
    run = Run()
    fine = False
    try:
        fine = run.main()
    finally:
        for process in (run.daemon, *(reader.process for reader in run.readers)):
            if process and process.poll() is None:
                process.kill()
        if fine:
            shutil.rmtree(run.directory)
        else:
            print(f"its files are in {run.directory}")
    sys.exit(0 if fine else 1)


if __name__ == "__main__":
    main()
