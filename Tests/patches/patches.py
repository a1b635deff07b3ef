#!/usr/bin/env python3
"""Patches, applied by another implementation: jsonpatch from PyPI, in Debian python3-jsonpatch.

Sends random edits to a private daemon (TodoDaemon for tasks, rxd for document). One connection subscribes with
`patch: true` and applies each patch as it comes. After each edit, `reactor.state` returns the whole state, and the two
must be the same text at the same revision. Then come edits without a wait, more than a reader receives one by one: the
last state must be the same again, and no revision may come twice.

    Tests/patches/patches.py [REACTOR]...     tasks, document; both without an argument

RX_SEED repeats a run, RX_EDITS is the number of edits, RX_BIN is the directory of the programs.
"""

import collections
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time

import jsonpatch

SEED = int(os.environ.get("RX_SEED") or random.SystemRandom().randrange(1 << 32))
EDITS = int(os.environ.get("RX_EDITS") or 10_000)
BIN = os.environ.get("RX_BIN") or os.path.join(os.path.dirname(__file__), "../../.build/debug")
FLOOD = 5_000  # edits without waiting
AT_ONCE = 200  # of these in one write
ANSWER = 20.0  # seconds after which nothing will come any more
SIZE = 60  # of a document, about: it is compared whole after each edit

# What a text may hold that a path or a string has to escape.
TEXTS = ["", "a", "a/b", "~", "~1", "0", "-", '"\\', "tab\t", "zw\u00f6lf", "\U0001f600", "\u2028", "x" * 300]


def text(dice):
    return "".join(dice.choice(TEXTS) for _ in range(dice.randrange(1, 4)))


def key(dice):
    """Any text but "-", which jsonpatch takes for the end of a list even where it names a member."""
    return text(dice).replace("-", "minus")


class Tasks:
    """TodoDaemon's keyed list, which records its changes: patches are made of these."""

    name = "tasks"

    def command(self, directory):
        return [f"{BIN}/TodoDaemon"]

    def edit(self, state, dice):
        tasks = state["tasks"]
        kinds = ["create"] if len(tasks) < 5 else ["create", "update", "move", "done", "undone", "toggle", "delete"]
        kind = dice.choice(kinds + ["delete"] * (len(tasks) > SIZE))
        if kind == "create":
            return {"create": {"title": text(dice) or "-", "memo": text(dice)}}
        task = dice.choice(tasks)["id"]
        if kind == "update":
            content = {"title": text(dice) or "-", "memo": text(dice)}
            for key in dice.sample(sorted(content), dice.randrange(2)):
                del content[key]
            return {"update": {"id": task, **content}}
        if kind == "move":
            return {"move": {"id": task, "to": dice.randrange(len(tasks) + 3)}}
        return {kind: task}


class Document:
    """A nested document in jq: patches are made by comparing two trees."""

    name = "document"
    configuration = """
[reactor.document]
initial = {}
mutate = [ { mutation = '.action' } ]
reduce = '''
.mutation as $m | .state
| if $m.op == "set" then setpath($m.path; $m.value)
  elif $m.op == "delete" then delpaths([$m.path])
  elif $m.op == "insert" then setpath($m.path; getpath($m.path) | .[:$m.at] + [$m.value] + .[$m.at:])
  else setpath($m.path; getpath($m.path) | reverse) end
'''
"""

    def command(self, directory):
        with open(f"{directory}/rxd.toml", "w") as file:
            file.write(self.configuration)
        return [f"{BIN}/rxd", "--config", directory, "--state", f"{directory}/state"]

    def value(self, dice, depth):
        kind = dice.randrange(9 if depth < 4 else 6)
        if kind < 2:
            return dice.randrange(-9, 1 << dice.choice([2, 30, 50]))
        if kind < 4:
            return text(dice)
        if kind == 4:
            return dice.choice([True, False, None])
        if kind == 5:
            return dice.choice([0.5, -1.25, 1e300])
        if kind == 6:
            return {key(dice): self.value(dice, depth + 1) for _ in range(dice.randrange(4))}
        if kind == 7:
            return [self.value(dice, depth + 1) for _ in range(dice.randrange(5))]
        return [{"id": id, "value": self.value(dice, depth + 2)} for id in dice.sample(range(20), dice.randrange(5))]

    def edit(self, state, dice):
        places = [([], state)]  # all values with their paths
        for path, value in places:
            if isinstance(value, dict):
                places += [(path + [key], member) for key, member in value.items()]
            elif isinstance(value, list):
                places += [(path + [index], element) for index, element in enumerate(value)]
        path, value = dice.choice(places)
        if len(path) and (len(places) > SIZE * 3 or dice.random() < 0.2):
            return {"op": "delete", "path": path}
        if isinstance(value, list):
            if len(value) > 1 and dice.random() < 0.3:
                return {"op": "reverse", "path": path}
            at = dice.randrange(len(value) + 1)
            return {"op": "insert", "path": path, "at": at, "value": self.value(dice, len(path))}
        if isinstance(value, dict):
            return {"op": "set", "path": path + [key(dice)], "value": self.value(dice, len(path))}
        return {"op": "set", "path": path, "value": self.value(dice, len(path))}


class Fault(Exception):
    """Something the daemon must not do."""


def expect(condition, *seen):
    if not condition:
        raise Fault(" ".join(item if isinstance(item, str) else json.dumps(item)[:2000] for item in seen))


def canonical(value):
    """Equal texts are equal values: in Python True is 1 and 1 is 1.0."""
    return json.dumps(value, sort_keys=True)


class Wire:
    """One connection: requests by number, events as they come."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(ANSWER)
        self.socket.connect(path)
        self.lines = self.socket.makefile("rb")
        self.next_id = 0
        self.answers = {}
        self.events = collections.deque()

    def send(self, *requests):
        """The ids of what was asked, in one write."""
        ids, text = [], b""
        for method, params in requests:
            self.next_id += 1
            ids.append(self.next_id)
            request = {"jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params}
            text += json.dumps(request).encode() + b"\n"
        self.socket.sendall(text)
        return ids

    def read(self):
        line = self.lines.readline()
        expect(line, "the daemon has closed the connection")
        message = json.loads(line)
        if "id" in message:
            self.answers[message["id"]] = message
        else:
            self.events.append(message["params"])

    def answer(self, id):
        while id not in self.answers:
            self.read()
        message = self.answers.pop(id)
        expect("result" in message, "refused:", message)
        return message["result"]

    def ask(self, method, params):
        return self.answer(self.send((method, params))[0])

    def event(self):
        while not self.events:
            self.read()
        return self.events.popleft()


class Follower:
    """Has the state by its patches."""

    def __init__(self, path, reactor):
        self.wire = Wire(path)
        self.reactor = reactor
        params = {"subscription": "s", "reactor": reactor, "channels": ["state"], "patch": True}
        levels = self.wire.ask("subscribe", params)["snapshot"]["reactors"][reactor]
        self.state, self.revision = levels["state"], levels["revision"]
        self.patches = self.operations = self.wholes = 0

    def follow(self):
        event = self.wire.event()
        expect(event.get("channel") == "state" and event["reactor"] == self.reactor, "not a state:", event)
        if "patch" in event:
            revision = event["revision"]
            try:
                self.state = jsonpatch.apply_patch(self.state, event["patch"], in_place=True)
            except (jsonpatch.JsonPatchException, jsonpatch.JsonPointerException) as error:
                patch = json.dumps(event["patch"])[:2000]
                raise Fault(f"revision {revision} does not fit {self.revision}: {error!r} {patch}")
            self.patches += 1
            self.operations += len(event["patch"])
        else:
            self.state, revision = event["value"]["state"], event["value"]["revision"]
            self.wholes += 1
        expect(revision > self.revision, f"revision {revision} after {self.revision}")
        self.revision = revision


def check(path, reactor, dice):
    follower = Follower(path, reactor.name)
    wire = Wire(path)
    begun = time.monotonic()
    for _ in range(EDITS):
        action = reactor.edit(follower.state, dice)
        revision = wire.ask("reactor.dispatch", {"reactor": reactor.name, "action": action})["revision"]
        while follower.revision < revision:
            before = follower.revision
            follower.follow()
            expect(follower.revision == before + 1,
                   f"{before} was followed by {follower.revision}, by a reader that keeps up")
        told = wire.ask("reactor.state", {"reactor": reactor.name})
        expect(told["revision"] == follower.revision, f"at {follower.revision}, not at", told)
        expect(
            canonical(told["state"]) == canonical(follower.state),
            f"revision {revision} after", action, "\nis      ", told["state"], "\npatched ", follower.state)
    expect(follower.wholes == 0 and follower.patches == follower.revision, "a reader that keeps up gets patches")
    seconds = time.monotonic() - begun
    print(f"{reactor.name}: {EDITS} edits, {follower.patches} patches of {follower.operations} operations, "
          f"the same at every revision; {seconds:.1f} s", flush=True)

    for _ in range(FLOOD // AT_ONCE):
        # On the state before: some of them find nothing any more, which is an answer too.
        edits = [("reactor.dispatch", {"reactor": reactor.name, "action": reactor.edit(follower.state, dice)})
                 for _ in range(AT_ONCE)]
        for id in wire.send(*edits):
            while id not in wire.answers:
                wire.read()
            message = wire.answers.pop(id)
            expect("result" in message or message["error"]["code"] == -32001, "refused:", message)
        told = wire.ask("reactor.state", {"reactor": reactor.name})
        while follower.revision < told["revision"]:
            follower.follow()
        expect(canonical(told["state"]) == canonical(follower.state), f"revision {told['revision']} after a flood")
    print(f"{reactor.name}: {FLOOD} edits in floods of {AT_ONCE}: "
          f"{follower.patches} patches and {follower.wholes} whole states in all, the same after each", flush=True)


def main():
    known = {reactor.name: reactor for reactor in [Tasks(), Document()]}
    names = sys.argv[1:] or list(known)
    if not set(names) <= set(known):
        sys.exit(f"usage: {sys.argv[0]} [{'|'.join(known)}]...")
    print(f"RX_SEED={SEED}", flush=True)
    for name in names:
        with tempfile.TemporaryDirectory(prefix="rxd-patches.") as directory:
            run(known[name], directory)


def run(reactor, directory):
    """Starts the reactor's daemon, checks it, and stops the daemon."""
    path = f"{directory}/sock"
    with open(f"{directory}/log", "wb") as log:
        daemon = subprocess.Popen([*reactor.command(directory), "--socket", path], stdout=log, stderr=log)
    try:
        deadline = time.monotonic() + ANSWER
        while not os.path.exists(path) and daemon.poll() is None and time.monotonic() < deadline:
            time.sleep(0.01)
        expect(os.path.exists(path), "the daemon does not start")
        check(path, reactor, random.Random(f"{SEED} {reactor.name}"))
    except (Fault, OSError, KeyError) as error:
        print(f"patches: {error!r}" if not isinstance(error, Fault) else f"patches: {error}", file=sys.stderr)
        with open(f"{directory}/log", errors="replace") as log:
            sys.stderr.write("".join(collections.deque(log, 20)))
        sys.exit(1)
    finally:
        daemon.send_signal(signal.SIGTERM)
        daemon.wait()


if __name__ == "__main__":
    main()
