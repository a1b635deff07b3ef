#!/usr/bin/env python3
"""Kills of the daemon and of a reader: every failure is reported exactly once.

An action fails again and again. Two readers follow the errors of all actions with a cursor: `rxctl subscribe
--cursor-file`, which appends to a file and is killed now and then, and one in Python on the socket. The daemon is
killed at random moments, and now and then stopped. In the end the history says which executions failed, were
interrupted, or were cancelled by a stop: each reader must have reported each of them once, and nothing else.

RX_KILLS says how many kills (100), RX_FAILURES how many failures at least (1000), RX_SEED repeats the decisions of a
run (not its timing), RXD and RXCTL name the programs.
"""

import collections
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

SEED = int(os.environ.get("RX_SEED") or random.SystemRandom().randrange(1 << 32))
KILLS = int(os.environ.get("RX_KILLS") or 100)
FAILURES = int(os.environ.get("RX_FAILURES") or 10 * KILLS)
BUILD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../.build/debug/")
RXD = os.environ.get("RXD") or BUILD + "rxd"
RXCTL = os.environ.get("RXCTL") or BUILD + "rxctl"
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


class Reader(threading.Thread):
    """The script of a reader on the socket, with its cursor in memory: it has lost nothing when it connects again."""

    def __init__(self, path):
        super().__init__(daemon=True)
        self.path, self.cursor, self.seen, self.gaps, self.isOver = path, None, [], [], False

    def run(self):
        while not self.isOver:
            try:
                self.read()
            except (OSError, ValueError):
                time.sleep(0.01)

    def read(self):
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(0.5)
            connection.connect(self.path)
            start = {"cursor": self.cursor} if self.cursor else "start"
            request = {"action": "*", "channels": ["errors"], "subscription": "s", "from": start}
            line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "subscribe", "params": request})
            connection.sendall(line.encode() + b"\n")
            buffer = b""
            while not self.isOver:
                try:
                    data = connection.recv(65536)
                except TimeoutError:
                    continue
                if not data:
                    return
                *lines, buffer = (buffer + data).split(b"\n")
                for line in lines:
                    self.take(json.loads(line))

    def take(self, message):
        if "error" in message:
            self.gaps.append(message)
            self.cursor = message["error"]["data"].get("oldest")
            raise ValueError
        event = message.get("params") or message["result"]
        if isFailure(event):
            self.seen.append(event["execution"])
        elif event.get("channel") == "lag":
            self.gaps.append(event)
        if event.get("channel") != "end" and "cursor" in event and "snapshot" not in event:
            self.cursor = event["cursor"]


class Run:
    def __init__(self):
        self.random = random.Random(SEED)
        self.directory = tempfile.mkdtemp(prefix="rxd-log-")
        os.mkdir(self.directory + "/state")
        os.mkdir(self.directory + "/config")
        with open(self.directory + "/config/rxd.toml", "w") as file:
            file.write(CONFIGURATION)
        self.socket = self.directory + "/rxd.sock"
        self.reported = self.directory + "/reported"
        self.environment = dict(os.environ, RXD_SOCKET=self.socket)
        self.daemon = self.reader = None

    def start(self):
        arguments = [RXD, "--config", self.directory + "/config", "--socket", self.socket]
        self.daemon = subprocess.Popen(
            arguments + ["--state", self.directory + "/state"], stderr=open(self.directory + "/log", "ab"))
        self.rxctl("status", "--wait", "60s")

    def rxctl(self, *words, check=True):
        return subprocess.run(
            [RXCTL, *words], env=self.environment, capture_output=True, text=True, check=check, timeout=PATIENCE)

    def startReader(self):
        words = ["subscribe", "*", "--channel", "errors,reconnect", "--cursor-file", self.directory + "/cursor"]
        self.reader = subprocess.Popen(
            [RXCTL, *words], env=self.environment, stdout=open(self.reported, "ab"),
            stderr=open(self.directory + "/reader", "ab"))

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
        if choice > 0:
            self.daemon.send_signal(signal.SIGTERM if choice == 3 else signal.SIGKILL)
        if choice != 2:
            self.reader.kill()
            self.reader.wait()
        if choice > 0:
            self.daemon.wait()
            self.start()
        if choice != 2:
            self.startReader()
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
        # Its first connection is where it begins.
        python = Reader(self.socket)
        python.start()
        self.startReader()
        deadline = time.monotonic() + PATIENCE
        while not os.path.exists(self.directory + "/cursor") or not open(self.directory + "/cursor").read(1).strip():
            if time.monotonic() > deadline:
                raise SystemExit("the reader does not begin")
            time.sleep(0.01)
        for _ in range(KILLS):
            self.kill()
        expected = self.ended()
        lines, deadline = [], time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            lines = [json.loads(line) for line in open(self.reported, "rb").read().splitlines()]
            if sum(map(isFailure, lines)) >= len(expected) <= len(python.seen):
                break
            time.sleep(0.1)
        # What is too many would come at once.
        time.sleep(0.5)
        lines = [json.loads(line) for line in open(self.reported, "rb").read().splitlines()]
        lost = [line for line in lines if line["channel"] == "lag"]
        lost += [line for line in lines if line["channel"] == "reconnect" and not line["value"]["resumed"]]
        seen = [line["execution"] for line in lines if isFailure(line)]
        python.isOver = True
        fine = self.check("rxctl", seen, expected)
        fine = self.check("Python", python.seen, expected) and fine
        if lost or python.gaps:
            print(f"gaps were reported: {lost[:3]} {python.gaps[:3]}")
            fine = False
        if len(expected) < FAILURES // 2:
            print("so few failures show little")
            fine = False
        self.reader.kill()
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
        for process in (run.daemon, run.reader):
            if process and process.poll() is None:
                process.kill()
        if fine:
            shutil.rmtree(run.directory)
        else:
            print(f"its files are in {run.directory}")
    sys.exit(0 if fine else 1)


if __name__ == "__main__":
    main()
