"""The attacks: the worst that a user may do with the default limits.

Each is a function that returns the scripts of a crowd's connections. What a daemon needs for it, a function prepares
as root. `needs` is how much of a counter, of the attacker or of its account in the daemon, shows that the attack took
place. `grows` is the counter that must still grow in the second half; an attack without it holds what it has.
`configuration` is what the daemon has for this attack alone.
"""

import json
from dataclasses import dataclass
from typing import Callable

from .crowd import NEVER, SLOWLY, Crowd, Script
from .daemon import MEMBERS, SECRETS
from .wire import Client, message, request

ATTACKS = {}
MIB = 1 << 20


@dataclass
class Attack:
    name: str
    scripts: Callable
    prepare: Callable
    needs: dict
    grows: str
    users: int
    configuration: str

    def run(self, path, count):
        """Attacks without an end."""
        Crowd(path, self.scripts(), count).run()

    def figure(self, counters):
        """The counter that shows best what the attack does."""
        name = self.grows or [*self.needs][-1]
        number = counters[name]
        is_bytes = name in ("sent", "received", "queuedBytes")
        return f"{number >> 10} KiB {name.removesuffix('Bytes')}" if is_bytes else f"{number} {name}"

    def missing(self, half, now):
        """What shows that the attack did not take place, of the counters in the middle and at the end."""
        faults = [f"{name} {now[name]}, at least {least}" for name, least in self.needs.items() if now[name] < least]
        if self.grows and now[self.grows] <= half[self.grows]:
            faults.append(f"{self.grows} ended at {now[self.grows]} in the first half")
        return faults


def attack(prepare=None, grows=None, users=1, configuration="", **needs):
    def decorate(function):
        name = function.__name__
        ATTACKS[name] = Attack(name, function, prepare, needs, grows, users, configuration)
        return function
    return decorate


def executing(action, **more):
    return request("action.execute", {"action": action, **more}, 1)


# --- Preparations -----------------------------------------------------------------------------------------------------


def prepare_records(client):
    client.pipeline("action.execute", {"action": "kept", "input": "y" * 900}, 10_000)


def prepare_states(client):
    for _ in range(12):
        client.result("reactor.dispatch", {"reactor": "big", "action": "x" * 900_000})


def prepare_steps(client):
    client.pipeline("reactor.dispatch", {"reactor": "log", "action": "x" * 100_000}, 300, at_once=50)


def prepare_changing(client):
    for _ in range(12):
        client.result("reactor.dispatch", {"reactor": "changing", "action": "x" * 900_000})


def prepare_past(client):
    """Revision 4 has a large state, and the present one is empty."""
    for action in ["x" * 900_000] * 4 + ["clear"]:
        client.result("reactor.dispatch", {"reactor": "past", "action": action})


def prepare_scheduled(client):
    """Executions that are neither done nor begun, among many events. The attackers are forked later."""
    later = {"action": "kept", "at": "2099-01-01T00:00:00.000Z"}
    SCHEDULED[:] = [answer["execution"] for answer in client.pipeline("action.execute", later, 1000)]
    prepare_records(client)


SCHEDULED = []  # ids


def prepare_events(client):
    """Of each action that `together` executes, the last events, which the daemon keeps (`replayBytes`)."""
    path = client.path
    client.pipeline("action.execute", {"action": "check", "input": MEMBERS}, 5, at_once=1)
    client.pipeline("action.execute", {"action": "megabyte"}, 5, at_once=1)
    receive(path, executing("megabytes", stream="s", onDisconnect="cancel"), 5)
    receive(path, executing("ticks", input={"interval": "1ms"}, stream="s", onDisconnect="cancel"), 10_000)


def receive(path, line, count):
    """Sends the line and reads so many that come back."""
    with Client(path) as client:
        client.socket.sendall(line)
        for _ in range(count):
            client.answer()


def prepare_all(client):
    for prepare in (prepare_records, prepare_states, prepare_steps, prepare_events):
        prepare(client)


# --- Large requests ---------------------------------------------------------------------------------------------------


@attack(answers=5, grows="answers")
def validate():
    """250 connections with a valid megabyte each, for `action.check`."""
    line = request("action.check", {"action": "check", "input": MEMBERS}, 1)
    return [(250, Script(line, answers=1))]


@attack(answers=5, grows="answers")
def execute():
    """The same, executed."""
    return [(250, Script(executing("check", input=MEMBERS), answers=1))]


@attack(answers=5, grows="answers")
def secrets():
    """The same, of an action of whose input ten thousand values are `writeOnly`."""
    return [(250, Script(executing("secret", input=SECRETS), answers=1))]


@attack(accepted=200, requests=4)
def partial():
    """250 lines of a megabyte without an end, of which a user may have four."""
    return [(250, Script(b"x" * 1_000_000, reads=NEVER))]


# --- Large answers ----------------------------------------------------------------------------------------------------


@attack(prepare_records, accepted=150, waiting=1, queuedBytes=MIB)
def lists():
    """200 connections that request a full history a thousand times and do not read it."""
    return [(200, Script(request("execution.list", {"limit": 10_000}, 1) * 1000, reads=NEVER))]


@attack(prepare_records, accepted=150, errors=10, waitingRequests=1000)
def batches():
    """The same in batches of 64, the largest allowed, on 190 connections; 10 send batches of a thousand."""
    one = message("execution.list", {"limit": 10_000}, 1)
    allowed, refused = (json.dumps([one] * size).encode() + b"\n" for size in (64, 1000))
    return [(190, Script(allowed * 16, reads=NEVER)), (10, Script(refused, endless=True))]


@attack(prepare_records, grows="sent", requests=1000)
def notifications():
    """Lists as notifications, which have no answer."""
    return [(1, Script(request("execution.list", {"limit": 10_000}) * 1000, endless=True))]


@attack(prepare_states, accepted=150, waiting=1, queuedBytes=10 * MIB)
def states():
    """200 clients that request a state of 11 MB and do not read it."""
    return [(200, Script(request("reactor.state", {"reactor": "big"}, 1), reads=NEVER))]


@attack(prepare_steps, accepted=150, waiting=1, queuedBytes=MIB)
def history():
    """200 clients that request the history of a reactor with large steps ten times and do not read it."""
    return [(200, Script(request("reactor.history", {"reactor": "log"}, 1) * 10, reads=NEVER))]


@attack(prepare_changing, accepted=150, waiting=1, queuedBytes=10 * MIB, answers=1000, grows="answers")
def changing():
    """100 subscribers without `patch` that read a state of 11 MB which changes all the time, and 100 that do not."""
    subscribe = request("subscribe", {"subscription": "s", "reactor": "changing"}, 1)
    change = request("reactor.dispatch", {"reactor": "changing", "action": 1}, 1)
    return [(100, Script(subscribe)), (100, Script(subscribe, reads=NEVER)), (1, Script(change, endless=True))]


# --- The disk ---------------------------------------------------------------------------------------------------------


@attack(prepare_records, accepted=150, answers=100, grows="answers")
def searches():
    """200 connections that search a full history for what is not there, again and again."""
    return [(200, Script(request("execution.list", {"limit": 10_000, "grep": "nowhere"}, 1), endless=True))]


@attack(prepare_records, accepted=150, waiting=1, queuedBytes=MIB // 4)
def unread():
    """200 subscribers that begin with the first event of a full log and do not read."""
    return [(200, Script(from_start(), reads=NEVER))]


@attack(prepare_records, accepted=150, answers=10_000, grows="answers")
def rereads():
    """200 subscribers that do read, and begin anew after a thousand events."""
    return [(200, Script(from_start(), answers=1000))]


@attack(prepare_past, accepted=90, answers=5, grows="answers")
def past():
    """100 clients that request an earlier state of 4 MB: 3 do not read it, the others request a part all the time."""
    whole, part = {"reactor": "past", "revision": 4}, {"reactor": "past", "revision": 4, "path": "/count"}
    return [
        (3, Script(request("reactor.state", whole, 1), reads=NEVER)),
        (97, Script(request("reactor.state", part, 1), endless=True)),
    ]


@attack(prepare_scheduled, accepted=100, answers=100, grows="answers")
def resume():
    """100 connections that subscribe to a thousand executions from the first event on, again and again."""
    subscribe = {"subscription": "s", "execution": SCHEDULED, "from": "start", "channels": ["executions"]}
    data = request("subscribe", subscribe, 1) + request("unsubscribe", {"subscription": "s"}, 2)
    return [(100, Script(data, endless=True))]


def from_start():
    return request("subscribe", {
        "subscription": "s", "action": "kept", "from": "start", "channels": ["elements", "errors", "executions"]}, 1)


# --- Elements and events ----------------------------------------------------------------------------------------------


@attack(requests=1000, waiting=1)
def join():
    """Four connections that each join an execution with an element of a megabyte a thousand times, and do not read."""
    return [(4, Script(executing("megabyte") * 1000, reads=NEVER, seconds=5))]


@attack(requests=8192, answers=1024, grows="answers")
def joiners():
    """Eight connections that each join an execution with many short elements a thousand times."""
    return [(8, Script(executing("lines") * 1024, answers=1024))]


@attack(answers=5, grows="answers")
def stderr():
    """Eight programs that write short lines to their standard error as fast as they can."""
    return [(8, Script(executing("noise"), answers=1))]


@attack(accepted=150, waiting=100, received=1000, grows="received")
def element():
    """200 subscribers that do not read, of an action that emits elements of a megabyte; its requester gets lags."""
    subscribe = {"subscription": "s", "action": "megabytes", "channels": ["elements", "errors", "executions"]}
    return [
        (200, Script(request("subscribe", subscribe, 1), reads=NEVER)),
        (1, Script(executing("megabytes", stream="s", onDisconnect="cancel"))),
    ]


@attack(accepted=150, waiting=100, answers=1000, grows="answers")
def subscribe():
    """200 connections that subscribe to everything and do not read, while others execute as fast as they can."""
    channels = ["elements", "errors", "executing", "enabled", "executions"]
    data = request("subscribe", {"subscription": "a", "action": "*", "channels": channels}, 1)
    data += request("subscribe", {"subscription": "r", "reactor": "*"}, 2)
    return [(200, Script(data, reads=NEVER)), (4, Script(executing("echo", input=1) * 100, endless=True))]


@attack(accepted=200, answers=100_000, grows="answers")
def manysubscriptions():
    """240 connections that read 24 subscriptions each, to an action that 4 connections execute as fast as they can."""
    one = [request("subscribe", {"subscription": f"s{number}", "action": "echo", "channels": ["elements"]}, number)
           for number in range(24)]
    return [(240, Script(b"".join(one))), (4, Script(executing("echo", input=1) * 100, endless=True))]


# Streams that others see by `allow` alone, since they may not read the action that these start.
STREAMS = f"""
[action.hidden]
builtin = "echo"
allow = {{ users = [] }}
on = [{", ".join(f'{{ stream = "hour{number}" }}' for number in range(300))}]
[stream.inbox]
subject = true
allow = {{ execute = "all", subscribe = "all" }}
""" + "".join(f'[stream.hour{number}]\nevery = "1h"\nallow = {{ subscribe = "all" }}\n' for number in range(300))


def prepare_inbox(client):
    """The last events of the stream, which the daemon keeps (`replayBytes`)."""
    client.pipeline("stream.send", {"stream": "inbox", "element": "x" * 100}, 30_000)


@attack(prepare_inbox, configuration=STREAMS, accepted=100, answers=1000, grows="answers")
def streams():
    """80 connections that subscribe to all of 301 streams again and again, 20 that read them, and 20 that send."""
    subscribe = request("subscribe", {"subscription": "s", "stream": "*"}, 1)
    again = subscribe + request("unsubscribe", {"subscription": "s"}, 2)
    send = request("stream.send", {"stream": "inbox", "element": "x" * 100}, 1) * 100
    return [(80, Script(again, endless=True)), (20, Script(subscribe)), (20, Script(send, endless=True))]


@attack(accepted=50, received=10_000, grows="received")
def trickle():
    """60 paced streams of a thousand elements a second, read a few bytes at a time."""
    line = executing("ticks", input={"count": 10_000_000, "interval": "1ms"}, stream="ticks", onDisconnect="cancel")
    return [(60, Script(line, reads=SLOWLY))]


# --- Many requests ----------------------------------------------------------------------------------------------------


@attack(accepted=150, answers=1000, grows="answers")
def flood():
    """200 connections that send small requests as fast as they can."""
    return [(200, Script(executing("echo", input=1) * 500, endless=True))]


@attack(accepted=150, errors=1000, grows="errors")
def errors():
    """200 connections that send what is refused, as fast as they can: no JSON, and parameters with long names."""
    name = "n" * 60_000
    invalid = [
        request("action.execute", {"action": "echo", name: 1}, 1),
        request("action.execute", {"action": name}, 1),
        request("reactor.state", {"reactor": "big", "path": "/" + name}, 1),
        request(name, {}, 1),
        request("action.check", {"action": "check", "input": {name: "z"}}, 1),
        request("subscribe", {f"{number}{name[:100]}": number for number in range(500)}, 1),
    ]
    # After 16 lines in a row that are not JSON, a connection is closed.
    return [(200, Script(b"".join(b"{no JSON\n" * 15 + line for line in invalid), endless=True))]


# A fourth user would take the places of all but root.
@attack(accepted=700, opened=3000, grows="opened", users=3)
def connections():
    """Connections of three users without an end; each that the daemon closes is opened again."""
    return [(1500, Script(reads=NEVER))]


# --- All of it --------------------------------------------------------------------------------------------------------


@attack(prepare_all, accepted=150, requests=1000, answers=1000, grows="answers")
def together():
    """A part of most of these at once, on 212 connections."""
    parts = [validate, execute, partial, lists, batches, states, history, searches, unread, rereads, join, element,
             subscribe, trickle, flood, errors]
    return [(max(1, number // 14), script) for part in parts for number, script in part()]


@attack(prepare_all, accepted=400, requests=1000, answers=1000, grows="answers", users=4)
def users():
    """The same by four users at a time."""
    return together()
