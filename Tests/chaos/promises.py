"""What a daemon has acknowledged, and a client that asks the next one for it."""

import json
import os
import socket
import time

PATIENCE = 60.0  # seconds for a start on a busy machine


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


def is_alive(pid):
    """Whether a process exists and is no zombie."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


class Files:
    """What a stream is to emit: the files in a directory, and what is known of the executions that they have led to."""

    def __init__(self, folder):
        self.folder = folder
        os.mkdir(folder)
        self.written = 0
        # The executions of each file; 0 for at least one.
        self.counts = {}

    def write(self):
        """Writes a new file, and returns its name."""
        self.written += 1
        name = str(self.written)
        with open(f"{self.folder}/{name}", "w") as file:
            file.write("x")
        self.counts[name] = 0
        while len(self.counts) > 30:
            os.unlink(f"{self.folder}/{next(iter(self.counts))}")
            self.counts.pop(next(iter(self.counts)))
        return name

    def found(self, client):
        """The executions of each file."""
        answer = client.call("execution.list", {"action": "see", "limit": 10000})
        counts = dict.fromkeys(self.counts, 0)
        for execution in (answer.get("result") or {}).get("executions", []):
            name = os.path.basename((execution.get("input") or {}).get("path") or "")
            if name in counts:
                counts[name] += 1
        return counts

    def missing(self, client, is_enough):
        """Waits until the stream has emitted all files, and then one more, or `is_enough`; what is wrong, as texts."""
        marker = self.write()
        deadline = time.monotonic() + PATIENCE
        while not all((found := self.found(client)).values()):
            if time.monotonic() >= deadline or is_enough():
                break
            time.sleep(0.02)
        lacks = [f"file {name} {count} times, not {self.counts[name] or 1}" for name, count in found.items()
                 if count == 0 or self.counts[name] not in (0, count)]
        return lacks, marker, found

    def settle(self, marker, found):
        """Everything but the last file is settled, so that no later daemon emits it again."""
        self.counts.update({name: count for name, count in found.items() if name != marker})

    def forget(self, marker):
        os.unlink(f"{self.folder}/{marker}")
        self.counts.pop(marker)


class Promises:
    """What was acknowledged so far."""

    def __init__(self, folder):
        self.revision = 0
        self.inputs = []
        self.keys = {}
        self.is_on = [True]
        self.files = Files(f"{folder}/drop")
        self.pids = []

    def note(self, answer, request):
        result = answer.get("result")
        if result is None:
            raise Fault(f"refused: {answer}")
        if "revision" in result:
            self.revision = max(self.revision, result["revision"])
        elif "key" in request:
            self.keys[request["key"]] = result["execution"]
            while len(self.keys) > 20:
                self.keys.pop(next(iter(self.keys)))
        elif "enabled" in result:
            self.is_on = [result["enabled"]]
        else:
            self.inputs = (self.inputs + [result["execution"]])[-50:]

    def missing(self, client):
        """What the daemon lacks, as texts; none if nothing."""
        state = client.call("reactor.state", {"reactor": "counter"})
        found = (state.get("result") or {}).get("revision")
        lacks = []
        if found is None or found < self.revision:
            lacks.append(f"revision {found}, acknowledged {self.revision}")
        for execution in self.inputs:
            if "result" not in client.call("execution.get", {"execution": execution}):
                lacks.append(f"execution {execution}")
        for key, execution in self.keys.items():
            answer = client.call("action.execute", {"action": "once", "input": key, "key": key})
            again = answer.get("result") or answer["error"].get("data") or {}
            if again.get("execution") != execution:
                lacks.append(f"key {key} of {execution}: {answer}")
        described = client.call("action.describe", {"action": "switched"})
        if (described.get("result") or {}).get("enabled") not in self.is_on:
            lacks.append(f"switch {self.is_on}: {described}")
        return lacks

    def orphans(self):
        """The programs of an earlier daemon that are still executing, as texts."""
        return [f"process {pid}" for pid in self.pids if is_alive(pid)]
