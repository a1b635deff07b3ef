#!/usr/bin/env python3
"""A client of rxd in one file: copy it beside your program. Python 3.11 or later, nothing else.

    async with Client() as rxd:
        print(await rxd.execute("deploy", {"env": "prod"}))               # all elements, at the end
        async for element in rxd.elements("deploy", {"env": "prod"}):     # each element, as it comes
            print(element)
        await rxd.dispatch("order", {"type": "ship"})
        async for event in rxd.subscribe(action="*", channels=["errors"], cursor_file="errors.cursor"):
            print(event["action"], event["error"]["message"])             # through restarts of the daemon

Names of methods, parameters, and members are those of docs/protocol.md; `call` takes any method. Rules:

- An error that the daemon answers is an `RxdError`; compare its `name`. A connection that is lost, or cannot be made,
  is `Disconnected`: a request under way may have been carried out. A repetition with the same `key` is safe.
- To leave `elements` or to cancel its task withdraws the request, which cancels an execution that has no other
  requester. Leave by `contextlib.aclosing`, a cancellation, or the end of the task that iterates.
- `subscribe` connects again once the socket is back, and resumes after the last event, so that none is missing or
  doubled. Where the daemon no longer has the events between, or lost some itself, an event on the channel `lag` is in
  their place.
- Memory is bounded. What is under way at the same time has a connection each (the daemon grants a user 256), and
  `elements` and `subscribe` read theirs only as fast as their loop takes what comes: a slow loop holds back the work of
  its own execution. A subscription whose loop is slow is ended by the daemon, and then resumed from the daemon's log.

As a program: rxd.py execute ACTION [INPUT] | dispatch REACTOR ACTION | subscribe ACTION [FILE] | call METHOD [PARAMS]
prints JSON lines. INPUT, ACTION of a reactor, and PARAMS are JSON; FILE keeps the cursor.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
import os
import re
import sys
import time
from collections.abc import AsyncGenerator
from typing import Any, Required, TypeAlias, TypedDict

BUFFER_BYTES = 65_536  # read ahead of a loop that is busy; the rest waits in the daemon
LONGEST_LINE = 256 << 20  # far above the longest answer: more is no message
IDLE_CONNECTIONS = 8  # kept for later calls
FIRST_PAUSE, LONGEST_PAUSE = 0.05, 5.0  # seconds between two attempts, doubled while a daemon is there and refuses
TEMPORARY = {"shuttingDown", "limitReached"}  # refusals that a later attempt may not meet

Start: TypeAlias = str | dict[str, str]
"""Where events begin: "now", "last", "start", "execution", {"cursor": …}, {"time": …}, or {"execution": …}."""


class Event(TypedDict, total=False):
    """The params of an `event`; of `value` and `error`, the one that its channel has."""

    channel: Required[str]
    subscription: str
    seq: int
    cursor: str
    time: str
    action: str
    reactor: str
    stream: str
    step: str
    execution: str
    value: Any
    error: dict[str, Any]


class RxdError(Exception):
    """The daemon refused a request, or the work failed. `name` never changes; `data` has the facts."""

    def __init__(self, error: dict[str, Any]) -> None:
        self.code: int = error.get("code", 0)
        self.message: str = error.get("message", "")
        self.data: dict[str, Any] = error.get("data") or {}
        self.name: str = self.data.get("name", "")
        super().__init__(f"{self.message} ({self.name})")


class Disconnected(ConnectionError):
    """There is no connection to the daemon, or it has ended."""


class Client:
    """The daemon at `socket`, by default where rxctl finds it.

    `wait` is how many seconds to wait for a daemon that is not running yet; a subscription that has begun waits for as
    long as it takes.
    """

    def __init__(self, socket: str | None = None, *, wait: float = 0) -> None:
        self.socket = socket or default_socket()
        self.wait = wait
        self._connections: set[_Connection] = set()
        self._idle: list[_Connection] = []
        self._closed = False

    async def __aenter__(self) -> Client:
        return self

    async def __aexit__(self, *_: object) -> None:
        """Closes all connections: what is under way fails with `Disconnected`."""
        self._closed = True
        for connection in list(self._connections):
            connection.close()

    async def call(self, method: str, /, **params: Any) -> Any:
        """The result of any method, such as `call("reactor.state", reactor="order")`."""
        connection = self._idle.pop() if self._idle else await self._connect(time.monotonic() + self.wait)
        if connection.ended:
            connection.close()
            connection = await self._connect(time.monotonic() + self.wait)
        with contextlib.ExitStack() as stack:
            stack.callback(connection.close)
            result = await connection.request(method, params)
            if len(self._idle) < IDLE_CONNECTIONS:
                self._idle.append(connection)
                stack.pop_all()
            return result

    async def dispatch(self, reactor: str, action: Any) -> int:
        """Gives the reactor an action, and returns the revision of the state that it led to."""
        return int((await self.call("reactor.dispatch", reactor=reactor, action=action))["revision"])

    async def start(self, action: str, input: Any = None, **params: Any) -> dict[str, Any]:
        """Executes the action and leaves it to the daemon: `execution` (its id) and `disposition`.

        Among `params` are `key`, `timeout`, `at`, `after`, and `ifCompleted`.
        """
        stream = {} if params.get("at") else {"stream": "s"}
        with contextlib.closing(await self._connect(time.monotonic() + self.wait)) as connection:
            params = {"action": action, "input": input, **stream, **params}
            return dict(await connection.request("action.execute", params))

    async def execute(self, action: str, input: Any = None, **params: Any) -> list[Any]:
        """Executes the action, waits for its end, and returns all elements; otherwise like `elements`."""
        return [element async for element in self.elements(action, input, **params)]

    async def elements(self, action: str, input: Any = None, **params: Any) -> AsyncGenerator[Any, None]:
        """Executes the action and yields each element. Raises `RxdError` if it is refused or does not complete.

        Among `params` are `key` and `timeout` (text, such as "10s"). An element that is lost, because the execution
        was another client's or a daemon's before this one, is an error too, with the name `missing`.
        """
        params = {"action": action, "input": input, "stream": "s", "onDisconnect": "cancel", **params}
        failure: RxdError | None = None
        with contextlib.closing(await self._connect(time.monotonic() + self.wait)) as connection:
            await connection.request("action.execute", params)
            while True:
                event: Event = await connection.event()
                if event["channel"] == "elements":
                    yield event["value"]
                elif event["channel"] == "errors":
                    failure = RxdError(event["error"])
                elif event["channel"] == "lag":
                    raise RxdError({"message": "elements are missing", "data": {"name": "missing", **event["value"]}})
                elif event["channel"] == "end":
                    reason = event["value"]["reason"]
                    if reason == "completed":
                        return
                    raise failure or RxdError({"message": f"the execution ended: {reason}", "data": {"name": reason}})

    async def subscribe(
        self,
        *,
        action: str | list[str] | None = None,
        reactor: str | list[str] | None = None,
        stream: str | list[str] | None = None,
        execution: str | list[str] | None = None,
        channels: str | list[str] | None = None,
        from_: Start = "now",
        cursor_file: str | None = None,
        snapshots: bool = False,
    ) -> AsyncGenerator[Event, None]:
        """Yields the events of actions, reactors, streams, or executions; the last one, if any, is `end`.

        With `cursor_file`, the next run goes on where this one ended, and `from_` is for the first one. The file is
        replaced, never written in place, when the loop asks for the event after. So each event is handled at least
        once: that of an iteration that a crash, an exception, or a `break` has ended comes again. To handle each
        exactly once, store `event["cursor"]` together with the result, in one write, and pass it as `from_`, as
        failures.py does. A power cut may leave an older cursor, or events that the daemon has lost, which is a `lag`.

        With `snapshots`, an event on the channel `snapshot` comes first and after each reconnection: its `value` has
        the levels as of now. Without, a level that changes during a reconnection is not seen until it changes again.
        """
        targets = {"action": action, "reactor": reactor, "stream": stream, "execution": execution, "channels": channels}
        params = {"subscription": "s", "overflow": "end"} | {name: value for name, value in targets.items() if value}
        anew: Start = "start" if "cursor" in from_ else from_  # in a log of which nothing was read
        if cursor_file is not None and (saved := read_cursor(cursor_file)):
            from_ = {"cursor": saved}
        patience, pause, lost = time.monotonic() + self.wait, FIRST_PAUSE, False
        while True:
            try:
                with contextlib.closing(await self._connect(patience)) as connection:
                    answer = await connection.request("subscribe", {**params, "from": from_})
                    patience, pause = math.inf, FIRST_PAUSE
                    if from_ == "now":
                        from_ = {"cursor": answer["cursor"]}
                        if cursor_file is not None:
                            write_cursor(cursor_file, answer["cursor"])
                    if lost:
                        yield {"channel": "lag", "value": {"dropped": None}, "cursor": answer["cursor"]}
                        lost = False
                    if snapshots:
                        yield {"channel": "snapshot", "value": answer["snapshot"]}
                    while True:
                        event: Event = await connection.event()
                        if event["channel"] == "end":
                            # The daemon is stopping, or this loop is slow: the rest is in the log.
                            if event["value"]["reason"] in ("shutdown", "limit"):
                                break
                            yield event
                            return
                        from_ = {"cursor": event["cursor"]}
                        yield event
                        if cursor_file is not None:
                            write_cursor(cursor_file, event["cursor"])
            except RxdError as error:
                if error.name == "cursorExpired":
                    oldest, lost = error.data.get("oldest"), True
                    from_ = {"cursor": oldest} if oldest else anew
                elif error.name not in TEMPORARY or time.monotonic() > patience:
                    raise
                elif error.name == "shuttingDown":
                    pause = FIRST_PAUSE  # the next daemon is near
            except Disconnected:
                if self._closed or time.monotonic() > patience:
                    raise
            await asyncio.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)

    async def _connect(self, patience: float) -> _Connection:
        pause = FIRST_PAUSE
        while True:
            if self._closed:
                raise Disconnected("the client is closed")
            try:
                reader, writer = await asyncio.open_unix_connection(self.socket, limit=BUFFER_BYTES)
            except OSError as error:
                starting = isinstance(error, (FileNotFoundError, ConnectionRefusedError, BlockingIOError))
                if not starting or time.monotonic() + pause > patience:
                    raise Disconnected(f"cannot reach the daemon at {self.socket}: {error.strerror}") from error
                await asyncio.sleep(pause)
                # Where nobody listens, an attempt costs as little as a look whether the socket is back.
                pause = min(2 * pause, LONGEST_PAUSE) if isinstance(error, BlockingIOError) else FIRST_PAUSE
            else:
                return _Connection(reader, writer, self._connections)


class _Connection:
    """Messages in lines, one way and the other."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, opened: set[_Connection]) -> None:
        self._reader, self._writer, self._opened = reader, writer, opened
        opened.add(self)

    @property
    def ended(self) -> bool:
        return self._reader.at_eof() or self._writer.is_closing()

    def close(self) -> None:
        self._opened.discard(self)
        self._writer.close()

    async def request(self, method: str, params: dict[str, Any]) -> Any:
        """Sends a request and returns its result. One at a time; the events of a stream follow the result."""
        request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        try:
            self._writer.write(json.dumps(request, allow_nan=False, ensure_ascii=False).encode() + b"\n")
            await self._writer.drain()
        except OSError:
            pass  # what the daemon has refused, it has answered before it closed the connection
        answer = await self._receive()
        if "error" in answer:
            raise RxdError(answer["error"])
        return answer["result"]

    async def _receive(self) -> dict[str, Any]:
        line = bytearray()
        try:
            while not line.endswith(b"\n"):
                try:
                    line += await self._reader.readuntil(b"\n")
                except asyncio.LimitOverrunError as part:  # a line beyond BUFFER_BYTES
                    line += await self._reader.readexactly(part.consumed)
                    if len(line) > LONGEST_LINE:
                        raise ValueError(f"the daemon sent a line of more than {LONGEST_LINE} bytes") from part
        except (OSError, EOFError) as error:
            raise Disconnected("the connection has ended") from error
        return dict(json.loads(line))

    async def event(self) -> Any:
        while (message := await self._receive()).get("method") != "event":
            pass  # what a newer daemon sends besides
        return message["params"]


def default_socket() -> str:
    """`$RXD_SOCKET`, else the socket of the user's daemon if there is one, else that of the system's."""
    directory = os.environ.get("XDG_RUNTIME_DIR")
    user = f"{directory}/rxd/rxd.sock"
    found = user if directory and os.path.exists(user) else "/run/rxd/rxd.sock"
    return os.environ.get("RXD_SOCKET") or found


def read_cursor(path: str) -> str | None:
    """The cursor in a file; None if there is no file yet."""
    try:
        with open(path, encoding="ascii") as file:
            text = file.read().strip()
    except FileNotFoundError:
        return None
    if not re.fullmatch(r"[^:\s]+:[0-9]+", text):
        raise ValueError(f"{path}: not a cursor; remove the file to begin anew")
    return text


def write_cursor(path: str, cursor: str) -> None:
    """Replaces the file in one step: a kill leaves the old cursor or the new one."""
    with open(f"{path}.new", "w", encoding="ascii") as file:
        file.write(cursor + "\n")
    os.replace(f"{path}.new", path)


def show(value: Any) -> None:
    print(json.dumps(value), flush=True)


async def main(*words: str) -> None:
    async with Client() as rxd:
        match words:
            case ("execute", action, *text):
                async for element in rxd.elements(action, *map(json.loads, text)):
                    show(element)
            case ("dispatch", reactor, text):
                show({"revision": await rxd.dispatch(reactor, json.loads(text))})
            case ("call", method, *text):
                show(await rxd.call(method, **json.loads("".join(text) or "{}")))
            case ("subscribe", action, *file):
                async for event in rxd.subscribe(action=action, cursor_file=file[0] if file else None):
                    show(event)
            case _:
                sys.exit(__doc__.rpartition("\n\n")[2])


if __name__ == "__main__":
    try:
        asyncio.run(main(*sys.argv[1:]))
    except (RxdError, Disconnected, ValueError) as error:
        sys.exit(f"rxd.py: {error}")
    except BrokenPipeError:  # the reader of stdout has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    except KeyboardInterrupt:
        sys.exit(130)
