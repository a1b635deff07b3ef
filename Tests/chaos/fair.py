#!/usr/bin/env python3
"""What one greedy user costs the others: attacks on a release build, and how long honest clients wait meanwhile.

    Tests/chaos/fair.py [ATTACK...]      all of them without an argument

An attacker (user `nobody`, nice 19; `users` has others beside it) does the worst that it may with the default limits,
for RX_SECONDS: it begins again what is finished, and holds what costs by being held. `reloads` is root, who reloads the
configuration RX_RELOADS times, a third of them faulty.

Meanwhile root and the user `daemon` ping rxd, and a third client pings the C echo of the benchmarks, whose times show
what the machine itself costs. Each client is a process of its own and sends a ping every 5 ms by schedule, each 50th on
a new connection, whether or not the earlier ones are answered. The time of a ping counts from when it was due, so a
stall of 300 ms makes 60 pings late. A wrong answer, an error, or a closed connection fails. The clients begin before
the attackers and go on for a second after them.

The memory is the daemon's alone, without its workers and programs, as the kernel counts it: before, once it has not
grown for a second after 10,000 pings; at most, from the beginning of the attack on; and 10 s after the attackers have
left. Each user has an account of its own, so the bounds are for each attacker: four of them may take four times as
much. An attack whose counters show too little, or that ends early, did not take place, and fails.

The daemon has a watchdog of three seconds: if it once does not report for so long, the attack fails.

"root waits 60.1 / 99.8 ms" is the 99th percentile and the worst.

Where the kernel shares the processor among sessions (autogroups), a nice attacker is nice to its own session only, and
the C echo waits as long as rxd. A service has no autogroup, so the kernel's are turned off meanwhile.

Each round has a daemon of its own. Bounds of time have the best of RX_ROUNDS rounds, since the machine disturbs them;
everything else fails at once.

Needs root, for the other users. RXD names the daemon, ECHO the C echo, which is compiled if it is not given; RX_SECONDS
is the time of an attack (10), RX_ROUNDS the number of rounds (3), RX_RELOADS the number of reloads (10000).
Exit status: 0 passed, 1 failed, 2 not run.
"""

import contextlib
import os
import pwd
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap

sys.dont_write_bytecode = True  # Root's files would be left in the source tree.

from fair.attacks import ATTACKS  # noqa: E402
from fair.daemon import await_socket  # noqa: E402
from fair.processes import Program  # noqa: E402
from fair.rounds import ATTACKERS, CLIENTS, MIB, Round  # noqa: E402
from fair.wire import Fault  # noqa: E402

P99, WORST = 50, 250  # milliseconds that an honest client waits, beside an attack
RELOAD_P99, RELOAD_WORST = 10, 50  # the same beside reloads
GROWTH = 64 * MIB  # bytes by which the daemon may grow for each user who attacks it
REST = 8 * MIB  # bytes by which it may be larger afterwards, for each of them

AUTOGROUPS = "/proc/sys/kernel/sched_autogroup_enabled"
WIDTH = 100  # columns of the output
HERE = os.path.dirname(os.path.abspath(__file__))
NAMES = [*ATTACKS, "reloads"]


class Settings:
    growth, rest = GROWTH, REST

    def __init__(self, work):
        self.rxd = os.environ.get("RXD") or os.path.join(HERE, "../../.build/release/rxd")
        self.seconds = float(os.environ.get("RX_SECONDS") or 10)
        self.rounds = int(os.environ.get("RX_ROUNDS") or 3)
        self.reloads = int(os.environ.get("RX_RELOADS") or 10_000)
        self.echo = work + "/echo.sock"

    def bounds(self, name):
        return (RELOAD_P99, RELOAD_WORST) if name == "reloads" else (P99, WORST)


class Screen:
    """A line for each round, and one that shows what happens, on a terminal."""

    def __init__(self):
        self.isTerminal = sys.stdout.isatty()

    def head(self):
        self.print(f"{'':15}{'root':>13} {'daemon':>15} {'C echo':>15}   memory of the daemon")
        self.print(f"attack, round  {'   p99  worst   ' * 3}before   peak  after")

    def print(self, text):
        print(("\r\x1b[K" if self.isTerminal else "") + text, flush=True)

    def progress(self, text):
        if self.isTerminal:
            print("\r\x1b[K" + text[:WIDTH - 1], end="", flush=True)

    def round(self, title, figures):
        times = [figures.times.get(name) for name in CLIENTS]
        cells = [f"{each.p99:6.1f} {each.worst:6.1f}   " if each else f"{'-':>6} {'-':>6}   " for each in times]
        memory = " ".join(f"{bytes / MIB:6.1f}" for bytes in figures.memory) or " " * 20
        self.print(f"{title:15}{''.join(cells)}{memory}   {figures.work}".rstrip())
        for fault in figures.faults + figures.disturbed:
            for line in fault.splitlines():
                self.print(fill("    ", line))


def run_attack(name, work, settings, screen):
    """The faults of the best round: none if one was without."""
    best = None
    for number in range(1, settings.rounds + 1):
        title, folder = f"{name} {number}", f"{work}/{name}.{number}"
        os.mkdir(folder, 0o755)
        figures = Round(name, folder, settings, lambda text: screen.progress(f"{title}: {text}")).run()
        shutil.rmtree(folder, ignore_errors=True)
        screen.round(title, figures)
        if figures.faults:
            return figures.faults + figures.disturbed
        if not figures.disturbed:
            return []
        best = min(best or figures, figures, key=lambda figures: figures.worst)
    return best.disturbed


@contextlib.contextmanager
def without_autogroups():
    try:
        with open(AUTOGROUPS, "r+") as file:
            before = file.read()
            file.seek(0)
            file.write("0")
    except OSError:  # None, or not ours to change.
        before = None
    try:
        yield
    finally:
        if before is not None:
            with open(AUTOGROUPS, "w") as file:
                file.write(before)


def run_all(names, work):
    settings, screen = Settings(work), Screen()
    program = os.environ.get("ECHO") or work + "/echo"
    if not os.environ.get("ECHO"):
        subprocess.run(["cc", "-O2", "-o", program, HERE + "/../../Benchmarks/c/echo.c"], check=True)
    echo = Program([program, settings.echo], work + "/echo.log")
    try:
        await_socket(settings.echo, echo)
        screen.head()
        failed = {name: faults for name in names if (faults := run_attack(name, work, settings, screen))}
    finally:
        echo.kill()
    summarize(names, failed)
    return 1 if failed else 0


def summarize(names, failed):
    passed = [name for name in names if name not in failed]
    print(f"\nfair: {len(failed)} of {len(names)} attacks failed" if failed else "\nfair: passed")
    print(fill("  passed: ", " ".join(passed) or "none"))
    for name, faults in failed.items():
        for place, fault in enumerate(faults):
            print(fill(f"  {'FAILED ' + name if not place else '':22} ", fault.splitlines()[0]))


def fill(start, text):
    return textwrap.fill(text, WIDTH, initial_indent=start, subsequent_indent=" " * len(start))


def reason_not_to_run(names):
    unknown = [name for name in names if name not in NAMES]
    if unknown:
        return f"no attack {unknown[0]}; there are {', '.join(NAMES)}"
    if os.geteuid() != 0:
        return "only root can attack as another user; run it as root"
    for user in {*ATTACKERS, *CLIENTS.values()}:
        try:
            pwd.getpwnam(user)
        except KeyError:
            return f"there is no user {user}"
    return None


def print_help():
    print(__doc__.strip() + "\n\nAttacks:")
    about = {attack.name: attack.scripts.__doc__ for attack in ATTACKS.values()}
    about["reloads"] = "Reloads one after the other, each of which changes ten actions and reactors of sixty."
    for name, text in about.items():
        print(fill(f"  {name:14} ", text))
    return 0


def end(number, _):
    sys.exit(128 + number)


def main():
    names = sys.argv[1:] or NAMES
    if {"-h", "--help"} & set(names):
        return print_help()
    if reason := reason_not_to_run(names):
        print(fill("fair: not run: ", reason), file=sys.stderr)
        return 2
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, end)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(65536, resource.getrlimit(resource.RLIMIT_NOFILE)[1]),) * 2)
    work = tempfile.mkdtemp(prefix="rxd-fair.")
    os.chmod(work, 0o755)
    try:
        with without_autogroups():
            return run_all(names, work)
    except (Fault, subprocess.CalledProcessError) as fault:
        print(f"fair: not run: {fault}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\nfair: interrupted", file=sys.stderr)
        return 128 + signal.SIGINT
    finally:
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
