#!/usr/bin/env python3
"""What one greedy user costs the others: attacks on a release build, and how long an honest client waits meanwhile.

    Tests/chaos/fair.py [ATTACK...]      all of ATTACKS below without an argument

An attacker (user `nobody`, nice 19) does the worst that it may with the default limits. Meanwhile root sends requests
to rxd and, in turn, to the C echo of the benchmarks, whose times show what the machine itself costs. Each attack has
three rounds, each with a new daemon, of which the best counts:
  - root waits <= 50 ms at the 99th percentile and <= 250 ms at worst; beside reloads <= 10 ms and <= 50 ms;
  - the daemon grows by <= 64 MiB, and 10 s after the attack is within 8 MiB of its size before.

Needs root, for the second user. RXD names the daemon, ECHO the C echo; RX_SECONDS is the time of an attack (10),
RX_RELOADS the number of reloads (10000), RX_ROUNDS the number of rounds (3).
"""

import json
import os
import pwd
import resource
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
RXD = os.environ.get("RXD") or os.path.join(HERE, "../../.build/release/rxd")
ECHO = os.environ.get("ECHO")
SECONDS = float(os.environ.get("RX_SECONDS") or 10)
ROUNDS = int(os.environ.get("RX_ROUNDS") or 3)
RELOADS = int(os.environ.get("RX_RELOADS") or 10000)
PATIENCE = 60  # seconds for a start or an answer
GROWTH = 64 << 20  # bytes, during an attack
REST = 8 << 20  # bytes, 10 s after it

CONFIGURATION = """
[action.echo]
builtin = "echo"
[action.check]
builtin = "echo"
input = "schema.json"
[action.ticks]
builtin = "ticks"
overlap = "concurrent"
limit = 100
[action.megabyte]
run = ["sh", "-c", "head -c 1000000 /dev/zero | tr '\\\\0' x; sleep 3"]
overlap = "join"
[reactor.big]
initial = []
mutate = [{ mutation = ".action" }]
reduce = ".state + [.mutation]"
"""
SCHEMA = {
    "type": "object",
    "patternProperties": {f"^a{number}": {"type": "string", "pattern": "^[a-z]*$"} for number in range(20)},
    "additionalProperties": {
        "anyOf": [{"type": "integer"}, {"type": "boolean"}, {"type": "string", "pattern": "^(x|y)+$"}]},
}
MEGABYTE = json.dumps({f"b{number}": number for number in range(70_000)})


def request(method, params=None, id=None):
    message = {"jsonrpc": "2.0", "method": method}
    if id is not None:
        message["id"] = id
    if params is not None:
        message["params"] = params
    return json.dumps(message).encode() + b"\n"


def connect(path, isBlocking=True):
    peer = socket.socket(socket.AF_UNIX)
    peer.settimeout(PATIENCE)
    peer.connect(path)
    if not isBlocking:
        peer.setblocking(False)
    return peer


class Client:
    """One connection; requests are answered in order."""

    def __init__(self, path):
        self.socket = connect(path)
        self.lines = self.socket.makefile("rb")

    def line(self, data):
        self.socket.sendall(data)
        line = self.lines.readline()
        if not line:
            raise EOFError("the connection was closed")
        return line

    def call(self, method, params=None):
        return json.loads(self.line(request(method, params, 1)))


# --- Attacks ----------------------------------------------------------------------------------------------------------
# Each prepares the daemon as root, if it has a `prepare_` function, then attacks until it is killed.


def send_slowly(peers, data):
    """Sends `data` to each, as fast as the daemon reads, and then keeps the connections."""
    left, writable = {peer.fileno(): [peer, 0] for peer in peers}, select.poll()
    for peer in peers:
        writable.register(peer, select.POLLOUT)
    while left:
        for number, _ in writable.poll():
            peer, sent = left[number]
            try:
                sent += peer.send(data[sent:sent + 65536])
            except BlockingIOError:
                continue
            left[number][1] = sent
            if sent == len(data):
                writable.unregister(number)
                del left[number]
    time.sleep(PATIENCE)


def attack_validate(path):
    """250 connections with a valid megabyte each, for `action.check`."""
    line = request("action.check", {"action": "check", "input": json.loads(MEGABYTE)}, 1)
    send_slowly([connect(path, False) for _ in range(250)], line)


def attack_execute(path):
    """The same, executed."""
    line = request("action.execute", {"action": "check", "input": json.loads(MEGABYTE)}, 1)
    send_slowly([connect(path, False) for _ in range(250)], line)


def prepare_records(client):
    for _ in range(3000):
        client.call("action.execute", {"action": "echo", "input": "y" * 900})


prepare_lists = prepare_notifications = prepare_records


def attack_lists(path):
    """A thousand lists of a full history, none of which is read."""
    peer = connect(path)
    for number in range(1000):
        peer.sendall(request("execution.list", None, number))
    time.sleep(PATIENCE)


def attack_notifications(path):
    """Lists as notifications, which have no answer."""
    peer, lines = connect(path), request("execution.list") * 1000
    while True:
        peer.sendall(lines)


def prepare_states(client):
    for _ in range(12):
        client.call("reactor.dispatch", {"reactor": "big", "action": "x" * 900_000})


def attack_states(path):
    """200 clients that request a state of 11 MB and do not read it."""
    peers = [connect(path) for _ in range(200)]
    for peer in peers:
        peer.sendall(request("reactor.state", {"reactor": "big"}, 1))
    time.sleep(PATIENCE)


def attack_join(path):
    """Four connections that each join an execution with an element of a megabyte a thousand times."""
    peers = [connect(path) for _ in range(4)]
    for peer in peers:
        for number in range(1000):
            peer.sendall(request("action.execute", {"action": "megabyte"}, number))
    time.sleep(PATIENCE)


def attack_partial(path):
    """250 lines of a megabyte without an end."""
    send_slowly([connect(path, False) for _ in range(250)], b"x" * 1_000_000)


def attack_trickle(path):
    """60 paced streams of a thousand elements a second, read a few bytes at a time."""
    peers = [connect(path) for _ in range(60)]
    for peer in peers:
        peer.sendall(request("action.execute", {
            "action": "ticks", "input": {"count": 10_000_000, "interval": "1ms"}, "stream": "ticks"}, 1))
    while True:
        for peer in peers:
            peer.recv(64)
        time.sleep(0.5)


def attack_flood(path):
    """200 connections that send small requests as fast as they can."""
    peers = [connect(path, False) for _ in range(200)]
    lines = request("action.execute", {"action": "echo", "input": 1}, 1) * 500
    while True:
        for peer in peers:
            for act in (lambda: peer.send(lines), lambda: peer.recv(1 << 18)):
                try:
                    act()
                except BlockingIOError:
                    pass


def attack_connections(path):
    """Connections without an end; each that the daemon closes is made again."""
    peers, closed = {}, select.poll()
    while True:
        try:
            peer = connect(path)
            peers[peer.fileno()] = peer
            closed.register(peer, select.POLLHUP)
        except OSError:
            time.sleep(0.01)
        for number, _ in closed.poll(0):
            closed.unregister(number)
            peers.pop(number).close()


ATTACKS = {name[7:]: function for name, function in list(globals().items()) if name.startswith("attack_")}


# --- Rounds -----------------------------------------------------------------------------------------------------------


class Daemon:
    def __init__(self, folder):
        self.folder, self.path = folder, folder + "/rxd.sock"
        os.mkdir(folder + "/config")
        self.configure("")
        self.log = open(folder + "/log", "w")
        self.process = subprocess.Popen(
            [RXD, "--config", folder + "/config", "--state", folder + "/state", "--socket", self.path],
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=subprocess.STDOUT)
        wait_for(self.path, self.process, folder + "/log")
        os.chmod(self.path, 0o666)

    def configure(self, more):
        write(self.folder + "/config/schema.json", json.dumps(SCHEMA))
        write(self.folder + "/config/rxd.toml", CONFIGURATION + more)

    def memory(self):
        with open(f"/proc/{self.process.pid}/statm") as file:
            return int(file.read().split()[1]) * resource.getpagesize()

    def stop(self):
        if self.process.poll() is not None:
            sys.exit(f"fair: the daemon ended with {self.process.returncode}\n" + open(self.folder + "/log").read())
        self.process.terminate()
        self.process.wait(PATIENCE)


def write(path, text):
    with open(path + ".new", "w") as file:
        file.write(text)
    os.rename(path + ".new", path)


def wait_for(path, process, log):
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and process.poll() is None:
        try:
            return connect(path).close()
        except OSError:
            time.sleep(0.01)
    sys.exit(f"fair: nothing listens at {path}\n" + open(log).read())


def start_attack(name, path):
    attacker = os.fork()
    if attacker:
        return attacker
    try:
        os.nice(19)
        nobody = pwd.getpwnam("nobody")
        os.setgid(nobody.pw_gid)
        os.setuid(nobody.pw_uid)
        ATTACKS[name](path)
    except BaseException as error:  # What stops an attacker is what the daemon may do.
        print(f"    the attacker ended: {error!r}", flush=True)
        while True:
            time.sleep(PATIENCE)
    finally:
        os._exit(0)


def stop_attack(attacker):
    os.kill(attacker, signal.SIGKILL)
    os.waitpid(attacker, 0)


class Times:
    def __init__(self):
        self.all = []

    def measure(self, body):
        start = time.monotonic()
        body()
        self.all.append((time.monotonic() - start) * 1000)

    @property
    def p99(self):
        return sorted(self.all)[len(self.all) * 99 // 100]

    @property
    def worst(self):
        return max(self.all)


PING = request("action.execute", {"action": "echo", "input": 1}, 1)


def ping(daemon, echo, rxd, c, until):
    """Alternates between the two until `until()`. Every fiftieth request has a connection of its own."""
    honest, other, peak = Client(daemon.path), Client(echo), 0
    while not until():
        if len(rxd.all) % 50 == 49:
            rxd.measure(lambda: Client(daemon.path).line(PING))
        else:
            rxd.measure(lambda: honest.line(PING))
        c.measure(lambda: other.line(PING))
        peak = max(peak, daemon.memory())
        time.sleep(0.002)
    return peak


def report(name, rxd, c, more):
    print(f"  {name:14} rxd p99 {rxd.p99:6.1f} worst {rxd.worst:6.1f} ms   C echo {c.p99:6.1f} {c.worst:6.1f} ms   "
          f"{len(rxd.all):6} requests   {more}", flush=True)


def attack_round(name, folder, echo):
    daemon = Daemon(folder)
    prepare = globals().get("prepare_" + name)
    if prepare:
        prepare(Client(daemon.path))
    rxd, c = Times(), Times()
    ping(daemon, echo, Times(), Times(), deadline(1))
    before = daemon.memory()
    attacker = start_attack(name, daemon.path)
    peak = ping(daemon, echo, rxd, c, deadline(SECONDS))
    stop_attack(attacker)
    time.sleep(10)
    after = daemon.memory()
    daemon.stop()
    mib = [size / (1 << 20) for size in (before, peak, after)]
    report(name, rxd, c, f"{mib[0]:5.1f} -> {mib[1]:5.1f} -> {mib[2]:5.1f} MiB")
    faults = []
    if rxd.p99 > 50:
        faults.append("p99 over 50 ms")
    if rxd.worst > 250:
        faults.append("worst over 250 ms")
    if peak - before > GROWTH:
        faults.append("grows by over 64 MiB")
    if after - before > REST:
        faults.append("keeps over 8 MiB")
    return faults


def reload_round(folder, echo):
    """Reloads one after the other by a client of its own, every third of a faulty configuration."""
    daemon = Daemon(folder)
    rxd, c = Times(), Times()
    ping(daemon, echo, Times(), Times(), deadline(1))
    reloader = os.fork()
    if reloader == 0:
        os.nice(19)
        client, faulty = Client(daemon.path), 0
        for number in range(RELOADS):
            if number % 3 == 2:
                daemon.configure('[reactor.bad]\ninitial = 0\nmutate = [{ mutation = ".action |" }]\nreduce = "."\n')
            else:
                daemon.configure(f'[reactor.r{number % 7}]\ninitial = {number}\nmutate = [{{ mutation = ".action" }}]\n'
                                 'reduce = ".state"\n')
            faulty += "error" in client.call("server.reload")
        os._exit(0 if faulty == RELOADS // 3 else 1)
    peak = ping(daemon, echo, rxd, c, has_ended(reloader))
    daemon.stop()
    report("reloads", rxd, c, f"peak {peak / (1 << 20):5.1f} MiB   beside {RELOADS} reloads")
    faults = []
    if reloads_status != 0:
        faults.append("a reload had the wrong answer")
    if rxd.p99 > 10:
        faults.append("p99 over 10 ms")
    if rxd.worst > 50:
        faults.append("worst over 50 ms")
    return faults


reloads_status = None


def has_ended(process):
    def check():
        global reloads_status
        ended, status = os.waitpid(process, os.WNOHANG)
        if ended:
            reloads_status = status
        return bool(ended)

    return check


def deadline(seconds):
    end = time.monotonic() + seconds
    return lambda: time.monotonic() >= end


def main():
    names = sys.argv[1:] or [*ATTACKS, "reloads"]
    unknown = [name for name in names if name not in ATTACKS and name != "reloads"]
    if unknown:
        sys.exit(f"fair: no attack {unknown[0]}; there are {', '.join(ATTACKS)}, reloads")
    if os.geteuid() != 0:
        return print("fair: skipped; only root can attack as another user")
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(65536, resource.getrlimit(resource.RLIMIT_NOFILE)[1]),) * 2)
    work = tempfile.mkdtemp(prefix="rxd-fair.")
    os.chmod(work, 0o755)
    echo, failed = work + "/echo.sock", []
    program = ECHO or work + "/echo"
    if not ECHO:
        subprocess.run(["cc", "-O2", "-o", program, HERE + "/../../Benchmarks/c/echo.c"], check=True)
    c_echo = subprocess.Popen([program, echo], stderr=open(work + "/echo.log", "w"))
    try:
        wait_for(echo, c_echo, work + "/echo.log")
        for name in names:
            for number in range(ROUNDS):
                folder = f"{work}/{name}.{number}"
                os.mkdir(folder, 0o755)
                faults = reload_round(folder, echo) if name == "reloads" else attack_round(name, folder, echo)
                if not faults:
                    break
                print(f"    round {number + 1}: {', '.join(faults)}", flush=True)
            else:
                failed.append(name)
    finally:
        c_echo.kill()
        shutil.rmtree(work, ignore_errors=True)
    if failed:
        sys.exit(f"fair: FAILED: {', '.join(failed)}")
    print("fair: passed")


main()
