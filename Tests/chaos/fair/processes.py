"""Processes that end with their parent, whatever happens to it: forked functions, and programs."""

import ctypes
import json
import mmap
import os
import pwd
import signal
import socket
import subprocess

from .wire import PATIENCE, Fault

PR_SET_PDEATHSIG = 1
LIBC = ctypes.CDLL(None, use_errno=True)


def die_with_parent():
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


class Counters:
    """Counters with names in memory that a process and its children share."""

    def __init__(self, *names):
        self.__dict__["_places"] = {name: place for place, name in enumerate(names)}
        self.__dict__["_memory"] = memoryview(mmap.mmap(-1, 8 * len(names))).cast("q")

    def __getattr__(self, name):
        if name not in self._places:
            raise AttributeError(name)
        return self._memory[self._places[name]]

    def __setattr__(self, name, value):
        self._memory[self._places[name]] = value

    def copy(self):
        return {name: self._memory[place] for name, place in self._places.items()}


class Child:
    """A forked process that runs `body(control)` as `user`. `control` is a socket that ends when the child shall end.

    What the body returns is JSON, which `result` gives to the parent.
    """

    def __init__(self, user, nice, body):
        self.control, control = socket.socketpair()
        self.isReaped = False
        self.pid = os.fork()
        if self.pid == 0:
            self.control.close()
            self.run(user, nice, body, control)
        control.close()

    def run(self, user, nice, body, control):
        try:
            for number in (signal.SIGTERM, signal.SIGHUP):
                signal.signal(number, signal.SIG_DFL)
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # The parent decides when its children end.
            become(user, nice)
            die_with_parent()
            report = {"result": body(control)}
        except BaseException as error:
            report = {"error": str(error) if isinstance(error, Fault) else repr(error)}
        try:
            control.setblocking(True)
            control.sendall(json.dumps(report).encode())
        finally:
            os._exit(0)

    def has_ended(self):
        if not self.isReaped:
            self.isReaped = os.waitpid(self.pid, os.WNOHANG)[0] != 0
        return self.isReaped

    def end(self):
        """Asks the child to end; `result` waits for it."""
        self.control.shutdown(socket.SHUT_WR)

    def result(self):
        """What the body returned, or a fault with the reason why it did not."""
        self.control.settimeout(PATIENCE + 10)
        text = bytearray()
        try:
            while portion := self.control.recv(1 << 16):
                text += portion
        except OSError as error:
            raise Fault(f"no report: {error!r}")
        finally:
            self.kill()
        report = json.loads(text or '{"error": "it was killed"}')
        if "error" in report:
            raise Fault(report["error"])
        return report["result"]

    def kill(self):
        if not self.has_ended():
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            self.isReaped = True
        self.control.close()


def become(user, nice):
    os.nice(nice)
    account = pwd.getpwnam(user)
    os.setgroups([])
    os.setgid(account.pw_gid)
    os.setuid(account.pw_uid)


class Program:
    """A program that runs until `stop`, with a log. It has a session of its own, so Ctrl-C does not reach it."""

    def __init__(self, arguments, log, **environment):
        self.log = log
        with open(log, "w") as file:
            self.process = subprocess.Popen(
                arguments, stdin=subprocess.DEVNULL, stdout=file, stderr=file, start_new_session=True,
                preexec_fn=die_with_parent, env=os.environ | environment)

    @property
    def pid(self):
        return self.process.pid

    def check(self):
        if self.process.poll() is not None:
            raise Fault(f"{self.process.args[0]} ended with {self.process.returncode}\n{self.end_of_log()}")

    def end_of_log(self):
        with open(self.log, errors="replace") as file:
            return "".join(line[:200].rstrip() + "\n" for line in file.readlines()[-5:])

    def stop(self):
        """Asks it to end, and kills it if it does not. Returns its exit status."""
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self.kill()
        return self.process.returncode

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
