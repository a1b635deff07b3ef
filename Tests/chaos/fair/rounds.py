"""A round: a daemon of its own, the honest clients, and one attack on it."""

import pwd
import time
from contextlib import ExitStack
from dataclasses import dataclass, field

from . import crowd, reloads
from .attacks import ATTACKS
from .daemon import Daemon
from .honest import PERIOD, Pinger, Times, number_from_echo, number_from_rxd
from .processes import Child
from .wire import Fault

# The clients and their users. Some connections are reserved for root and the daemon's user, so another user counts too.
ECHO = "C echo"
CLIENTS = {"root": "root", "daemon": "daemon", ECHO: "root"}
ATTACKERS = ("nobody", "games", "mail", "news")  # as many of them as the attack has users
AFTER = 1  # seconds that the clients go on when the attackers have left
LEAST_PINGS = 0.9  # share of the pings that are due during the attack, without which there was no measurement
GONE = 10  # seconds after that until the daemon must have given its memory back

MIB = 1 << 20


@dataclass
class Figures:
    """What a round measured. `disturbed` are faults that the machine may have caused."""

    times: dict = field(default_factory=dict)
    memory: list = field(default_factory=list)  # before, at most, after; in bytes
    work: str = ""
    disturbed: list = field(default_factory=list)
    faults: list = field(default_factory=list)

    @property
    def worst(self):
        """Of the clients of rxd."""
        return max(times.worst for name, times in self.times.items() if name != ECHO)


class Round:
    """`settings` has the paths and the bounds; `progress(text)` shows what happens."""

    def __init__(self, name, folder, settings, progress):
        self.name, self.folder, self.settings, self.progress = name, folder, settings, progress
        self.figures = Figures()

    def run(self):
        with ExitStack() as cleanup:
            try:
                self.measure(cleanup)
            except Fault as fault:
                self.figures.faults.append(str(fault))
            except OSError as error:
                self.figures.faults.append(repr(error))
        return self.figures

    def measure(self, cleanup):
        is_reload = self.name == "reloads"
        self.progress("prepares")
        more = reloads.configuration(-3) if is_reload else ATTACKS[self.name].configuration
        daemon = Daemon(self.settings.rxd, self.folder, more)
        cleanup.callback(daemon.program.stop)
        daemon.await_start()
        before = daemon.warm_up(None if is_reload else ATTACKS[self.name].prepare)
        daemon.forget_peak()
        clients, start = self.start_clients(daemon, cleanup), time.monotonic()
        (self.reload if is_reload else self.attack)(daemon, cleanup)
        left = time.monotonic()
        time.sleep(AFTER)
        self.collect(clients, LEAST_PINGS * (left - start) / PERIOD)
        self.progress("waits for the memory")
        time.sleep(max(0, left + GONE - time.monotonic()))
        self.figures.memory = [before, daemon.memory("VmHWM"), daemon.memory("VmRSS")]
        self.judge_memory()
        if fault := daemon.watchdog.fault():
            self.figures.faults.append(fault)
        daemon.stop()

    # --- The attack

    def attack(self, daemon, cleanup):
        attack, seconds = ATTACKS[self.name], self.settings.seconds
        users, counts, crowds = ATTACKERS[:attack.users], [], []
        for user in users:
            counts.append(crowd.counters())
            crowds.append(Child(user, 19, lambda _, count=counts[-1]: attack.run(daemon.path, count)))
            cleanup.callback(crowds[-1].kill)
        start = time.monotonic()
        self.watch(daemon, crowds, counts, start + seconds / 2)
        half = total(count.copy() for count in counts)
        self.watch(daemon, crowds, counts, start + seconds)
        ended = [child for child in crowds if child.has_ended()]
        now = total(count.copy() | daemon.account(pwd.getpwnam(user).pw_uid) for user, count in zip(users, counts))
        for child in ended:
            self.did_not_take_place(child)
        for child in crowds:
            child.kill()
        self.figures.work = attack.figure(now)
        faults = attack.missing(half, now)
        if faults and not ended:
            self.figures.faults.append(f"the attack did not take place: {'; '.join(faults)}")

    def watch(self, daemon, crowds, counts, until):
        while time.monotonic() < until and not any(child.has_ended() for child in crowds):
            daemon.program.check()
            now = total(count.copy() for count in counts)
            figures = " ".join(f"{number} {name}" for name, number in now.items() if number)
            self.progress(f"{until - time.monotonic():.0f} s, {figures}")
            time.sleep(min(0.2, max(0, until - time.monotonic())))

    def reload(self, daemon, cleanup):
        count = reloads.counters()
        child = Child("root", 19, lambda _: reloads.run(daemon, self.settings.reloads, count))
        cleanup.callback(child.kill)
        while not child.has_ended():
            daemon.program.check()
            self.progress(f"{count.reloads} of {self.settings.reloads} reloads")
            time.sleep(0.1)
        self.figures.work = f"{count.reloads} reloads"
        if count.reloads < self.settings.reloads:
            self.did_not_take_place(child)

    def did_not_take_place(self, child):
        try:
            child.result()
            reason = "the attacker ended early"
        except Fault as fault:
            reason = str(fault)
        self.figures.faults.append(f"the attack did not take place: {reason}")

    # --- The honest clients

    def start_clients(self, daemon, cleanup):
        clients = {}
        for name, user in CLIENTS.items():
            is_echo = name == ECHO
            pinger = Pinger(self.settings.echo if is_echo else daemon.path,
                            number_from_echo if is_echo else number_from_rxd)
            clients[name] = Child(user, 0, pinger.run)
            cleanup.callback(clients[name].kill)
        return clients

    def collect(self, clients, least):
        for client in clients.values():
            client.end()
        for name, client in clients.items():
            report = client.result()
            self.figures.times[name] = Times(report["times"])
            if report["fault"]:
                self.figures.faults.append(f"{name}: {report['fault']}")
            elif len(report["times"]) < least:
                self.figures.faults.append(f"{name}: only {len(report['times'])} pings")
        for name, times in self.figures.times.items():
            if name != ECHO:
                self.judge_times(name, times, self.figures.times[ECHO])

    # --- The bounds

    def judge_times(self, name, times, echo):
        p99, worst = self.settings.bounds(self.name)
        if times.p99 > p99 or times.worst > worst:
            self.figures.disturbed.append(
                f"{name} waits {times.p99:.1f} / {times.worst:.1f} ms, at most {p99} / {worst} "
                f"(C echo {echo.p99:.1f} / {echo.worst:.1f})")

    def judge_memory(self):
        before, peak, after = self.figures.memory
        users = ATTACKS[self.name].users if self.name in ATTACKS else 1
        growth, rest = users * self.settings.growth, users * self.settings.rest
        if peak - before > growth:
            self.figures.faults.append(f"grows by {(peak - before) / MIB:.1f} MiB, at most {growth / MIB:.0f}")
        if after - before > rest:
            self.figures.faults.append(f"keeps {(after - before) / MIB:.1f} MiB, at most {rest / MIB:.0f}")


def total(figures):
    """The sums of figures with the same names."""
    figures = list(figures)
    return {name: sum(each[name] for each in figures) for name in figures[0]}
