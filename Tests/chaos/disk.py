#!/usr/bin/env python3
"""Kills and flipped bits: whatever happens to its files, rxd never begins with less than it acknowledged and is silent.

A client dispatches to a reactor at `sync`, enqueues durable inputs, executes with keys, switches an action off and on,
writes files that a stream watches, and starts programs that do not end; what is acknowledged is noted. Then, by turns:
  - kill: SIGKILL at a random moment, and now and then a clean stop. The next daemon has everything that was
    acknowledged: states, inputs, the executions of keys, and the switch. It has ended the programs, and the stream
    emits each file, and none again that was settled.
  - flip: one bit, or a whole sector, of that daemon's files is changed, or a file is cut off, emptied, or removed. A
    daemon that starts from them has everything, or it reports what is wrong: it exits with 74 and names a file, or it
    logs a warning that does, at the latest when its check in the background ends. Then the files are put back, in the
    same directory, by which a daemon recognizes its programs.

RX_KILLS and RX_FLIPS are their numbers, RX_SEED repeats the decisions of a run (not its timing), RXD names the daemon.
"""

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True  # Root's files would be left in the source tree.
from promises import PATIENCE, Client, Fault, Promises, is_alive

SEED = int(os.environ.get("RX_SEED") or random.SystemRandom().randrange(1 << 32))
KILLS = int(os.environ.get("RX_KILLS") or 1000)
FLIPS = int(os.environ.get("RX_FLIPS") or 1000)
RXD = os.environ.get("RXD") or os.path.join(os.path.dirname(__file__), "../../.build/debug/rxd")
PROGRESS = 100  # kills after which a line shows how far it is
FLIPS_PER_KILL = 20  # damages to one killed daemon's files

CONFIGURATION = """
[action.late]
run     = ["true"]
overlap = "queue"
limit   = 100000
durable = true

[action.once]
run     = ["true"]
overlap = "concurrent"
limit   = 1000

[action.switched]
run = ["true"]

[action.listed]
run     = ["sh", "-c", "echo $$ >> FOLDER/pids; exec sleep 1000"]
overlap = "concurrent"

[action.quiet]
run     = ["sh", "-c", "echo $$ >> FOLDER/pids; exec sleep 1000"]
history = false
overlap = "concurrent"

[stream.drop]
path     = "FOLDER/drop"
events   = "written"
existing = true
persist  = true

[action.see]
run     = ["true"]
on      = "drop"
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

# A long run has more keys than one user may have by default.
[limits]
keys       = 200000
keysPerUid = 100000
"""


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


def begin_programs(daemon, promises, folder):
    """Starts programs that do not end."""
    open(f"{folder}/pids", "w").close()
    for action in ("listed", "quiet"):
        client = Client(daemon.socket)
        client.call("action.execute", {"action": action, "stream": "s"})
        client.close()
    deadline = time.monotonic() + PATIENCE
    while len(promises.pids) < 2:
        if time.monotonic() >= deadline:
            raise Fault(f"the programs do not start: {daemon.text()}")
        with open(f"{folder}/pids") as file:
            promises.pids = [int(line) for line in file.read().split("\n")[:-1]]


def work(daemon, promises, numbers, until, is_stopped):
    """Makes promises until the time has come and the daemon is stopped, or killed in the middle of one."""
    dispatcher = Client(daemon.socket)
    while daemon.process.poll() is None:
        client = dispatcher
        if is_stopped and time.monotonic() >= until:
            daemon.end(signal.SIGTERM)
            break
        kind = numbers.random()
        method, request = "action.execute", {}
        if kind < 0.02:
            promises.files.write()
        if kind < 0.7:
            method, request = "reactor.dispatch", {"reactor": "counter", "action": numbers.randrange(1000)}
        elif kind < 0.8:
            is_on = numbers.random() < 0.5
            promises.is_on = promises.is_on + [is_on]
            method, request = "action.enable" if is_on else "action.disable", {"action": "switched"}
        elif kind < 0.85:
            key = str(numbers.randrange(1 << 60))
            request = {"action": "once", "input": key, "key": key, "stream": "s"}
        else:
            request = {"action": "late", "input": "x" * numbers.randrange(3000), "stream": "s"}
        if "stream" in request:
            # The answer comes as soon as the input is accepted; the execution outlives the connection.
            client = Client(daemon.socket)
        client.send(method, request)
        is_last = not is_stopped and time.monotonic() >= until
        if is_last:
            # The answer may be on its way, or the write, or neither.
            time.sleep(numbers.random() * 0.002)
            daemon.kill()
        answer = client.answer()
        if client is not dispatcher:
            client.close()
        if answer is not None:
            promises.note(answer, request)
        elif not is_last:
            raise Fault(f"the connection ended: {daemon.text()}")
    dispatcher.close()


def damage(state, numbers):
    """Changes one file; returns what was done."""
    names = sorted(name for name in os.listdir(state) if os.path.isfile(f"{state}/{name}"))
    # Of the small files, too.
    name = numbers.choice(names + ["processes"] * 2 + [name for name in names if name.endswith(".index")] * 2)
    path = f"{state}/{name}"
    size = os.path.getsize(path)
    kind = numbers.choice(["bit"] * 12 + ["sector"] * 3 + ["cut", "empty", "gone"])
    if kind == "gone":
        os.unlink(path)
        return f"{name} removed"
    if size == 0:
        return f"{name} is empty"
    # The list of processes has few lines, at its beginning.
    used = min(size, 1024) if name == "processes" else size
    with open(path, "r+b") as file:
        if kind == "bit":
            place = numbers.randrange(used * 8)
            file.seek(place // 8)
            byte = file.read(1)[0]
            file.seek(place // 8)
            file.write(bytes([byte ^ 1 << place % 8]))
            return f"{name}: bit {place} of {size * 8}"
        if kind == "sector":
            place = numbers.randrange(used) // 512 * 512
            file.seek(place)
            file.write(bytes(min(512, size - place)))
            return f"{name}: zeros at {place} of {size}"
        length = 0 if kind == "empty" else numbers.randrange(size)
        file.truncate(length)
        return f"{name}: cut to {length} of {size}"


def put_back(state, saved):
    """Replaces the files of a state directory, which stays."""
    for name in os.listdir(state):
        os.unlink(f"{state}/{name}")
    shutil.copytree(saved, state, dirs_exist_ok=True)


def try_damaged(folder, state, promises, numbers):
    """One start from damaged files; returns how it ended."""
    what = damage(state, numbers)
    daemon = Daemon(folder, state)
    marker = None
    try:
        if not daemon.wait():
            status = daemon.process.returncode
            if status != 74 or state + "/" not in daemon.text():
                raise Fault(f"{what}: exit {status}: {daemon.text()}")
            return "refused"

        def has_reported():
            return state + "/" in daemon.text() or "reactor counter" in daemon.text()

        client = Client(daemon.socket)
        lacks = promises.orphans() + promises.missing(client)
        promises.pids = []
        more, marker, _ = promises.files.missing(client, has_reported)
        lacks += more
        client.close()
        if ".index: cut to" in what:
            # Perhaps between two records, which nobody notices: what the end has recorded is emitted again.
            lacks = [lack for lack in lacks if not lack.startswith("file") or " 0 times" in lack]
        if not lacks:
            return "whole"
        deadline = time.monotonic() + PATIENCE
        while not has_reported():
            if time.monotonic() >= deadline:
                raise Fault(f"{what}: starts without {'; '.join(lacks[:3])}, and is silent: {daemon.text()}")
            time.sleep(0.01)
        return "warned"
    finally:
        if marker:
            promises.files.forget(marker)
        if daemon.process.poll() is None:
            daemon.kill()


def start(folder, state, promises, kills):
    """A start from files that nothing has damaged."""
    daemon = Daemon(folder, state)
    if not daemon.wait():
        raise Fault(f"after kill {kills}: exit {daemon.process.returncode}: {daemon.text()}")
    client = Client(daemon.socket)
    lacks = promises.orphans() + promises.missing(client)
    more, marker, found = promises.files.missing(client, lambda: False)
    client.close()
    if lacks + more:
        raise Fault(f"after kill {kills}: {'; '.join((lacks + more)[:3])}: {daemon.text()}")
    promises.pids = []
    promises.files.settle(marker, found)
    return daemon


def run(folder, promises):
    numbers = random.Random(SEED)
    os.mkdir(f"{folder}/config")
    with open(f"{folder}/config/rxd.toml", "w") as file:
        file.write(CONFIGURATION.replace("FOLDER", folder))
    state, saved = f"{folder}/state", f"{folder}/saved"
    kills, flips, ends = 0, 0, {"refused": 0, "whole": 0, "warned": 0}
    while kills < KILLS or flips < FLIPS:
        daemon = start(folder, state, promises, kills)
        # Mostly short, so that kills meet starts and migrations of the log as well.
        until = time.monotonic() + numbers.choice([0, 0.01, 0.05, 0.2, 2]) * numbers.random()
        is_stopped = numbers.random() < 0.25
        if numbers.random() < 0.5:
            begin_programs(daemon, promises, folder)
        work(daemon, promises, numbers, until, is_stopped)
        kills += 1
        promises.files.write()
        shutil.rmtree(saved, ignore_errors=True)
        shutil.copytree(state, saved)
        for _ in range(min(FLIPS_PER_KILL, (FLIPS * kills + KILLS - 1) // max(KILLS, 1) - flips, FLIPS - flips)):
            ends[try_damaged(folder, state, promises, numbers)] += 1
            put_back(state, saved)
            flips += 1
        if kills % PROGRESS == 0:
            print(f"chaos-disk: {kills} kills, {flips} damages", flush=True)
    print(
        f"chaos-disk: {kills} kills and stops, nothing lost of {promises.revision} revisions; {flips} damages: "
        f"{ends['refused']} refused, {ends['warned']} with a warning, {ends['whole']} whole")


def main():
    print(f"chaos-disk: RX_SEED={SEED}, {KILLS} kills, {FLIPS} damages", flush=True)
    with tempfile.TemporaryDirectory(prefix="rxd-disk-") as folder:
        promises = Promises(folder)
        try:
            run(folder, promises)
        except Fault as fault:
            print(f"chaos-disk: FAILED: {fault}")
            return 1
        finally:
            for process in Daemon.running:
                process.kill()
            for pid in promises.pids:
                if is_alive(pid):
                    os.kill(pid, signal.SIGKILL)
    return 0


if __name__ == "__main__":
    sys.exit(main())
