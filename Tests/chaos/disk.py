#!/usr/bin/env python3
"""Kills and damaged files: whatever happens to them, rxd never begins with less than it acknowledged and is silent.

A client dispatches to a reactor at `sync`, enqueues durable inputs, executes with keys, switches an action off and on,
writes files that a stream watches, and starts programs that do not end; what is acknowledged is noted. Then, by turns:
  - kill: SIGKILL at a random moment, and now and then a clean stop. The next daemon has everything that was
    acknowledged: states, inputs, the executions of keys, and the switch. It has ended the programs, and the stream
    emits each file, and none again that was settled.
  - flip: one bit, or a whole sector, of that daemon's files is changed, or a file is cut off, emptied, or removed; half
    of the time, two files are damaged, often the `-lock` file with the mark and another one of the same database. A
    daemon that starts from them has everything, or it reports what is wrong: it exits with 74 and names a file, or it
    logs a warning that names the file which lacks something, at the latest when its check in the background ends. Then
    the files are put back, in the same directory, by which a daemon recognizes its programs.

As root, some of these starts are in another boot of the machine: the daemon finds another boot ID, and no program of
an earlier daemon is left. Then it refuses a database that lacks what was synced. The end of what was not synced may be
missing with a warning, for which the one that each such start logs does not do.

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
import uuid

sys.dont_write_bytecode = True  # Root's files would be left in the source tree.
from promises import PATIENCE, Client, Fault, Promises, is_alive

SEED = int(os.environ.get("RX_SEED") or random.SystemRandom().randrange(1 << 32))
KILLS = int(os.environ.get("RX_KILLS") or 1000)
FLIPS = int(os.environ.get("RX_FLIPS") or 1000)
RXD = os.environ.get("RXD") or os.path.join(os.path.dirname(__file__), "../../.build/debug/rxd")
PROGRESS = 100  # kills after which a line shows how far it is
FLIPS_PER_KILL = 20  # damages to one killed daemon's files
BOOT_ID = "/proc/sys/kernel/random/boot_id"

# What reports that something is missing: a path in the state directory, or another text.
REPORTS = {
    "revision": ["/reactors.db", "reactor counter"],
    "execution": ["/rxd.db"],
    "key": ["/rxd.db"],
    "switch": ["/rxd.db"],
    "process": ["/processes", "/rxd.db"],
    "file": [".index", "/rxd.db"],
}
SYNCED = ("revision", "execution")  # What was on the disk when it was acknowledged.

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


class Machine:
    """The boot of the machine that a daemon finds; root may change it."""

    def __init__(self, folder, numbers):
        self.file = f"{folder}/boot"
        self.numbers = numbers
        self.boots = 0
        self.can_restart = os.geteuid() == 0 and subprocess.run(
            ["unshare", "--mount", "mount", "--bind", "/dev/null", BOOT_ID], stderr=subprocess.DEVNULL).returncode == 0
        with open(BOOT_ID) as file:
            self.restart(promises=None, to=file.read())

    def restart(self, promises, to=None):
        """Begins another boot, or the one that is given: nothing is left of the programs of the one before."""
        self.boot = to or f"{uuid.UUID(int=self.numbers.getrandbits(128), version=4)}\n"
        with open(self.file, "w") as file:
            file.write(self.boot)
        for pid in promises.pids if promises else []:
            if is_alive(pid):
                os.kill(pid, signal.SIGKILL)
            while is_alive(pid):
                time.sleep(0.001)

    def sometimes_restarts(self, promises, share):
        """Begins another boot with this probability, if it may; whether it has."""
        if not self.can_restart or self.numbers.random() >= share:
            return False
        self.restart(promises)
        self.boots += 1
        return True

    def command(self, words):
        """A command that finds this boot."""
        if not self.can_restart:
            return words
        return ["unshare", "--mount", "sh", "-c", f'mount --bind "$0" {BOOT_ID} && exec "$@"', self.file] + words


class Daemon:
    """A daemon on a state directory."""

    running = set()

    def __init__(self, folder, state, machine):
        self.socket = f"{folder}/{os.path.basename(state)}.sock"
        self.log = open(f"{folder}/log", "w+b")
        if os.path.exists(self.socket):
            os.unlink(self.socket)
        self.process = subprocess.Popen(
            machine.command([RXD, "--config", f"{folder}/config", "--state", state, "--socket", self.socket]),
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

    def has_reported(self, state, kind):
        """Whether a warning is about what this kind of promise needs. That a clean stop is missing is no such one."""
        return any(
            (state + report if report.startswith("/") else report) in line
            for line in self.text().splitlines() if "the machine ended without a clean stop" not in line
            for report in REPORTS[kind])

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


KINDS = ["bit"] * 12 + ["sector"] * 3 + ["cut", "empty", "gone"]


def damage(state, numbers):
    """Changes one file or two; returns what was done, as texts."""
    names = sorted(name for name in os.listdir(state) if os.path.isfile(f"{state}/{name}"))
    # Of the small files, too.
    often = names + ["processes"] * 2 + [name for name in names if name.endswith(".index")] * 2
    pair = numbers.choice(["none", "none", "any", "mark"])
    if pair == "none":
        return [damage_file(state, numbers.choice(often), numbers.choice(KINDS), numbers)]
    if pair == "any":
        first = numbers.choice(often)
        pairs = [(name, numbers.choice(KINDS)) for name in (first, numbers.choice([n for n in often if n != first]))]
    else:
        mark = numbers.choice([name for name in names if name.endswith("-lock")])
        database = mark.removesuffix("-lock")
        name = numbers.choice([name for name in names if name in (database, f"{database}-wal")])
        pairs = [(mark, numbers.choice(["bit", "sector", "empty", "gone"])), (name, numbers.choice(KINDS))]
    return [damage_file(state, name, kind, numbers) for name, kind in pairs]


def damage_file(state, name, kind, numbers):
    """Changes a file; returns what was done."""
    path = f"{state}/{name}"
    size = os.path.getsize(path)
    if kind == "gone":
        os.unlink(path)
        return f"{name} removed"
    if size == 0:
        return f"{name} is empty"
    # The list of processes has few lines, at its beginning, and the mark is there, too.
    used = min(size, 1024) if name == "processes" else min(size, 256) if name.endswith("-lock") else size
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


def is_new(state):
    """Whether nothing is left of one of the databases, so that it counts as one that is yet to begin."""
    def is_lost(name):
        try:
            with open(f"{state}/{name}", "rb") as file:
                return not any(file.read(512))  # A database begins there, and the mark is there.
        except FileNotFoundError:
            return True

    return any(all(is_lost(name + part) for part in ("", "-wal", "-lock")) for name in ("rxd.db", "reactors.db"))


def silence(daemon, state, lacks, damages, is_other_boot):
    """Those of the promises that are broken without a report, or in spite of a sync."""
    broken = []
    for lack in lacks:
        kind = lack.split()[0]
        if not daemon.has_reported(state, kind):
            broken.append(lack)
        elif is_other_boot and kind in SYNCED and not any("-lock" in damage for damage in damages):
            lines = [line for line in daemon.text().splitlines() if state + REPORTS[kind][0] in line]
            if all("lost" in line or "without a clean stop" in line for line in lines):
                broken.append(f"{lack}, which was synced")
    return broken


def try_damaged(folder, state, promises, machine):
    """One start from damaged files, perhaps in another boot; returns how it ended."""
    boot = machine.boot
    damages = damage(state, machine.numbers)
    if is_new(state):
        return "anew"
    is_other_boot = machine.sometimes_restarts(promises, 0.25)
    what = "; ".join(damages + ["in another boot"] * is_other_boot)
    daemon = Daemon(folder, state, machine)
    marker = None
    try:
        if not daemon.wait():
            status = daemon.process.returncode
            if status != 74 or state + "/" not in daemon.text():
                raise Fault(f"{what}: exit {status}: {daemon.text()}")
            return "refused"
        client = Client(daemon.socket)
        lacks = promises.orphans() + promises.missing(client)
        promises.pids = []
        more, marker, _ = promises.files.missing(client, lambda: daemon.has_reported(state, "file"))
        lacks += more
        client.close()
        if ".index: cut to" in what:
            # Perhaps between two records, which nobody notices: what the end has recorded is emitted again.
            lacks = [lack for lack in lacks if not lack.startswith("file") or " 0 times" in lack]
        if not lacks:
            return "whole"
        deadline = time.monotonic() + PATIENCE
        while broken := silence(daemon, state, lacks, damages, is_other_boot):
            if time.monotonic() >= deadline:
                raise Fault(f"{what}: starts without {'; '.join(broken[:3])}, and is silent: {daemon.text()}")
            time.sleep(0.01)
        return "warned"
    finally:
        if marker:
            promises.files.forget(marker)
        if daemon.process.poll() is None:
            daemon.kill()
        machine.restart(promises=None, to=boot)


def start(folder, state, promises, machine, kills):
    """A start from files that nothing has damaged."""
    daemon = Daemon(folder, state, machine)
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
    machine = Machine(folder, numbers)
    os.mkdir(f"{folder}/config")
    with open(f"{folder}/config/rxd.toml", "w") as file:
        file.write(CONFIGURATION.replace("FOLDER", folder))
    state, saved = f"{folder}/state", f"{folder}/saved"
    kills, flips, ends = 0, 0, {"refused": 0, "whole": 0, "warned": 0, "anew": 0}
    while kills < KILLS or flips < FLIPS:
        machine.sometimes_restarts(promises, 0.15)
        daemon = start(folder, state, promises, machine, kills)
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
            ends[try_damaged(folder, state, promises, machine)] += 1
            put_back(state, saved)
            flips += 1
        if kills % PROGRESS == 0:
            print(f"chaos-disk: {kills} kills, {flips} damages", flush=True)
    print(
        f"chaos-disk: {kills} kills and stops, nothing lost of {promises.revision} revisions; {flips} damages: "
        f"{ends['refused']} refused, {ends['warned']} with a warning, {ends['whole']} whole, {ends['anew']} without "
        f"anything of a database; {machine.boots} starts in another boot")


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
