"""The watchdog of systemd, which ends a daemon that does not report in time."""

import socket
import threading
import time

SECONDS = 3  # after which systemd would end the daemon (WatchdogSec)


class Watchdog:
    """Receives what the daemon reports to systemd, for as long as there is one."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(path)
        self.environment = {"NOTIFY_SOCKET": path, "WATCHDOG_USEC": str(SECONDS * 1_000_000)}
        self.reports, self.longest, self.last = 0, 0, time.monotonic()
        # The daemon does not wait for a reader: what finds no room is lost.
        threading.Thread(target=self.receive, daemon=True).start()

    def receive(self):
        while True:
            try:
                lines = self.socket.recv(1 << 16).split(b"\n")
            except OSError:
                return
            if b"READY=1" in lines:
                self.last = time.monotonic()
            if b"WATCHDOG=1" in lines:
                self.reports += 1
                self.look()
                self.last = time.monotonic()

    def look(self):
        self.longest = max(self.longest, time.monotonic() - self.last)

    def fault(self):
        """Why systemd would have ended the daemon by now; None if it would not."""
        self.look()
        if self.longest > SECONDS:
            return f"no WATCHDOG=1 for {self.longest:.1f} s, at most {SECONDS}"
        return None if self.reports else "no WATCHDOG=1"
