#!/usr/bin/env python3
"""A minute of bad company for rxd, and honest clients that must not notice.

Chaotic peers, seeded, send half lines, garbage and floods, stall, vanish, and subscribe to everything. Meanwhile
  - a publisher executes `honest` and `quiet` with running numbers,
  - the honest reader follows `honest` on all channels, and comes back with its cursor now and then: no seq and no
    number may be missing, no cursor may fall, and what a `lag` counts is counted again in what the daemon has kept,
  - the slow reader follows `quiet` and stalls: what it received and what it was told it lost is what was published,
  - the levels reader stalls, too: it may miss levels, but is never told of a lag, and ends with the newest ones,
  - a pinger wants its answers in time.
At the end nothing may be left of anyone: no subscription, execution, descriptor.

RX_SEED repeats the decisions of a run (not its timing), RX_SECONDS limits its time, RXD names the daemon.
"""

import collections
import json
import multiprocessing
import os
import random
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import traceback

SEED = int(os.environ.get("RX_SEED") or random.SystemRandom().randrange(1 << 32))
SECONDS = float(os.environ.get("RX_SECONDS") or 60)
RXD = os.environ.get("RXD") or os.path.join(os.path.dirname(__file__), "../../.build/debug/rxd")

WORKERS = 2  # processes of chaotic peers: one would not keep two cores busy
PEERS = 6  # of each, at a time
# Seconds, without those for which the daemon or the pinger waited for a core: what is left is what the daemon did for
# others meanwhile. Most of it is looking through rings ten times as large as usual for who subscribes, and dropping
# events of those who stall. A debug build takes half of this once the rings are full; a release 0.2 and 0.03.
PING_WORST = 2.0
PING_P99 = 1.0
ANSWER = 20.0  # seconds after which an answer will not come any more
RSS = 400 << 20  # bytes; most of it is what the rings below may keep
LINE_BYTES = 1 << 20
SUBSCRIPTIONS = 256
KEPT_EVENTS = 100000

CONFIGURATION = f"""
[limits]
lineBytes = {LINE_BYTES}
subscriptionsPerConnection = {SUBSCRIPTIONS}
replayEvents = {KEPT_EVENTS} # whoever comes back after seconds of flood shall find everything
replayBytes = 33554432
replayBytesOfAll = 268435456
[history]
count = 100
[action.honest]
builtin = "echo"
[action.quiet]
builtin = "echo"
[action.echo]
builtin = "echo"
[action.keyed] # an input with a key takes its action until the key is stored: nobody else counts on this one
builtin = "echo"
[action.toy]
builtin = "echo"
scheduler = "serial"
overlap = "queue"
[action.fail]
builtin = "fail"
[action.ticks]
builtin = "ticks"
overlap = "concurrent"
limit = 32
[action.lines]
run = ["seq", "1", {{ input = "/count" }}]
overlap = "concurrent"
limit = 4
"""

EVENTS = ["elements", "errors", "executions"]
LEVELS = ["executing", "enabled"]


IDLE = {"executing": False, "enabled": {"enabled": True, "reason": None}}


class Fault(Exception):
    """Something the daemon must not do."""


def expect(condition, *seen):
    if not condition:
        raise Fault(" ".join(item if isinstance(item, str) else json.dumps(item)[:2000] for item in seen))


# --- The wire ---------------------------------------------------------------------------------------------------------


class Wire:
    """One connection. Whatever it reads is checked: JSON, one of a kind, each subscription's seq and cursors."""

    lines_sent = 0  # by all of this process

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(ANSWER)
        self.socket.connect(path)
        self.received = b""
        self.lines = collections.deque()
        self.events = collections.deque()  # that came while an answer was waited for
        self.next_id = 0
        self.streams = {}  # name -> (seq, cursor) of its last event
        self.last = {}  # name -> its last event
        self.counts = {}  # name of an execution's stream -> its elements so far, with those lost; None: unknown
        self.cut = {}  # name of an execution's stream -> its last line, which was cut
        self.asked = {}  # id of a request -> the params it subscribed with
        self.subscribed = {}  # name -> those of that stream; empty for an execution's

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.socket.close()

    def raw(self, data):
        Wire.lines_sent += 1
        self.socket.sendall(data)

    def send(self, method, params=None, **more):
        self.next_id += 1
        if method == "subscribe":
            self.asked[self.next_id] = params
        self.raw(request(method, params, id=self.next_id, **more))
        return self.next_id

    def message(self, wait=ANSWER):
        """The next one; None at the end of the stream or when `wait` is over."""
        deadline = time.monotonic() + wait
        while not self.lines:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.socket], [], [], left)[0]:
                return None
            data = self.socket.recv(1 << 18)
            if not data:
                return None
            *lines, self.received = (self.received + data).split(b"\n")
            self.lines.extend(lines)
        line = self.lines.popleft()
        try:
            message = json.loads(line)
        except ValueError:
            raise Fault("this line is no JSON: " + repr(line[:500]))
        self.check(message)
        return message

    def check(self, message):
        if isinstance(message, list):
            expect(message and all("id" in each for each in message), "a strange batch:", message)
        elif message.get("method") == "event":
            self.check_event(message["params"])
        else:
            expect(("result" in message) != ("error" in message) and "id" in message, "a strange answer:", message)
            result = message.get("result")
            is_stream = isinstance(result, dict) and "subscription" in result
            if is_stream and ("cursor" in result or "disposition" in result):
                self.streams[result["subscription"]] = (0, number(result["cursor"]) if "cursor" in result else 0)
                self.subscribed[result["subscription"]] = self.asked.get(message["id"], {})

    def check_event(self, event):
        name, channel = event["subscription"], event["channel"]
        expect(name in self.streams, "an event of a stream that is not open (any more):", event)
        seq, cursor = self.streams[name]
        expect(event["seq"] == seq + 1, f"seq {event['seq']} follows {seq}:", event)
        expect(sum(key in event for key in ("value", "error", "patch")) == 1, "not one of value, error, patch:", event)
        if channel == "end":
            del self.streams[name]
            self.last.pop(name, None)
            self.counts.pop(name, None)
            self.cut.pop(name, None)
            return
        params = self.subscribed[name]
        if "channels" in params:
            asked = params["channels"]
            expect(channel in asked or channel == "lag", f"only {asked} were asked for:", event)
            expect(channel != "lag" or set(asked) & set(EVENTS), "levels alone lag:", event)
        at = number(event["cursor"])
        if channel == "lag":
            value = event["value"]
            first, last = number(value["first"]), number(value["last"])
            # The lost events may begin before others, of other names or kinds, that were sent meanwhile.
            expect(cursor <= last and first <= last <= at,
                   f"after cursor {cursor} a lag out of place:", event, "of", params)
            # An execution's stream has one order.
            expect(cursor < first or params, f"after cursor {cursor} a lag out of place:", event)
            # Null: events whose executions have left the history meanwhile, which nobody can count any more.
            dropped = value["dropped"]
            adds_up = dropped is None or 1 <= dropped <= last - first + 1
            expect(adds_up, "a lag that does not add up:", event, "of", params)
        expect(at > cursor or channel == "lag", f"cursor {at} follows {cursor}:", event, "after", self.last.get(name))
        self.streams[name] = (event["seq"], at)
        self.last[name] = event
        if not params:
            self.check_count(name, channel, event)

    def check_count(self, name, channel, event):
        """What `lines` yields are the numbers from 1. After a loss of an unknown number nobody knows any more."""
        count = self.counts.get(name, 0)
        lost = event["value"]["dropped"] if channel == "lag" else 1 if channel == "elements" else 0
        self.counts[name] = count = None if count is None or lost is None else count + lost
        if channel == "elements" and event["action"] == "lines" and count is not None:
            before = self.cut.pop(name, None)
            expect(before is None, f"after a line that is not whole, {before!r}, comes another:", event)
            if event["value"] != str(count):
                # A process that is killed (timeout, cancel) leaves what of its last line was in the pipe.
                expect(str(count).startswith(event["value"]),
                       f"this is element {count}, with those that were lost:", event)
                self.cut[name] = event["value"]

    def answer(self, id):
        """What answers the request `id`; events that come before it are kept in `events`."""
        deadline = time.monotonic() + ANSWER
        while True:
            message = self.message(deadline - time.monotonic())
            if message is None:
                raise Fault(f"no answer to request {id} within {ANSWER} s, or the connection was closed")
            if isinstance(message, dict) and message.get("method") == "event":
                self.events.append(message["params"])
            elif isinstance(message, dict) and message["id"] == id:
                return message

    def any_answer(self):
        """The next that is no event."""
        while True:
            message = self.message()
            if message is None:
                raise Fault(f"no answer within {ANSWER} s, or the connection was closed")
            if isinstance(message, list) or "id" in message:
                return message

    def call(self, method, params=None):
        message = self.answer(self.send(method, params))
        expect("result" in message, f"{method}", params, "is answered with", message)
        return message["result"]

    def event(self, wait=ANSWER):
        """The next event; None when `wait` is over."""
        if self.events:
            return self.events.popleft()
        message = self.message(wait)
        while message is not None and not (isinstance(message, dict) and message.get("method") == "event"):
            message = self.message(wait)
        return message and message["params"]


def request(method, params=None, **more):
    message = {"jsonrpc": "2.0", "method": method, **more}
    if params is not None:
        message["params"] = params
    return json.dumps(message).encode() + b"\n"


def levels_of(action):
    """The levels in a snapshot or a description, as their events have them."""
    return {"executing": action["executing"], "enabled": {key: action[key] for key in ("enabled", "reason")}}


def number(cursor):
    return int(cursor.split(":")[1])


# --- The chaotic peers ------------------------------------------------------------------------------------------------


class Peer:
    """What a behavior has at hand. Its decisions come from its own random numbers alone."""

    def __init__(self, path, place, until):
        self.path, self.until = path, until
        self.random = random.Random(f"{SEED}/{place}")
        self.operations = 0

    def connect(self):
        return Wire(self.path)

    def behave(self):
        behavior = self.random.choices(BEHAVIORS, WEIGHTS)[0]
        try:
            behavior(self)
        except Fault as fault:
            raise Fault(f"{behavior.__name__}: {fault}")
        except (ConnectionError, socket.timeout):
            pass  # closed by the daemon, or it reads no more from one who floods it: both are its right

    def some(self, low, high):
        """Often little, seldom much."""
        return int(low * (high / low) ** self.random.random())

    def linger(self, longest=2.0):
        time.sleep(min(self.random.random() * longest, max(0, self.until - time.monotonic())))

    def input(self):
        return {"mark": self.random.randrange(1 << 30), "pad": "x" * self.some(1, 2000)}

    def execute(self, **more):
        """The params of some execution, none of which lasts."""
        kind = self.random.choice(["honest", "honest", "echo", "toy", "fail", "ticks", "ticks", "lines", "none"])
        given = self.input()
        if kind == "ticks":
            given = {"count": self.some(1, 500), "interval": "1ms"}
        elif kind == "lines":
            given = {"count": self.some(1, 20000)}
        params = {"action": kind, "input": given, **more}
        if self.random.random() < 0.3:
            params["onDisconnect"] = self.random.choice(["cancel", "detach"])
        if self.random.random() < 0.2:
            params["timeout"] = self.random.choice(["1ms", "50ms", "2s"])
        if self.random.random() < 0.1:
            params["key"] = f"k{self.random.randrange(100)}"
            if kind in ("honest", "echo"):
                params["action"] = "keyed"
        return params

    def subscribe(self, name):
        action = self.random.choice(["honest", "ticks", "toy", ["honest", "lines"], "*"])
        params = {"subscription": name, "action": action}
        if self.random.random() < 0.7:
            params["channels"] = self.random.sample(EVENTS + LEVELS, self.random.randint(1, 5))
        if self.random.random() < 0.7:
            params["buffer"] = self.some(1, 1024)
        if self.random.random() < 0.5:
            params["overflow"] = self.random.choice(["drop-oldest", "drop-newest", "end"])
        if self.random.random() < 0.5:
            params["from"] = self.random.choice(["now", "last", "execution"])
        return params

    def read(self, wire, most=2000, wait=0.2):
        for _ in range(most):
            if wire.message(wait) is None:
                break

    def flood(self, wire, data):
        """Sends as long as anybody takes it, but not for long."""
        wire.socket.settimeout(0.5)
        wire.raw(data)
        wire.socket.settimeout(ANSWER)


def half_line(peer):
    with peer.connect() as wire:
        line = request("action.execute", peer.execute(), id=1)
        wire.raw(line[: peer.random.randrange(len(line))])
        peer.linger()
        if peer.random.random() < 0.5:
            wire.socket.shutdown(socket.SHUT_WR)
            peer.read(wire)


def bytewise(peer):
    with peer.connect() as wire:
        line = request("action.execute", {"action": "echo", "input": peer.random.randrange(1000)}, id=1)
        for place in range(len(line)):
            wire.raw(line[place : place + 1])
        expect("result" in wire.answer(1), "no result for a request that came byte by byte")


def stall(peer):
    """Subscribes, reads nothing for a while, and then all of it."""
    with peer.connect() as wire:
        for each in range(peer.some(1, 20)):
            wire.send("subscribe", peer.subscribe(f"s{each}"))
        peer.linger(3)
        peer.read(wire)


def vanish(peer):
    wire = peer.connect()
    for each in range(peer.some(1, 20)):
        stream = {"stream": f"x{each}"} if peer.random.random() < 0.5 else {}
        wire.send("action.execute", peer.execute(**stream))
        if peer.random.random() < 0.3:
            wire.send("subscribe", peer.subscribe(f"s{each}"))
    wire.close()


def flood_of_requests(peer):
    """Many requests at once; each must be answered if it is read at all."""
    with peer.connect() as wire:
        count = peer.some(100, 3000)
        lines = [request("action.execute", {"action": "echo", "input": peer.input()}, id=each) for each in range(count)]
        if peer.random.random() < 0.5:
            peer.flood(wire, b"".join(lines))  # and reads nothing of what it gets
            return
        sender = threading.Thread(target=swallow, args=(wire.raw, b"".join(lines)))
        sender.start()
        answered = {wire.any_answer()["id"] for _ in range(count)}
        sender.join()
        peer.operations += count
        expect(answered == set(range(count)), f"{count} requests have {len(answered)} answers")


def flood_of_output(peer):
    """Output of processes and ticks, unread for a while. Nobody else may wait for it."""
    with peer.connect() as wire:
        for each in range(peer.some(1, 8)):
            wire.send("action.execute", {"action": "lines", "input": {"count": peer.some(1000, 100000)},
                                         "stream": f"x{each}", "onDisconnect": "cancel"})
        peer.linger(3)
        if peer.random.random() < 0.5:
            peer.read(wire, 20000)


def resubscribe(peer):
    """The same name again and again: a response first, then events, then an end."""
    with peer.connect() as wire:
        for _ in range(peer.some(1, 30)):
            name = f"s{peer.random.randrange(3)}"
            params = peer.subscribe(name)
            answer = wire.answer(wire.send("subscribe", params))
            if "error" in answer and answer["error"]["data"]["name"] == "cursorExpired":
                # The start of what is in flight may be long ago.
                expect(params.get("from") == "execution", "nothing expires from", params, ":", answer)
            elif "error" in answer:
                expect(answer["error"]["data"]["name"] == "duplicateSubscription", "a subscription is refused:", answer)
                wire.answer(wire.send("unsubscribe", {"subscription": name}))
            if peer.random.random() < 0.3:
                wire.send("action.execute", peer.execute())


def garbage(peer):
    with peer.connect() as wire:
        for _ in range(peer.some(1, 40)):
            line = peer.random.choice([
                peer.random.randbytes(peer.some(1, 5000)) + b"\n",
                b"[" * peer.some(1, 1000) + b"\n",
                b'{"jsonrpc":"2.0","id":{},"method":7}\n',
                b'{"jsonrpc":"2.0","id":1,"result":1}\n',
                b'{"jsonrpc":"2.0","id":1,"method":"subscribe","params":{"subscription":"","action":[]}}\n',
                b'{"jsonrpc":"2.0","id":1e400,"method":"server.status"}\n',
                b"\r\n\n\x00\n", b"[]\n", b"null\n", b"\xff\xfe\n",
            ])
            wire.raw(line)
        peer.read(wire)


def http(peer):
    """One clear error, and goodbye."""
    with peer.connect() as wire:
        wire.raw(b"GET /index.html HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\n\r\n")
        message = wire.message()
        expect(message and message.get("error", {}).get("code") == -32700, "HTTP is answered with", message)
        expect(wire.message() is None, "HTTP is answered with more than one line")


def huge_line(peer):
    with peer.connect() as wire:
        size = peer.random.choice([LINE_BYTES // 2, LINE_BYTES - 200, LINE_BYTES + 1, 3 * LINE_BYTES])
        line = request("action.execute", {"action": "echo", "input": "x" * size}, id=1)
        swallow(wire.raw, line if peer.random.random() < 0.7 else line[:-1])
        message = wire.message(2)
        if message and len(line) > LINE_BYTES + 1:
            expect(message.get("error", {}).get("code") == -32021, "a line that is too long is answered with", message)
        peer.read(wire)


def many_subscriptions(peer):
    with peer.connect() as wire:
        count = peer.some(50, SUBSCRIPTIONS + 20)
        ids = [wire.send("subscribe", {**peer.subscribe(f"m{each}"), "overflow": "drop-oldest", "from": "now"})
               for each in range(count)]
        refused = sum("error" in wire.answer(id) for id in ids)
        expect(refused == max(0, count - SUBSCRIPTIONS), f"{refused} of {count} subscriptions were refused")
        peer.linger(1)
        if peer.random.random() < 0.5:
            peer.read(wire)


def batches(peer):
    with peer.connect() as wire:
        for _ in range(peer.some(1, 20)):
            count = peer.some(1, 64)
            requests = [json.loads(request("action.execute", peer.execute(), id=each)) for each in range(count)]
            if peer.random.random() < 0.2:
                requests[0] = peer.random.choice([1, "x", {}, {"jsonrpc": "2.0", "id": 0, "method": "subscribe"}])
            wire.raw(json.dumps(requests).encode() + b"\n")
            message = wire.message()
            expect(isinstance(message, list) and len(message) == count, f"a batch of {count} is answered with", message)
        peer.operations += count


def cancels(peer):
    """Begins ticks and cancels them: the stream ends, with that reason or because it was over."""
    with peer.connect() as wire:
        for each in range(peer.some(1, 10)):
            began = wire.answer(wire.send("action.execute", {
                "action": "ticks", "input": {"count": 300, "interval": "1ms"}, "stream": f"x{each}"}))
            if "error" in began:
                return  # too many are ticking
            if peer.random.random() < 0.3:
                wire.send("unsubscribe", {"subscription": f"x{each}"})
            wire.answer(wire.send("execution.cancel", {"execution": began["result"]["execution"]}))
            while f"x{each}" in wire.streams:
                expect(wire.message() is not None, "a canceled execution's stream does not end")


def executes(peer):
    with peer.connect() as wire:
        for each in range(peer.some(1, 50)):
            stream = {"stream": f"x{each}"} if peer.random.random() < 0.5 else {}
            params = peer.execute(**stream)
            answer = wire.answer(wire.send("action.execute", params))
            while f"x{each}" in wire.streams:
                expect(wire.message() is not None, "no end of", params, "after", answer)
        peer.read(wire, wait=0)


def resumes(peer):
    """From cursors that are known, gone, foreign or invented."""
    with peer.connect() as wire:
        cursor = wire.call("server.status")["cursor"]
        epoch, at = cursor.split(":")
        for each in range(peer.some(1, 10)):
            asked = peer.random.choice([
                cursor, f"{epoch}:{max(0, int(at) - peer.some(1, 100000))}", f"{epoch}:{int(at) + 10**12}", "0:0",
                f"ffff:{at}", "x", f"{epoch}:-1"])
            answer = wire.answer(wire.send("subscribe", {
                "subscription": f"r{each}", "action": "honest", "from": {"cursor": asked}}))
            if "result" in answer:
                expect(answer["result"]["cursor"] == asked, f"asked for {asked}:", answer)
        peer.read(wire, peer.some(1, 3000))


def follows(peer):
    """Subscribes to executions of others."""
    with peer.connect() as wire:
        records = wire.call("execution.list")["executions"]
        ids = [record["execution"] for record in records[-peer.some(1, 20):]]
        if ids:
            wire.answer(wire.send("subscribe", {"subscription": "f", "execution": ids, "channels": EVENTS,
                                                "from": peer.random.choice(["now", "execution"])}))
            peer.read(wire, 500)


def half_closed(peer):
    """Announces that no more requests come, and still gets each answer."""
    with peer.connect() as wire:
        count = peer.some(1, 100)
        for _ in range(count):
            wire.send("action.execute", peer.execute())
        wire.socket.shutdown(socket.SHUT_WR)
        answers = 0
        while wire.message() is not None:
            answers += 1
        expect(answers == count, f"{count} requests before the end of input have {answers} answers")


def switches(peer):
    """Switches an action off and on, and has the configuration read again."""
    with peer.connect() as wire:
        for _ in range(peer.some(1, 10)):
            wire.call(peer.random.choice(["action.disable", "action.enable"]), {"action": "toy"})
        wire.call("action.enable", {"action": "toy"})
        if peer.random.random() < 0.1:
            wire.call("server.reload")


def looks(peer):
    with peer.connect() as wire:
        wire.call("server.hello", {"client": "chaos", "protocol": {"min": 1, "max": 1}})
        for method in ("rpc.discover", "action.list", "execution.list", "server.status"):
            wire.call(method)


def idle(peer):
    with peer.connect():
        peer.linger(3)


BEHAVIORS = [half_line, bytewise, stall, vanish, flood_of_requests, flood_of_output, resubscribe, garbage, http,
              huge_line, many_subscriptions, batches, cancels, executes, resumes, follows, half_closed, switches, looks,
              idle]
WEIGHTS = [4, 4, 8, 8, 3, 3, 6, 6, 4, 2, 3, 4, 6, 8, 4, 4, 4, 2, 2, 2]


def swallow(function, *arguments):
    """For those that send while the daemon may close."""
    try:
        function(*arguments)
    except OSError:
        pass


def worker(path, place, until, report):
    """A process of chaotic peers. They shall wear out the daemon, not the processor on which the others wait for it."""
    os.nice(10)
    faults, operations = [], []

    def run(peer):
        try:
            while time.monotonic() < peer.until and not faults:
                peer.behave()
        except Exception as error:
            faults.append(f"peer {place}: {error if isinstance(error, Fault) else traceback.format_exc()}")

    peers = [Peer(path, f"{place}/{each}", until) for each in range(PEERS)]
    threads = [threading.Thread(target=run, args=(peer,)) for peer in peers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    report.send({"operations": sum(peer.operations for peer in peers) + Wire.lines_sent, "faults": faults})


# --- The honest clients -----------------------------------------------------------------------------------------------


def loop_thread(process):
    """The folder in /proc of the thread that serves everybody."""
    for thread in os.listdir(f"/proc/{process}/task"):
        folder = f"/proc/{process}/task/{thread}"
        with open(folder + "/comm") as file:
            if file.read() == "rxd.loop\n":
                return folder
    raise Fault("the daemon has no loop")


class Cores:
    """How long two threads have waited for a core so far, and the first has run, in seconds."""

    def __init__(self, *threads):
        self.files = [open(folder + "/schedstat") for folder in threads]

    def now(self):
        numbers = []
        for file in self.files:
            file.seek(0)
            numbers.append([int(number) / 1e9 for number in file.read().split()[:2]])
        return numbers[0][0], sum(waited for _, waited in numbers)


def pinger(path, daemon, until, report):
    """Asks and waits, now and then on a connection of its own."""
    times, served, faults = [], [], []
    try:
        wire = Wire(path)
        cores = Cores(loop_thread(daemon), "/proc/thread-self")
        while time.monotonic() < until:
            ran, waited = cores.now()
            begin = time.monotonic()
            if len(times) % 50 == 49:
                wire.close()
                wire = Wire(path)
            result = wire.call("action.execute", {"action": "echo", "input": len(times)})
            times.append(time.monotonic() - begin)
            after = cores.now()
            served.append((times[-1] - (after[1] - waited), after[0] - ran))
            expect(result["elements"] == [len(times) - 1], "a ping is answered with", result)
            time.sleep(0.002)
        wire.close()
    except Exception as error:
        faults.append(f"pinger: {error if isinstance(error, Fault) else traceback.format_exc()}")
    times.sort()
    served.sort()
    if served and served[-1][0] > PING_WORST:
        faults.append(f"pinger: a ping took {served[-1][0]:.2f} s, "
                      f"{served[-1][1]:.2f} s of which the daemon served others")
    elif served and served[len(served) * 99 // 100][0] > PING_P99:
        faults.append(f"pinger: one ping in a hundred took {served[len(served) * 99 // 100][0]:.2f} s or more")
    report.send({"times": times, "served": [time for time, _ in served], "faults": faults})


class Progress:
    """How far everyone is, for those who wait for each other."""

    def __init__(self, until):
        self.until = until
        self.changed = threading.Condition()
        self.published = {"honest": 0, "quiet": 0}
        self.read = 0  # of honest
        self.is_reader_away = False
        self.is_over = False  # nothing more is published
        self.missing = lambda: []  # what has not happened yet, and without which the run would prove nothing
        self.faults = []

    def is_time_over(self):
        """A slow machine gets longer: the honest clients go on until everything that must happen has happened."""
        now = time.monotonic()
        return now > self.until and (not self.missing() or now > self.until + 3 * ANSWER)

    def update(self, **values):
        with self.changed:
            for name, value in values.items():
                setattr(self, name, value)
            self.changed.notify_all()

    def wait(self, condition, wait=ANSWER):
        with self.changed:
            return self.changed.wait_for(lambda: self.faults or condition(), wait)

    def run(self, client):
        try:
            client()
        except Exception as error:
            text = f"{error}" if isinstance(error, Fault) else traceback.format_exc()
            self.update(faults=self.faults + [f"{client.__self__.__class__.__name__}: {text}"])


class Publisher:
    """Executes with running numbers, some requests ahead of the answers, but not too far ahead of the reader."""

    def __init__(self, path, progress):
        self.path, self.progress = path, progress
        self.random = random.Random(f"{SEED}/publisher")

    def run(self):
        progress = self.progress
        with Wire(self.path) as wire:
            while not progress.is_time_over() and not progress.faults:
                # Mostly so few that the reader keeps up, sometimes so many that it cannot.
                window = self.random.choice([20, 100, 100, 2000])
                progress.wait(
                    lambda: progress.is_reader_away or progress.published["honest"] - progress.read < window, 1)
                action = self.random.choice(["honest", "honest", "quiet"])
                count = self.random.randint(1, 32)
                begin = progress.published[action]
                size = 8000 if action == "quiet" else self.random.choice([1, 100, 100, 3000])
                inputs = [{"n": begin + each, "pad": "x" * size} for each in range(1, count + 1)]
                ids = [wire.send("action.execute", {"action": action, "input": each}) for each in inputs]
                for id, input in zip(ids, inputs):
                    answer = wire.answer(id)
                    expect(answer.get("result", {}).get("elements") == [input], "echo of", input, "is", answer)
                progress.update(published={**progress.published, action: begin + count})
        progress.update(is_over=True)


class HonestReader:
    """Follows `honest` on all channels and checks all there is to check; comes back with its cursor now and then."""

    def __init__(self, path, progress):
        self.path, self.progress = path, progress
        self.random = random.Random(f"{SEED}/reader")
        self.cursor = None
        self.last = 0  # number of the publisher's
        self.records = {}  # execution -> state, as far as it has not ended
        self.over_since = None
        self.levels = {}
        self.events = self.resumes = self.lags = self.recounted = self.expired = 0
        self.is_after_gap = False  # until an execution begins again

    def run(self):
        progress = self.progress
        wire = self.open(None)
        progress.update(subscribed=True)
        left = 100  # soon for the first time
        while not self.is_done():
            event = wire.event(1)
            if event is None:
                continue
            self.take(event)
            left -= 1
            if left <= 0:
                if self.resumes >= 3 and not self.recounted:
                    # Whoever still reads what was kept loses nothing by staying away.
                    if self.is_behind():
                        continue
                    self.stay_away([1000])
                elif self.random.random() < 0.4:
                    self.stay_away([300, 1000])  # with what comes waiting, and too much of it
                else:
                    wire = self.come_back(wire)
                # A reader that has been away reads long enough to catch up: what it lost is kept only for a while.
                left = self.random.randint(100, 300) if self.resumes < 3 else self.random.randint(1000, 5000)
        wire.close()

    def is_behind(self):
        return self.last is None or self.progress.published["honest"] - self.last > 64

    def is_done(self):
        progress = self.progress
        if progress.faults:
            return True
        if not progress.is_over:
            return False
        if self.last == progress.published["honest"] and not self.records and self.levels == IDLE:
            return True
        self.over_since = self.over_since or time.monotonic()
        expect(time.monotonic() - self.over_since < ANSWER,
               f"{self.last} of {progress.published} have come, without end are",
               list(self.records.items())[:5], "and the levels are", self.levels)
        return False

    def open(self, cursor, wire=None):
        wire = wire or Wire(self.path)
        params = {"subscription": "honest", "action": "honest", "channels": EVENTS + LEVELS}
        if cursor:
            params["from"] = {"cursor": cursor}
        answer = wire.answer(wire.send("subscribe", params))
        if cursor and self.is_expired(answer, cursor):
            return self.open(None, wire)
        expect("result" in answer, params, "is answered with", answer)
        result = answer["result"]
        expect(cursor in (None, result["cursor"]), f"from {cursor}", result)
        if not cursor:
            self.levels = levels_of(result["snapshot"]["actions"]["honest"])
        self.cursor = result["cursor"]
        return wire

    def come_back(self, wire):
        """Leaves, waits for something to happen, and reads on where it was."""
        if self.random.random() < 0.3:
            # On the same connection; what is on its way still comes.
            id = wire.send("unsubscribe", {"subscription": "honest"})
            while "honest" in wire.streams:
                event = wire.event()
                expect(event is not None, "no end after unsubscribe")
                if event["channel"] == "end":
                    expect(event["value"]["reason"] == "unsubscribed", "unsubscribe ends with", event)
                else:
                    self.take(event)
            wire = self.open(self.cursor, wire)
        else:
            wire.close()
            self.stay_away([1, 10, 100, 1000])
            wire = self.open(self.cursor)
        self.resumes += 1
        return wire

    def is_expired(self, answer, cursor):
        """Whether the flood has pushed out what comes after `cursor`; then the numbers go on after a gap."""
        error = answer.get("error", {})
        if error.get("data", {}).get("name") != "cursorExpired":
            return False
        expect(number(error["data"]["oldest"]) > number(cursor) + 1, "what is kept has expired:", error)
        self.records.clear()
        self.is_after_gap = True
        self.expired += 1
        return True

    def stay_away(self, numbers):
        """Until so many more have been published."""
        progress = self.progress
        goal = progress.published["honest"] + self.random.choice(numbers)
        progress.update(is_reader_away=True)
        with Wire(self.path) as wire:
            begin = time.monotonic()
            latest = number(wire.call("server.status")["cursor"]) + KEPT_EVENTS // 2
            while not (progress.wait(lambda: progress.is_over or progress.published["honest"] >= goal, 0.2)
                       or number(wire.call("server.status")["cursor"]) >= latest or time.monotonic() - begin > ANSWER):
                pass
        progress.update(is_reader_away=False)

    def take(self, event):
        self.events += 1
        channel = event["channel"]
        expect(number(event["cursor"]) > number(self.cursor), f"came back from {self.cursor}, and now:", event)
        if channel == "lag":
            self.recount(event)
        elif channel in LEVELS:
            expect(isinstance(event["value"] if channel == "executing" else event["value"]["enabled"], bool), event)
            # What comes back from a cursor may be what was known then, but was not in between.
            self.levels[channel] = event["value"]
        else:
            self.journal(event)
        self.cursor = event["cursor"]

    def journal(self, event):
        """An event that happened, as it came or as it was kept."""
        channel, value = event["channel"], event.get("value")
        if self.is_after_gap:
            if channel != "executions" or value["state"] not in ("queued", "executing"):
                return
            self.is_after_gap = False
            self.last = None
        if channel == "elements":
            execution = self.records.get(event["execution"])
            expect(execution == "executing", f"an element of an execution that is {execution}:", event)
            if isinstance(value, dict) and "n" in value:
                expect(self.last in (None, value["n"] - 1), f"{self.last} is followed by", event)
                self.last = value["n"]
                if self.last % 64 == 0 or self.last >= self.progress.published["honest"] - 64:
                    self.progress.update(read=self.last)
            else:
                expect(isinstance(value, dict) and "mark" in value, "nobody published", event)
        elif channel == "executions":
            id, state = value["execution"], value["state"]
            before = self.records.pop(id, None)
            if state == "executing":
                expect(before in (None, "queued"), f"after {before}:", event)
                self.records[id] = state
            elif state == "completed":
                expect(before == "executing" and value["elements"] == 1, f"after {before}:", event)
            elif state == "queued":
                self.records[id] = state
        else:
            expect(channel == "errors" and "code" in event["error"], "an event of no known kind:", event)

    def recount(self, lag):
        """What was lost is still kept: it must be as much as the daemon reports, and is read from there."""
        value = lag["value"]
        self.lags += 1
        epoch = value["first"].split(":")[0]
        first, last = number(value["first"]), number(value["last"])
        with Wire(self.path) as wire:
            before = f"{epoch}:{first - 1}"
            answer = wire.answer(wire.send("subscribe", {
                "subscription": "again", "action": "honest", "channels": EVENTS, "from": {"cursor": before}}))
            if self.is_expired(answer, before):
                return
            expect("result" in answer, "a lag", lag, "is answered with", answer)
            lost = []
            while True:
                # Something later than all that was lost, to know when all of it was reported.
                event = wire.event(0 if lost and number(lost[-1]["cursor"]) == last else ANSWER)
                if event is None or number(event["cursor"]) > last:
                    break
                lost.append(event)
        expect(not any(event["channel"] == "lag" for event in lost), "a reader that catches up lags:", lag)
        expect(len(lost) == value["dropped"], f"{len(lost)} events are kept of this lag:", lag)
        expect(number(lost[0]["cursor"]) == first and number(lost[-1]["cursor"]) == last, "not the limits of", lag)
        for event in lost:
            self.journal(event)
        self.recounted += len(lost)


class SlowReader:
    """Follows `quiet` with a small buffer, and stalls: received and lost must be what was published."""

    overflow = "drop-oldest"
    channels = ["elements"] + LEVELS

    def __init__(self, path, progress):
        self.path, self.progress = path, progress
        self.random = random.Random(f"{SEED}/{type(self).__name__}")
        self.received = self.dropped = self.lags = self.level_events = self.stalls = self.last = 0
        self.levels = {}

    def run(self):
        progress = self.progress
        with Wire(self.path) as wire:
            result = wire.call("subscribe", {"subscription": "slow", "action": "quiet", "channels": self.channels,
                                    "overflow": self.overflow, "buffer": self.random.choice([1, 16, 100])})
            self.levels = levels_of(result["snapshot"]["actions"]["quiet"])
            progress.update(**{f"subscribed_{type(self).__name__}": True})
            while not progress.faults and not progress.is_over:
                goal = progress.published["quiet"] + self.random.choice([10, 100, 200])
                progress.wait(lambda: progress.is_over or progress.published["quiet"] >= goal)
                self.stalls += 1
                for _ in range(self.random.choice([10, 100, 1000])):
                    event = wire.event(0.05)
                    if event is None:
                        break
                    self.take(event)
            begin = time.monotonic()
            while not progress.faults and not self.is_done():
                event = wire.event(1)
                if event is not None:
                    self.take(event)
                expect(time.monotonic() - begin < ANSWER, self.seen())

    def take(self, event):
        channel = event["channel"]
        if channel == "elements":
            self.received += 1
            expect(event["value"]["n"] > self.last, f"{self.last} is followed by", event)
            # Received and lost events together are all events; the lag comes before the events that follow it.
            expect(event["value"]["n"] == self.received + self.dropped, self.seen(), "but now", event)
            self.last = event["value"]["n"]
        elif channel == "lag":
            self.lags += 1
            self.dropped += event["value"]["dropped"]
        else:
            self.level_events += 1
            # Of levels that came and went while it stalled the newest may be the one that it knows: then none is sent.
            expect(event["value"] != self.levels[channel],
                   f"{channel} was", self.levels[channel], "and now again", event)
            self.levels[channel] = event["value"]

    def are_levels_newest(self):
        return self.levels == IDLE

    def is_done(self):
        return self.received + self.dropped >= self.progress.published["quiet"] and self.are_levels_newest()

    def seen(self):
        return (f"{self.received} received + {self.dropped} lost of {self.progress.published['quiet']}, "
                f"levels {self.levels}")


class NewestDroppingReader(SlowReader):
    overflow = "drop-newest"


class LevelsReader(SlowReader):
    """Levels alone: fewer than there were, never a lag, and the newest at the end."""

    channels = LEVELS

    def take(self, event):
        expect(event["channel"] in LEVELS, "a reader of levels got", event)
        super().take(event)

    def is_done(self):
        return self.are_levels_newest()


# --- The daemon -------------------------------------------------------------------------------------------------------


class Daemon:
    def __init__(self, directory):
        self.path = os.path.join(directory, "s")
        configuration, state = os.path.join(directory, "config"), os.path.join(directory, "state")
        os.mkdir(configuration)
        os.mkdir(state)
        with open(os.path.join(configuration, "rxd.toml"), "w") as file:
            file.write(CONFIGURATION)
        self.log = os.path.join(directory, "log")
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen([RXD, "--config", configuration, "--state", state, "--socket", self.path],
                                            stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        deadline = time.monotonic() + ANSWER
        while True:
            try:
                Wire(self.path).close()
                return
            except OSError:
                if self.process.poll() is not None or time.monotonic() > deadline:
                    raise Fault("the daemon does not start:\n" + self.last_words())
                time.sleep(0.02)

    def memory(self, key="VmRSS"):
        with open(f"/proc/{self.process.pid}/status") as file:
            return next(int(line.split()[1]) << 10 for line in file if line.startswith(key))

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def last_words(self):
        with open(self.log, errors="replace") as file:
            return "".join(file.readlines()[-20:])

    def expect_alive(self):
        expect(self.process.poll() is None,
               f"the daemon has ended with {self.process.returncode}:\n", self.last_words())

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            status = self.process.wait(3 * ANSWER)
        except subprocess.TimeoutExpired:
            raise Fault("the daemon does not stop")
        expect(status == 0, f"the daemon stops with {status}:\n", self.last_words())


# --- The test ---------------------------------------------------------------------------------------------------------


def left_over(wire, daemon, descriptors):
    """What is left of anyone, as soon as nothing is, or when it is clear that it stays."""
    deadline = time.monotonic() + ANSWER
    while True:
        status = wire.call("server.status")
        now = {"subscriptions": status["subscriptions"], "executions": status["executions"],
               "connections": status["connections"] - 1, "queuedBytes": status["queuedBytes"],
               "descriptors": daemon.descriptors() - descriptors}
        left = {key: value for key, value in now.items() if value > 0}
        if not left or time.monotonic() > deadline:
            return left
        time.sleep(0.05)


def run(daemon):
    with Wire(daemon.path) as wire:
        # Each kind of execution once, for descriptors that are opened once and kept.
        wire.call("action.execute", {"action": "lines", "input": {"count": 1}})
        wire.call("action.execute", {"action": "ticks", "input": {"count": 1, "interval": "1ms"}})
        descriptors = daemon.descriptors()

    begin = time.monotonic()
    until = begin + SECONDS
    fork = multiprocessing.get_context("fork")
    processes, reports = [], []
    for target, arguments in [(pinger, (daemon.process.pid,))] + [(worker, (place,)) for place in range(WORKERS)]:
        receiver, sender = fork.Pipe(duplex=False)
        processes.append(fork.Process(target=target, args=(daemon.path, *arguments, until, sender), daemon=True))
        reports.append(receiver)

    progress = Progress(until)
    publisher, reader = Publisher(daemon.path, progress), HonestReader(daemon.path, progress)
    slow = [SlowReader(daemon.path, progress), NewestDroppingReader(daemon.path, progress),
            LevelsReader(daemon.path, progress)]
    if SECONDS >= 20:
        progress.missing = lambda: [what for what, happened in {
            "the honest reader comes back three times": reader.resumes >= 3,
            "the honest reader lags, and finds what it lost": reader.recounted > 0,
            "the slow reader loses something": slow[0].dropped > 0,
            "the reader that drops the newest loses something": slow[1].dropped > 0,
        }.items() if not happened]
    readers = [threading.Thread(target=progress.run, args=(client.run,), daemon=True) for client in [reader, *slow]]
    for process in processes:
        process.start()
    for thread in readers:
        thread.start()
    names = ["subscribed"] + [f"subscribed_{type(each).__name__}" for each in slow]
    expect(progress.wait(lambda: all(hasattr(progress, name) for name in names)), "the honest readers are not heard")
    publishing = threading.Thread(target=progress.run, args=(publisher.run,), daemon=True)
    publishing.start()

    most = half = 0
    results = [None] * len(reports)
    while None in results or any(thread.is_alive() for thread in [publishing, *readers]):
        daemon.expect_alive()
        most = max(most, daemon.memory())
        if not half and time.monotonic() > begin + SECONDS / 2:
            half = daemon.memory()
        expect(most < RSS, f"the daemon takes up {most >> 20} MB")
        expect(not progress.faults, "\n".join(progress.faults))
        expect(time.monotonic() < until + 4 * ANSWER,
               "this does not end; reports:", [each is not None for each in results])
        for place, receiver in enumerate(reports):
            if results[place] is None and receiver.poll(0.05):
                results[place] = receiver.recv()
                faults = results[place]["faults"]
                expect(not faults, "\n".join(faults))
    expect(not progress.faults, "\n".join(progress.faults))

    with Wire(daemon.path) as wire:
        left = left_over(wire, daemon, descriptors + 1)
        expect(not left, "nobody is here any more, but something is left:", left)
        for each in [reader, *slow]:
            action = "honest" if each is reader else "quiet"
            asked = levels_of(wire.call("action.describe", {"action": action}))
            expect(each.levels == asked,
                   f"{type(each).__name__} last received", each.levels, "but action.describe returns", asked)
    memory = daemon.memory()
    daemon.stop()

    times = results[0]["times"]
    operations = sum(result["operations"] for result in results[1:])
    print(f"chaos: {operations} lines of chaos, {operations / SECONDS * 60:.0f} a minute; "
          f"{sum(progress.published.values())} executions published")
    for what, each in [("", times), ("without waiting for a core ", results[0]["served"])]:
        print(f"chaos: {len(each)} pings, {what}p50 {each[len(each) // 2] * 1000:.1f} ms, "
              f"p99 {each[len(each) * 99 // 100] * 1000:.1f} ms, worst {each[-1] * 1000:.0f} ms")
    print(f"chaos: honest reader: {reader.events} events, {reader.resumes} times back, {reader.lags} lags with "
          f"{reader.recounted} events, all found; {reader.expired} times the flood was faster than what is kept")
    for each in slow:
        print(f"chaos: {type(each).__name__}: {each.stalls} stalls, {each.received} received + {each.dropped} lost, "
              f"{each.lags} lags, {each.level_events} levels")
    print(f"chaos: memory at most {most >> 20} MB, {half >> 20} MB at half-time, {memory >> 20} MB at the end")
    expect(not progress.missing(), "this did not happen, and without it the run proves nothing:", progress.missing())


def main():
    print(f"chaos: RX_SEED={SEED} RX_SECONDS={SECONDS:g}", flush=True)
    with tempfile.TemporaryDirectory(prefix="rxd-chaos-") as directory:
        daemon = None
        try:
            daemon = Daemon(directory)
            run(daemon)
        except Exception as error:
            if daemon:
                print("chaos: the last words of the daemon:\n" + daemon.last_words())
            print(error if isinstance(error, Fault) else traceback.format_exc())
            print(f"chaos: FAILED with RX_SEED={SEED} RX_SECONDS={SECONDS:g}")  # last, where a long output is looked at
            return 1
        finally:
            if daemon and daemon.process.poll() is None:
                daemon.process.kill()
                daemon.process.wait()
    print("chaos: passed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
