"""The connections of an attacker: each follows a script, and the crowd counts what they achieve."""

import array
import fcntl
import select
import socket
import termios
import time
from dataclasses import dataclass

from .processes import Counters
from .wire import try_to_connect

NEVER, SLOWLY, ALWAYS = "never", "slowly", "always"
PORTION = 1 << 16  # bytes that a connection sends before the others have their turn
LOOK = 0.5  # seconds from one look at all connections to the next


def counters():
    """Of a crowd. `connections` are open now; all others are totals since the attack began.

    `opened`: connections. `sent` and `received`: bytes. `requests`: lines that are sent completely. `answers`: lines
    received that are not errors. `errors`: lines received that are. `waiting`: connections on which an answer that is
    no error was left unread.
    """
    return Counters("connections", "opened", "sent", "received", "requests", "answers", "errors", "waiting")


@dataclass
class Script:
    """What a connection does. If the daemon closes it, it is opened again."""

    data: bytes = b""
    endless: bool = False  # whether it sends the data again and again
    reads: str = ALWAYS
    answers: int = 0  # lines after which it closes and begins again; 0: never
    seconds: float = 0  # time after which it does

    def __post_init__(self):
        self.lines = max(1, self.data.count(b"\n")) if self.data else 0


class Peer:
    """One connection."""

    def __init__(self, script, sock, count):
        self.script, self.socket, self.count = script, sock, count
        self.offset, self.answers, self.isWaiting = 0, 0, False
        self.since = time.monotonic()

    @property
    def wants(self):
        writes = select.EPOLLOUT if self.offset < len(self.script.data) else 0
        return writes | (select.EPOLLIN if self.script.reads == ALWAYS else 0)

    def send(self):
        sent = self.socket.send(memoryview(self.script.data)[self.offset:self.offset + PORTION])
        self.count.sent += sent
        self.offset += sent
        if self.offset == len(self.script.data):
            self.count.requests += self.script.lines
            if self.script.endless:
                self.offset = 0

    def receive(self, most=1 << 18):
        """Returns whether the connection goes on."""
        received = self.socket.recv(most)
        lines, errors = received.count(b"\n"), received.count(b'"error":{"code"')
        self.count.received += len(received)
        self.count.answers += max(0, lines - errors)
        self.count.errors += errors
        self.answers += lines
        return bool(received) and not (self.script.answers and self.answers >= self.script.answers)

    def look(self):
        """What is done from time to time. Returns whether the connection goes on."""
        if self.script.reads == SLOWLY and not self.receive(64):
            return False
        if self.script.reads == NEVER and not self.isWaiting and self.has_unread():
            self.isWaiting = b'"error":{"code"' not in self.socket.recv(1024, socket.MSG_PEEK)
            self.count.waiting += self.isWaiting
        return not self.script.seconds or time.monotonic() < self.since + self.script.seconds

    def has_unread(self):
        size = array.array("i", [0])
        fcntl.ioctl(self.socket, termios.FIONREAD, size)
        return size[0] > 0


class Crowd:
    """`scripts` are pairs of a number of connections and what each of them does."""

    def __init__(self, path, scripts, count):
        self.path, self.count = path, count
        self.missing = [script for number, script in scripts for _ in range(number)]
        self.peers, self.epoll = {}, select.epoll()

    def run(self):
        """Attacks without an end."""
        look = time.monotonic() + LOOK
        while True:
            self.open()
            for number, events in self.epoll.poll(0.01 if self.missing else LOOK, 64):
                self.serve(self.peers[number], events)
            if time.monotonic() >= look:
                look = time.monotonic() + LOOK
                for peer in list(self.peers.values()):
                    self.attempt(peer, peer.look)

    def open(self):
        """Opens the missing connections, until too many wait to be accepted."""
        while self.missing:
            try:
                sock = try_to_connect(self.path)
            except OSError:
                return  # The daemon refuses what is too much.
            if not sock:
                return
            peer = Peer(self.missing.pop(), sock, self.count)
            self.peers[sock.fileno()] = peer
            self.epoll.register(sock, peer.wants)
            self.count.opened += 1
            self.count.connections += 1

    def serve(self, peer, events):
        wanted = peer.wants
        if events & select.EPOLLOUT and not self.attempt(peer, lambda: peer.send() or True):
            return
        if events & select.EPOLLIN:
            if not self.attempt(peer, peer.receive):
                return
        elif events & (select.EPOLLHUP | select.EPOLLERR):
            return self.close(peer)
        if peer.wants != wanted:
            self.epoll.modify(peer.socket, peer.wants)

    def attempt(self, peer, step):
        """Returns whether the connection goes on."""
        try:
            isOpen = step()
        except BlockingIOError:
            return True
        except OSError:
            isOpen = False
        if not isOpen:
            self.close(peer)
        return isOpen

    def close(self, peer):
        del self.peers[peer.socket.fileno()]
        peer.socket.close()
        self.missing.insert(0, peer.script)
        self.count.connections -= 1
