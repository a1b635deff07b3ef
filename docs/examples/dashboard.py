#!/usr/bin/env python3
"""Shows the actions of rxd and their newest executions as they change: dashboard.py; Ctrl-C ends it.

One subscription brings the levels and the records of executions; nothing is polled but the daemon's figures. Frames are
drawn when something has changed, at most ten a second. Needs rxd.py beside it.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import sys
import unicodedata
from datetime import datetime, timezone
from typing import Any

from rxd import Client, Disconnected, Event, RxdError

RECENT = 100  # ended executions that are remembered: more than a screen has lines
MARKS = {"completed": ("✓", 32), "executing": ("▶", 36), "queued": ("…", 33)}
COLORED = not os.environ.get("NO_COLOR")


class Board:
    """What is on the screen."""

    def __init__(self) -> None:
        self.actions: dict[str, dict[str, Any]] = {}
        self.executions: dict[str, dict[str, Any]] = {}  # by id: ids are in the order of their acceptance
        self.status, self.changed = "connecting", True

    def take(self, event: Event) -> None:
        self.changed = True
        match event["channel"]:
            case "snapshot":
                # It has all that is queued or executing; what else was so has ended meanwhile.
                self.executions = {id: e for id, e in self.executions.items() if e["endedAt"]}
                self.actions = event["value"]["actions"]
                for name, levels in self.actions.items():
                    self.keep(*levels.pop("executions", []))
            case "executions":
                self.keep(event["value"])
            case "enabled":
                self.actions.setdefault(event["action"], {}).update(event["value"])

    def keep(self, *records: dict[str, Any]) -> None:
        self.executions |= {record["execution"]: record for record in records}
        ended = sorted(id for id, record in self.executions.items() if record["endedAt"])
        for id in ended[:-RECENT]:
            del self.executions[id]

    def frame(self, columns: int, rows: int) -> list[str]:
        def count(state: str, action: str | None = None) -> int:
            found = [e for e in self.executions.values() if e["state"] == state]
            return sum(1 for e in found if action in (None, e["action"]))

        head = f"rxd  {datetime.now():%F %T}   {self.status}   executing: {count('executing')}, "
        lines = [fit(head + f"queued: {count('queued')}", columns), "", "ACTION               STATE"]
        names = sorted(self.actions, key=lambda name: (not count("executing", name), name))
        for name in names[: max(1, rows // 2 - 3)]:
            level, busy, waiting = self.actions[name], count("executing", name), count("queued", name)
            state, mark, color = "enabled", " ", 0
            if busy:
                state, (mark, color) = f"{busy} executing", MARKS["executing"]
            elif not level["enabled"]:
                reason = level["reason"] or {}
                state, mark, color = str(reason.get("reason") or reason.get("cause")), "✗", 31
            text = f" {state}" + (f", {waiting} queued" if waiting else "")
            lines.append(f"{fit(name, 20)} {paint(mark, color)}{fit(text, columns - 22)}")
        lines += ["", "WHEN      ACTION               LASTED     END"]
        for id in sorted(self.executions, reverse=True):
            lines.append(self.execution(self.executions[id], columns))
        return lines[: rows - 1]

    def execution(self, record: dict[str, Any], columns: int) -> str:
        mark, color = MARKS.get(record["state"], ("✗", 31))
        lasted = ""
        if record["startedAt"]:
            end = time(record["endedAt"]) if record["endedAt"] else datetime.now(timezone.utc)
            lasted = f"{(end - time(record['startedAt'])).total_seconds():.1f} s"
        text = record["state"] + (f": {record['error']['message']}" if record["error"] else "")
        when = time(record["queuedAt"]).astimezone()
        head = f"{when:%T}  {fit(record['action'], 20)} {fit(lasted, 10)} {paint(mark, color)} "
        return head + fit(text, columns - 44)


def time(text: str) -> datetime:
    return datetime.fromisoformat(text)


def paint(text: str, color: int) -> str:
    return f"\x1b[{color}m{text}\x1b[m" if color and COLORED else text


def fit(text: str, cells: int) -> str:
    """The text in exactly so many cells. A wide character takes two; nothing in it controls the terminal."""
    clean = ["?" if unicodedata.category(c) in ("Cc", "Cf", "Mn") else c for c in text]
    sizes = [2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in clean]
    if sum(sizes) > cells > 0:
        while sum(sizes) > cells - 1:
            clean.pop(), sizes.pop()
        clean, sizes = [*clean, "…"], [*sizes, 1]
    return "".join(clean) + " " * (cells - sum(sizes)) if cells > 0 else ""


async def follow(rxd: Client, board: Board) -> None:
    board.keep(*(await rxd.call("execution.list", limit=RECENT))["executions"])
    async for event in rxd.subscribe(action="*", channels=["executions", "enabled"], snapshots=True):
        board.take(event)


async def figures(rxd: Client, board: Board) -> None:
    while True:
        try:
            status = await rxd.call("server.status")
            board.status = f"clients: {status['connections']}"
        except (Disconnected, RxdError):
            board.status = "the daemon is away"
        board.changed = True
        await asyncio.sleep(1)


async def draw(board: Board) -> None:
    while True:
        if board.changed:
            board.changed = False
            columns, rows = shutil.get_terminal_size()
            lines = "\x1b[K\n".join(board.frame(columns - 1, rows))
            print(f"\x1b[?2026h\x1b[H{lines}\x1b[J\x1b[?2026l", end="", flush=True)
        await asyncio.sleep(0.1)


async def main() -> None:
    if not sys.stdout.isatty():
        sys.exit("dashboard.py: stdout is not a terminal")
    board = Board()
    async with Client() as rxd:
        work = asyncio.gather(follow(rxd, board), figures(rxd, board), draw(board))
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            asyncio.get_running_loop().add_signal_handler(number, work.cancel)
        print("\x1b[?1049h\x1b[?25l", end="")
        try:
            await work
        except asyncio.CancelledError:
            pass
        finally:
            print("\x1b[?25h\x1b[?1049l", end="", flush=True)


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except (RxdError, Disconnected) as error:
        sys.exit(f"dashboard.py: {error}")
