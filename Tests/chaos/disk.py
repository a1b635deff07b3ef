#!/usr/bin/env python3
"""Kills and flipped bits: whatever happens to its files, rxd never begins with less than it acknowledged and is silent.

A client dispatches to a reactor at `sync` and enqueues durable inputs; what is acknowledged is noted. Then, by turns:
  - kill: SIGKILL at a random moment, and now and then a clean stop. The next daemon has everything that was
    acknowledged.
  - flip: one bit, or a whole sector, of a copy of that daemon's files is changed, or a file is cut off, emptied, or
    removed. A daemon that starts from the copy has everything, or it reports what is wrong: it exits with 74 and names
    a file, or it logs a warning that does, at the latest when its check in the background ends.

RX_KILLS and RX_FLIPS say how many, RX_SEED repeats the decisions of a run (not its timing), RXD names the daemon.
"""

import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

SEED = int(os.environ.get("RX_SEED") or random.SystemRandom().randrange(1 << 32))
KILLS = int(os.environ.get("RX_KILLS") or 1000)
FLIPS = int(os.environ.get("RX_FLIPS") or 1000)
RXD = os.environ.get("RXD") or os.path.join(os.path.dirname(__file__), "../../.build/debug/rxd")
FLIPS_PER_KILL = 20  # damaged copies of one killed daemon's files
PATIENCE = 60.0  # seconds for a start on a busy machine

CONFIGURATION = """
[action.late]
run     = ["true"]
overlap = "queue"
limit   = 100000
durable = true

[reactor.counter]
initial    = { value = 0 }
mutate     = [{ mutation = ".action" }]
reduce     = ".state | .value += 1"
persist    = true
durability = "sync"
history    = 20
"""


class Fault(Exception):
    """What must not happen, in one line."""


class Client:
    """One connection; requests are answered in order."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(PATIENCE)
        self.socket.connect(path)
        self.lines = self.socket.makefile("rb")

    def send(self, method, params):
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        self.socket.sendall(json.dumps(message).encode() + b"\n")

    def call(self, method, params):
        self.send(method, params)
        return self.answer()

    def answer(self):
        """The next answer; None at the end of the connection."""
        try:
            line = self.lines.readline()
        except OSError:
            return None
        return json.loads(line) if line.endswith(b"\n") else None

    def close(self):
        self.socket.close()


class Daemon:
    """A daemon on a state directory."""

    running = set()

    def __init__(self, folder, state):
        self.socket = f"{folder}/{os.path.basename(state)}.sock"
        self.log = open(f"{folder}/log", "w+b")
        if os.path.exists(self.socket):
            os.unlink(self.socket)
        self.process = subprocess.Popen(
            [RXD, "--config", f"{folder}/config", "--state", state, "--socket", self.socket],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self.log)
        Daemon.running.add(self.process)

    def wait(self):
        """Waits until it answers; False if it has ended before."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                return False
            try:
                client = Client(self.socket)
                client.call("server.hello", {})
                client.close()
                return True
            except OSError:
                time.sleep(0.002)
        raise Fault(f"neither started nor ended within {PATIENCE:.0f} s: {self.text()}")

    def text(self):
        self.log.seek(0)
        return self.log.read().decode(errors="replace")

    def kill(self):
        self.end(signal.SIGKILL)

    def end(self, number):
        self.process.send_signal(number)
        self.process.wait(PATIENCE)
        self.log.close()
        Daemon.running.discard(self.process)


class Promises:
    """What was acknowledged so far."""

    def __init__(self):
        self.revision = 0
        self.inputs = []

    def note(self, answer):
        result = answer.get("result")
        if result is None:
            raise Fault(f"refused: {answer}")
        if "revision" in result:
            self.revision = max(self.revision, result["revision"])
        else:
            self.inputs = (self.inputs + [result["execution"]])[-50:]

    def missing(self, client):
        """What the daemon lacks, as a text; empty if nothing."""
        state = client.call("reactor.state", {"reactor": "counter"})
        found = (state.get("result") or {}).get("revision")
        lacks = []
        if found is None or found < self.revision:
            lacks.append(f"revision {found}, acknowledged {self.revision}")
        for execution in self.inputs:
            if "result" not in client.call("execution.get", {"execution": execution}):
                lacks.append(f"execution {execution}")
        return "; ".join(lacks[:3])


def work(daemon, promises, numbers, until, is_stopped):
    """Makes promises until the time has come and the daemon is stopped, or killed in the middle of one."""
    dispatcher = Client(daemon.socket)
    while daemon.process.poll() is None:
        client = dispatcher
        if is_stopped and time.monotonic() >= until:
            daemon.end(signal.SIGTERM)
            break
        if numbers.random() < 0.7:
            client.send("reactor.dispatch", {"reactor": "counter", "action": numbers.randrange(1000)})
        else:
            # With a stream, the answer comes as soon as the input is accepted; the execution outlives the connection.
            client = Client(daemon.socket)
            client.send("action.execute", {"action": "late", "input": "x" * numbers.randrange(3000), "stream": "s"})
        is_last = not is_stopped and time.monotonic() >= until
        if is_last:
            # The answer may be on its way, or the write, or neither.
            time.sleep(numbers.random() * 0.002)
            daemon.kill()
        answer = client.answer()
        if client is not dispatcher:
            client.close()
        if answer is not None:
            promises.note(answer)
        elif not is_last:
            raise Fault(f"the connection ended: {daemon.text()}")
    dispatcher.close()


def damage(state, numbers):
    """Changes one file; returns what was done."""
    names = sorted(os.listdir(state))
    name = numbers.choice([name for name in names if os.path.isfile(f"{state}/{name}")])
    path = f"{state}/{name}"
    size = os.path.getsize(path)
    kind = numbers.choice(["bit"] * 12 + ["sector"] * 3 + ["cut", "empty", "gone"])
    if kind == "gone":
        os.unlink(path)
        return f"{name} removed"
    if size == 0:
        return f"{name} is empty"
    with open(path, "r+b") as file:
        if kind == "bit":
            place = numbers.randrange(size * 8)
            file.seek(place // 8)
            byte = file.read(1)[0]
            file.seek(place // 8)
            file.write(bytes([byte ^ 1 << place % 8]))
            return f"{name}: bit {place} of {size * 8}"
        if kind == "sector":
            place = numbers.randrange(size) // 512 * 512
            file.seek(place)
            file.write(bytes(min(512, size - place)))
            return f"{name}: zeros at {place} of {size}"
        length = 0 if kind == "empty" else numbers.randrange(size)
        file.truncate(length)
        return f"{name}: cut to {length} of {size}"


def try_damaged(folder, state, promises, numbers):
    """One start from a damaged copy; returns how it ended."""
    copy = f"{folder}/copy"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(state, copy)
    what = damage(copy, numbers)
    daemon = Daemon(folder, copy)
    try:
        if not daemon.wait():
            status = daemon.process.returncode
            if status != 74 or copy + "/" not in daemon.text():
                raise Fault(f"{what}: exit {status}: {daemon.text()}")
            return "refused"
        client = Client(daemon.socket)
        lacks = promises.missing(client)
        client.close()
        if not lacks:
            return "whole"
        deadline = time.monotonic() + PATIENCE
        while True:
            if copy + "/" in daemon.text() or "reactor counter" in daemon.text():
                return "warned"
            if time.monotonic() >= deadline:
                break
            time.sleep(0.01)
        raise Fault(f"{what}: starts without {lacks}, and is silent: {daemon.text()}")
    finally:
        if daemon.process.poll() is None:
            daemon.kill()


def run(folder):
    numbers = random.Random(SEED)
    os.mkdir(f"{folder}/config")
    with open(f"{folder}/config/rxd.toml", "w") as file:
        file.write(CONFIGURATION)
    state = f"{folder}/state"
    promises = Promises()
    kills, flips, ends = 0, 0, {"refused": 0, "whole": 0, "warned": 0}
    while kills < KILLS or flips < FLIPS:
        daemon = Daemon(folder, state)
        if not daemon.wait():
            raise Fault(f"after kill {kills}: exit {daemon.process.returncode}: {daemon.text()}")
        client = Client(daemon.socket)
        lacks = promises.missing(client)
        client.close()
        if lacks:
            raise Fault(f"after kill {kills}: {lacks}: {daemon.text()}")
        # Mostly short, so that kills meet starts and migrations of the log as well.
        until = time.monotonic() + numbers.choice([0, 0.01, 0.05, 0.2, 2]) * numbers.random()
        is_stopped = numbers.random() < 0.25
        work(daemon, promises, numbers, until, is_stopped)
        kills += 1
        for _ in range(min(FLIPS_PER_KILL, (FLIPS * kills + KILLS - 1) // max(KILLS, 1) - flips, FLIPS - flips)):
            ends[try_damaged(folder, state, promises, numbers)] += 1
            flips += 1
    print(
        f"chaos-disk: {kills} kills and stops, nothing lost of {promises.revision} revisions; {flips} damaged copies: "
        f"{ends['refused']} refused, {ends['warned']} with a warning, {ends['whole']} whole")


def main():
    print(f"chaos-disk: RX_SEED={SEED}, {KILLS} kills, {FLIPS} damaged copies", flush=True)
    with tempfile.TemporaryDirectory(prefix="rxd-disk-") as folder:
        try:
            run(folder)
        except Fault as fault:
            print(f"chaos-disk: FAILED: {fault}")
            return 1
        finally:
            for process in Daemon.running:
                process.kill()
    return 0


if __name__ == "__main__":
    sys.exit(main())
