"""JSON-RPC over a Unix socket, one message per line."""

import json
import socket

PATIENCE = 60  # seconds for a start or an answer; what takes longer does not come


class Fault(Exception):
    """Something that must not happen, in a sentence."""


def request(method, params=None, id=None):
    """A line with a request; without an id, a notification."""
    return json.dumps(message(method, params, id), separators=(",", ":")).encode() + b"\n"


def message(method, params=None, id=None):
    parts = {"jsonrpc": "2.0", "id": id, "method": method, "params": params}
    return {key: part for key, part in parts.items() if part is not None}


def connect(path):
    peer = socket.socket(socket.AF_UNIX)
    peer.settimeout(PATIENCE)
    try:
        peer.connect(path)
    except BaseException:
        peer.close()
        raise
    return peer


def try_to_connect(path):
    """A socket that does not block; None while too many connections wait to be accepted."""
    peer = socket.socket(socket.AF_UNIX)
    peer.setblocking(False)
    try:
        peer.connect(path)
    except BlockingIOError:
        peer.close()
        return None
    except BaseException:
        peer.close()
        raise
    return peer


class Client:
    """One connection that waits for each answer."""

    def __init__(self, path):
        self.path, self.socket = path, connect(path)
        self.lines = self.socket.makefile("rb")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.lines.close()
        self.socket.close()

    def call(self, method, params=None):
        self.socket.sendall(request(method, params, 1))
        return self.answer()

    def result(self, method, params=None):
        answer = self.call(method, params)
        if "result" not in answer:
            raise Fault(f"{method} was answered with {json.dumps(answer)[:200]}")
        return answer["result"]

    def pipeline(self, method, params, count, at_once=1000):
        """Sends the same request many times, some at once, and then reads their answers. Returns the results."""
        results = []
        for start in range(0, count, at_once):
            portion = min(at_once, count - start)
            self.socket.sendall(request(method, params, 1) * portion)
            for _ in range(portion):
                answer = self.answer()
                if "result" not in answer:
                    raise Fault(f"{method} was refused: {json.dumps(answer)[:200]}")
                results.append(answer["result"])
        return results

    def answer(self):
        line = self.lines.readline()
        if not line:
            raise Fault("the connection was closed")
        return json.loads(line)
