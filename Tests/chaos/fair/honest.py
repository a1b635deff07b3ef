"""The honest clients, which measure what the others cost them.

A client sends a ping every 5 ms by schedule, whether or not those before it are answered, and the time of a ping
counts from when it was due. So a stall of 300 ms is not one slow answer but 60, and what keeps the client from sending
counts as well.
"""

import gc
import json
import select
import time

from .wire import PATIENCE, Fault, request, try_to_connect

PERIOD = 0.005  # seconds from one ping to the next
FRESH = 50  # Every fiftieth ping has a connection of its own.


class Times:
    """In milliseconds."""

    def __init__(self, times):
        self.sorted = sorted(times) or [float("nan")]

    @property
    def p99(self):
        return self.sorted[len(self.sorted) * 99 // 100]

    @property
    def worst(self):
        return self.sorted[-1]


def ping(number):
    return request("action.execute", {"action": "echo", "input": number}, number)


def number_from_rxd(line):
    """The number of the ping that a line answers; a fault if the answer is wrong."""
    answer = json.loads(line)
    if "error" in answer:
        raise Fault(f"a ping was answered with the error {json.dumps(answer['error'])[:200]}")
    number = answer.get("id")
    if answer.get("result", {}).get("elements") != [number]:
        raise Fault(f"a ping was answered with {line[:200]}")
    return number


def number_from_echo(line):
    number = json.loads(line)["id"]
    if line + b"\n" != ping(number):
        raise Fault(f"the echo answered {line[:200]}")
    return number


class Wire:
    """A connection with pings on their way."""

    def __init__(self, path):
        self.socket, self.path = None, path
        self.unsent, self.unread, self.due = bytearray(), b"", {}
        self.open()

    def open(self):
        if not self.socket:
            self.socket = try_to_connect(self.path)
        return self.socket is not None

    def send(self, number, due):
        self.due[number] = due
        self.unsent += ping(number)
        self.flush()

    def flush(self):
        try:
            if self.unsent and self.open():
                del self.unsent[:self.socket.send(self.unsent)]
        except BlockingIOError:
            pass

    def receive(self, number_from):
        """When the pings were due that are answered now."""
        try:
            received = self.socket.recv(1 << 16)
        except BlockingIOError:
            return []
        if not received:
            raise Fault("an honest client's connection was closed")
        *lines, self.unread = (self.unread + received).split(b"\n")
        return [self.answered(number_from(line)) for line in lines]

    def answered(self, number):
        if number not in self.due:
            raise Fault(f"an answer to ping {number}, which was not sent or is answered already")
        return self.due.pop(number)


class Pinger:
    def __init__(self, path, number_from):
        self.path, self.number_from = path, number_from
        self.times, self.fault, self.sent = [], None, 0

    def run(self, control):
        """Pings until `control` ends, and then waits for the answers that are due."""
        gc.disable()  # It would count as time of the daemon.
        try:
            self.ping(control)
        except (Fault, OSError, ValueError) as error:
            self.fault = str(error) if isinstance(error, Fault) else repr(error)
        return {"times": [time * 1000 for time in self.times], "fault": self.fault}

    def ping(self, control):
        self.wires = [Wire(self.path)]
        start, end = time.monotonic(), None
        while end is None or any(wire.due for wire in self.wires):
            now = time.monotonic()
            if end is None:
                self.send_due(start, now)
            elif now > end + PATIENCE:
                late = sum(len(wire.due) for wire in self.wires)
                raise Fault(f"{late} pings were not answered within {PATIENCE} s")
            next_due = start + self.sent * PERIOD if end is None else now + PERIOD
            if self.wait(next_due, control if end is None else None):
                end = time.monotonic()

    def send_due(self, start, now):
        while (due := start + self.sent * PERIOD) <= now:
            if self.sent % FRESH == FRESH - 1:
                self.wires.append(Wire(self.path))
                self.wires[-1].send(self.sent, due)
            else:
                self.wires[0].send(self.sent, due)
            self.sent += 1

    def wait(self, until, control):
        """Receives until then. Returns whether `control` has ended."""
        connected = {wire.socket: wire for wire in self.wires if wire.socket}
        unsent = [wire.socket for wire in self.wires if wire.socket and wire.unsent]
        readable, writable, _ = select.select(
            [*connected, *([control] if control else [])], unsent, [], max(0, until - time.monotonic()))
        now = time.monotonic()
        for wire in self.wires:
            if not wire.socket or wire.socket in writable:
                wire.flush()
        for peer in readable:
            if peer is not control:
                for due in connected[peer].receive(self.number_from):
                    self.times.append(now - due)
        self.close_answered()
        return control in readable

    def close_answered(self):
        for wire in [wire for wire in self.wires[1:] if not wire.due]:
            wire.socket.close()
            self.wires.remove(wire)
