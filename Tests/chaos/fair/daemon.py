"""The daemon that is attacked: its configuration, its process, and its memory."""

import json
import os
import time

from .processes import Program
from .watchdog import Watchdog
from .wire import PATIENCE, Client, Fault, connect

CONFIGURATION = """
[action.echo]
builtin = "echo"
[action.kept]
builtin = "echo"
history = true
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
[action.megabytes]
run = ["sh", "-c", "while head -c 1000000 /dev/zero | tr '\\\\0' x && echo; do sleep 0.1; done"]
overlap = "join"
[action.secret]
builtin = "echo"
input = "secret.json"
history = true
[action.lines]
run = ["sh", "-c", "yes 1 | head -n 300000"]
overlap = "join"
[action.noise]
run = ["sh", "-c", "yes noise | head -n 200000 >&2"]
overlap = "concurrent"
[reactor.big]
initial = []
mutate = [{ mutation = ".action" }]
reduce = ".state + [.mutation]"
[reactor.log]
initial = 0
mutate = [{ mutation = ".action" }]
reduce = ".state + 1"
persist = true
durability = "off"
[reactor.changing]
initial = { count = 0, text = [] }
mutate = [{ mutation = ".action" }]
reduce = '.mutation as $new | .state | if ($new | type) == "number" then .count += 1 else .text += [$new] end'
[reactor.past]
initial = { count = 0, text = [] }
mutate = [{ mutation = ".action" }]
reduce = '.mutation as $new | .state | .count += 1 | if $new == "clear" then .text = [] else .text += [$new] end'
persist = true
durability = "off"
"""
# Values that must not be kept.
SECRET_SCHEMA = {"properties": {"secrets": {"items": {"type": "string", "writeOnly": True}}}}
SECRETS = {"secrets": [f"secret{number}" for number in range(10_000)], "text": ["open" * 100] * 2000}
# Takes long to check: 20 patterns for each member, and for those of MEMBERS an `anyOf` besides.
SCHEMA = {
    "type": "object",
    "patternProperties": {f"^a{number}": {"type": "string", "pattern": "^[a-z]*$"} for number in range(20)},
    "additionalProperties": {
        "anyOf": [{"type": "integer"}, {"type": "boolean"}, {"type": "string", "pattern": "^(x|y)+$"}]},
}
MEMBERS = {f"b{number}": 10 ** 17 + number for number in range(33_000)}  # valid, and almost a mebibyte of JSON

WARM_UP = 10_000  # pings, until the events that the daemon keeps of an action are as many as they will be
STILL = 1  # seconds without growth, after which the memory is settled
IDLE = 7  # seconds after which the daemon has given back what large requests needed: it does so after five


class Daemon:
    def __init__(self, program, folder, more=""):
        self.folder, self.path = folder, folder + "/rxd.sock"
        os.mkdir(folder + "/config")
        write(folder + "/config/schema.json", json.dumps(SCHEMA))
        write(folder + "/config/secret.json", json.dumps(SECRET_SCHEMA))
        self.configure(more)
        self.watchdog = Watchdog(folder + "/notify")
        self.program = Program(
            [program, "--config", folder + "/config", "--state", folder + "/state", "--socket", self.path],
            folder + "/log", **self.watchdog.environment)

    def configure(self, more):
        write(self.folder + "/config/rxd.toml", CONFIGURATION + more)

    def await_start(self):
        await_socket(self.path, self.program)
        os.chmod(self.path, 0o666)

    def warm_up(self, prepare):
        """Executes and prepares what happens before an attack, and waits until the memory is settled."""
        with Client(self.path) as client:
            client.pipeline("action.execute", {"action": "echo", "input": 1}, WARM_UP)
            if prepare:
                prepare(client)
        return self.settled(IDLE if prepare else 0)

    def settled(self, least):
        """The resident memory once it has not grown for a second, after `least` seconds."""
        begin = time.monotonic()
        last, since = self.memory("VmRSS"), begin
        while time.monotonic() - since < STILL or time.monotonic() - begin < least:
            if time.monotonic() - begin > PATIENCE:
                raise Fault(f"the daemon's memory grows for {PATIENCE} s before the attack")
            time.sleep(0.02)
            now = self.memory("VmRSS")
            if now > last:
                since = time.monotonic()
            last = now
        return last

    def memory(self, figure):
        """In bytes: `VmRSS` now, or `VmHWM`, the most since `forget_peak`."""
        with open(f"/proc/{self.program.pid}/status") as file:
            for line in file:
                if line.startswith(figure + ":"):
                    return int(line.split()[1]) * 1024
        self.program.check()
        raise Fault(f"no {figure} of the daemon")

    def account(self, uid):
        """What the daemon itself counts for a user. `connections` are `accepted`, unlike those of the attacker."""
        with Client(self.path) as client:
            users = client.result("server.status", {"users": True})["users"]
        account = next((user for user in users if user["uid"] == uid), {})
        names = {"accepted": "connections", "queuedBytes": "queuedBytes", "waitingRequests": "waitingRequests"}
        return {name: account.get(key, 0) for name, key in names.items()}

    def forget_peak(self):
        with open(f"/proc/{self.program.pid}/clear_refs", "w") as file:
            file.write("5")

    def stop(self):
        self.program.check()
        status = self.program.stop()
        if status != 0:
            raise Fault(f"the daemon, asked to stop, ended with {status}\n{self.program.end_of_log()}")


def await_socket(path, program):
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        program.check()
        try:
            return connect(path).close()
        except OSError:
            time.sleep(0.01)
    raise Fault(f"nothing listens at {path}")


def write(path, text):
    with open(path + ".new", "w") as file:
        file.write(text)
    os.rename(path + ".new", path)
