#!/usr/bin/env python3
"""docs/examples/rxd.py with a real daemon, which is killed and restarted: `make python`.

RXD and RXCTL name the programs; those of the debug build otherwise.
"""

import asyncio
import contextlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "docs/examples"))
from rxd import Client, Disconnected, RxdError, read_cursor  # noqa: E402

RXD = os.environ.get("RXD") or str(ROOT / ".build/debug/rxd")
RXCTL = os.environ.get("RXCTL") or str(ROOT / ".build/debug/rxctl")
PATIENCE = 60.0  # seconds, on a busy machine
CONFIGURATION = """
[action.echo]
builtin = "echo"

[action.lines]
run = ["seq", { input = "" }]

[action.sleeper]
run     = ["sleep", "1000"]
overlap = "concurrent"
limit   = 100

[action.three]
run = ["sh", "-c", "echo no luck >&2; exit 3"]

[action.late]
run     = ["false"]
overlap = "queue"
limit   = 100000
durable = true

[reactor.counter]
initial = 0
reduce  = ".state + .mutation"
"""


# Prints failures, and keeps its cursor in a file.
READER = """
import asyncio, json, sys
from rxd import Client

async def main(socket, file):
    async with Client(socket, wait=20) as rxd:
        async for event in rxd.subscribe(action="late", channels=["errors"], cursor_file=file):
            print(json.dumps(event), flush=True)

asyncio.run(main(*sys.argv[1:]))
"""


class Daemon:
    """A daemon on a private socket, with its state."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="rxd-python-")
        self.directory = self.folder.name
        self.socket = self.directory + "/rxd.sock"
        self.state = self.directory + "/state"
        self.process = None
        for name in ("state", "config"):
            os.mkdir(f"{self.directory}/{name}")
        pathlib.Path(self.directory, "config/rxd.toml").write_text(CONFIGURATION)

    async def start(self):
        with open(self.directory + "/log", "ab") as log:
            self.process = subprocess.Popen(
                [RXD, "--config", self.directory + "/config", "--socket", self.socket, "--state", self.state],
                stderr=log)
        async with Client(self.socket) as rxd:

            async def answers():
                assert self.process.poll() is None, pathlib.Path(self.directory, "log").read_text()
                with contextlib.suppress(Disconnected):
                    return await rxd.call("server.status")

            await eventually("the daemon answers", answers)

    def end(self, signal_):
        self.process.send_signal(signal_)
        self.process.wait()

    async def restart(self, signal_):
        self.end(signal_)
        await self.start()

    def remove(self):
        if self.process and self.process.poll() is None:
            self.end(signal.SIGKILL)
        self.folder.cleanup()


async def eventually(what, condition):
    deadline = time.monotonic() + PATIENCE
    while not (found := await condition()):
        assert time.monotonic() < deadline, f"never: {what}"
        await asyncio.sleep(0.01)
    return found


class WithDaemon(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self):
        self.daemon = Daemon()
        self.addCleanup(self.daemon.remove)
        await self.daemon.start()
        self.rxd = await self.enterAsyncContext(Client(self.daemon.socket))

    async def records(self, action):
        return (await self.rxd.call("execution.list", action=action, limit=10_000))["executions"]

    async def in_state(self, action, state):
        async def found():
            return [record for record in await self.records(action) if record["state"] == state]

        return await eventually(f"{action} is {state}", found)


class Executions(WithDaemon):
    async def test_execute_returns_all_elements_and_elements_yields_each(self):
        self.assertEqual(await self.rxd.execute("lines", 3), ["1", "2", "3"])
        self.assertEqual([element async for element in self.rxd.elements("lines", 2)], ["1", "2"])
        self.assertEqual(await self.rxd.execute("echo"), [None])

    async def test_more_elements_than_one_answer_may_have_arrive(self):
        self.assertEqual(len(await self.rxd.execute("lines", 5000)), 5000)

    async def test_a_value_longer_than_the_buffer_arrives_whole(self):
        for length in (65_534, 65_536, 200_000, 900_000):
            text = "é" * (length // 2)
            self.assertEqual(await self.rxd.execute("echo", text), [text])

    async def test_a_request_beyond_the_limit_of_a_line_is_refused_by_name(self):
        with self.assertRaises(RxdError) as caught:
            await self.rxd.execute("echo", "x" * 2_000_000)
        self.assertEqual(caught.exception.name, "tooLarge")
        self.assertEqual(await self.rxd.execute("echo", 1), [1])

    async def test_what_is_not_JSON_is_refused_before_it_is_sent(self):
        with self.assertRaises(ValueError):
            await self.rxd.execute("echo", float("nan"))

    async def test_an_error_has_name_code_and_facts(self):
        with self.assertRaises(RxdError) as caught:
            await self.rxd.execute("nosuch")
        self.assertEqual((caught.exception.name, caught.exception.code), ("notFound", -32006))
        self.assertEqual(caught.exception.data["action"], "nosuch")
        with self.assertRaises(RxdError) as caught:
            await self.rxd.execute("three")
        self.assertEqual((caught.exception.name, caught.exception.data["exit"]), ("workFailed", 3))
        self.assertEqual(caught.exception.data["stderr"], "no luck")
        await self.rxd.call("action.disable", action="echo", reason="closed")
        with self.assertRaises(RxdError) as caught:
            await self.rxd.execute("echo")
        self.assertEqual((caught.exception.name, caught.exception.data["reason"]["cause"]), ("notEnabled", "manual"))

    async def test_a_repetition_with_the_same_key_starts_nothing(self):
        self.assertEqual(await self.rxd.execute("lines", 2, key="k"), ["1", "2"])
        self.assertEqual(await self.rxd.execute("lines", 2, key="k"), ["1", "2"])
        self.assertEqual(len(await self.records("lines")), 1)

    async def test_a_cancelled_task_cancels_its_execution(self):
        task = asyncio.create_task(self.rxd.execute("sleeper"))
        await self.in_state("sleeper", "executing")
        task.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await task
        await self.in_state("sleeper", "cancelled")

    async def test_leaving_the_loop_withdraws(self):
        await self.rxd.call("action.cancel", action="lines")
        async with contextlib.aclosing(self.rxd.elements("lines", 100_000_000)) as elements:
            async for element in elements:
                self.assertEqual(element, "1")
                break
        await self.in_state("lines", "cancelled")

    async def test_what_is_started_is_left_to_the_daemon(self):
        started = await self.rxd.start("sleeper")
        self.assertEqual(started["disposition"], "started")
        self.assertEqual((await self.in_state("sleeper", "executing"))[0]["execution"], started["execution"])
        with self.assertRaises(asyncio.TimeoutError):
            async with asyncio.timeout(0.2):
                await self.in_state("sleeper", "cancelled")
        ended = await self.rxd.call("execution.cancel", execution=started["execution"], grace="0ms")
        self.assertEqual(ended["state"], "cancelled")

    async def test_a_slow_loop_holds_its_work_back(self):
        async with contextlib.aclosing(self.rxd.elements("lines", 3_000_000)) as elements:
            count = 0
            async for _ in elements:
                count += 1
                if count > 1:
                    continue
                # 23 MB of output cannot end while one element is read, unless somebody keeps all of it.
                with self.assertRaises(asyncio.TimeoutError):
                    async with asyncio.timeout(3):
                        await self.in_state("lines", "completed")
                break
        await self.in_state("lines", "cancelled")

    async def test_many_at_once(self):
        answers = await asyncio.gather(*(self.rxd.execute("echo", number) for number in range(100)))
        self.assertEqual(answers, [[number] for number in range(100)])
        await asyncio.gather(*(self.rxd.call("action.describe", action="echo") for _ in range(100)))


class Reactors(WithDaemon):
    async def test_dispatch_returns_the_revision(self):
        self.assertEqual(await self.rxd.dispatch("counter", 2), 1)
        self.assertEqual(await self.rxd.dispatch("counter", 3), 2)
        self.assertEqual((await self.rxd.call("reactor.state", reactor="counter"))["state"], 5)


class Connections(WithDaemon):
    async def test_without_a_daemon_it_fails_at_once_or_after_the_wait(self):
        async with Client(self.daemon.directory + "/none.sock") as rxd:
            with self.assertRaisesRegex(Disconnected, "none.sock: No such file"):
                await rxd.call("server.status")
            with self.assertRaises(Disconnected):
                await anext(rxd.subscribe(action="*"))
        began = time.monotonic()
        async with Client(self.daemon.directory + "/none.sock", wait=0.3) as rxd:
            with self.assertRaises(Disconnected):
                await rxd.execute("echo")
        self.assertGreater(time.monotonic() - began, 0.1)

    async def test_a_call_after_a_restart_has_a_new_connection(self):
        await self.rxd.call("server.status")
        await self.daemon.restart(signal.SIGKILL)
        self.assertEqual((await self.rxd.call("server.status"))["pid"], self.daemon.process.pid)

    async def test_an_execution_under_way_fails_with_its_connection(self):
        task = asyncio.create_task(self.rxd.execute("sleeper"))
        await self.in_state("sleeper", "executing")
        self.daemon.end(signal.SIGKILL)
        with self.assertRaises(Disconnected):
            await task

    async def test_closing_the_client_ends_what_is_under_way(self):
        async with Client(self.daemon.socket) as rxd:
            events = rxd.subscribe(action="echo", channels="elements", snapshots=True)
            await anext(events)
            following = asyncio.create_task(anext(events))
            running = asyncio.create_task(rxd.execute("sleeper"))
            await self.in_state("sleeper", "executing")
        for task in (following, running):
            with self.assertRaises(Disconnected):
                await task
        await self.in_state("sleeper", "cancelled")


class Subscriptions(WithDaemon):
    async def failures(self, rxd, count, **options):
        """The executions of the first failures, and the cursors."""
        found = []
        async for event in rxd.subscribe(action="late", channels=["errors"], **options):
            self.assertEqual(event["channel"], "errors", event)
            # A durable input that waits at a stop ends for that daemon alone.
            if event["error"]["data"].get("startsAgain"):
                continue
            found.append(event["execution"])
            if len(found) == count:
                break
        return found

    async def cause_failures(self, count):
        return [(await self.rxd.start("late", number))["execution"] for number in range(count)]

    async def test_no_event_is_missing_or_doubled_through_kills_and_stops(self):
        await self.cause_failures(1)
        following = asyncio.create_task(self.failures(self.rxd, 121, from_="start"))
        for kill in (signal.SIGKILL, signal.SIGTERM, signal.SIGKILL, signal.SIGKILL):
            await self.cause_failures(30)
            await asyncio.sleep(0)
            await self.daemon.restart(kill)
        seen = await asyncio.wait_for(following, PATIENCE)
        self.assertEqual(len(set(seen)), 121)
        ended = [record for record in await self.records("late") if record["state"] != "completed"]
        self.assertEqual(sorted(seen), sorted(record["execution"] for record in ended))

    async def test_it_looks_for_the_next_daemon_20_times_a_second_however_long_there_is_none(self):
        events = self.rxd.subscribe(action="late", channels=["errors"], from_="start")
        await self.cause_failures(1)
        await anext(events)
        following = asyncio.create_task(anext(events))
        await asyncio.sleep(0)
        connections = unittest.mock.patch(
            "asyncio.open_unix_connection", side_effect=asyncio.open_unix_connection)
        with connections as connect:
            self.daemon.end(signal.SIGKILL)

            async def has_tried():
                return connect.call_count >= 20

            # Nobody listens at the socket that is left. With pauses of up to 5 s, this would take more than a minute.
            await eventually("it has tried", has_tried)
            os.unlink(self.daemon.socket)
            connect.reset_mock()
            await eventually("it has tried without a socket", has_tried)
        await self.daemon.start()
        await self.cause_failures(1)
        await asyncio.wait_for(following, PATIENCE)
        await events.aclose()

    async def test_a_reader_that_is_killed_resumes_at_its_file(self):
        cursor = self.daemon.directory + "/cursor"
        reader = [sys.executable, "-c", READER, self.daemon.socket, cursor]
        environment = dict(os.environ, PYTHONPATH=str(ROOT / "docs/examples"), PYTHONDONTWRITEBYTECODE="1")
        outputs = [pathlib.Path(self.daemon.directory, f"output.{round}") for round in range(4)]
        for output in outputs[:3]:
            with open(output, "wb") as file:
                process = subprocess.Popen(reader, stdout=file, env=environment)
            await eventually("it has begun", lambda: asyncio.to_thread(os.path.exists, cursor))
            before = read_cursor(cursor)
            await self.cause_failures(20)

            async def moved():
                return read_cursor(cursor) != before

            await eventually("it writes its cursor", moved)
            process.kill()
            process.wait()
            await self.daemon.restart(signal.SIGKILL)
        with open(outputs[3], "wb") as file:
            process = subprocess.Popen(reader, stdout=file, env=environment)

        def numbers():
            # A reader that is killed may leave a part of a line, or a line without its end.
            lines = [line for output in outputs for line in output.read_text().splitlines(keepends=True)]
            events = [json.loads(line) for line in lines if line.endswith("\n")]
            self.assertFalse([event for event in events if event["channel"] == "lag"])
            return [event["execution"] for event in events if event["channel"] == "errors"]

        async def all_there():
            return len(set(numbers())) == 60

        try:
            await eventually("all failures are there", all_there)
        finally:
            process.kill()
            process.wait()
        # The event of the iteration in which it was killed may come again, and no other.
        self.assertLessEqual(len(numbers()), 63)

    async def test_a_slow_loop_misses_nothing(self):
        events = self.rxd.subscribe(action="echo", channels=["elements"], snapshots=True)
        self.assertEqual((await anext(events))["channel"], "snapshot")
        # More than the daemon lets wait for a reader: 1024 events beyond what fits into the socket.
        for number in range(3000):
            await self.rxd.call("action.execute", action="echo", input=[number, "x" * 300])
        numbers, snapshots = [], 0
        while len(numbers) < 3000:
            event = await anext(events)
            if event["channel"] == "snapshot":
                snapshots += 1
                continue
            self.assertEqual(event["channel"], "elements", event)
            numbers.append(event["value"][0])
        self.assertEqual(numbers, list(range(3000)))
        self.assertGreater(snapshots, 0, "the daemon has ended no subscription, so the test shows nothing")
        await events.aclose()

    async def test_events_that_the_daemon_no_longer_has_are_a_lag(self):
        await self.cause_failures(1)
        seen = []

        async def follow():
            async for event in self.rxd.subscribe(action="late", channels=["errors"], from_="start"):
                seen.append(event)

        following = asyncio.create_task(follow())

        async def begun():
            return len(seen) == 1

        await eventually("it has begun", begun)
        self.daemon.end(signal.SIGTERM)
        self.daemon.state += "-new"
        os.mkdir(self.daemon.state)
        await self.daemon.start()

        async def told():
            return len(seen) == 2

        await eventually("the gap is reported", told)
        self.assertEqual((seen[1]["channel"], seen[1]["value"]), ("lag", {"dropped": None}))
        self.assertNotEqual(seen[1]["cursor"].split(":")[0], seen[0]["cursor"].split(":")[0])
        [execution] = await self.cause_failures(1)

        async def resumed():
            return len(seen) == 3

        await eventually("it goes on", resumed)
        self.assertEqual(seen[2]["execution"], execution)
        following.cancel()

    async def test_after_a_cursor_of_another_log_comes_all_of_this_one(self):
        [execution] = await self.cause_failures(1)
        events = self.rxd.subscribe(action="late", channels=["errors"], from_={"cursor": "00000000:5"})
        self.assertEqual((await anext(events))["channel"], "lag")
        self.assertEqual((await asyncio.wait_for(anext(events), PATIENCE))["execution"], execution)
        await events.aclose()

    async def test_snapshots_come_first_and_after_a_reconnection(self):
        events = self.rxd.subscribe(reactor="counter", channels="state", snapshots=True)
        self.assertEqual((await anext(events))["value"]["reactors"]["counter"]["state"], 0)
        await self.rxd.dispatch("counter", 4)
        self.assertEqual((await anext(events))["value"], {"state": 4, "revision": 1})
        await self.daemon.restart(signal.SIGTERM)
        event = await anext(events)
        self.assertEqual((event["channel"], event["value"]["reactors"]["counter"]["state"]), ("snapshot", 0))
        await events.aclose()

    async def test_the_subscription_of_an_execution_ends_with_it(self):
        started = await self.rxd.start("lines", 2)
        events = [event async for event in self.rxd.subscribe(execution=started["execution"], from_="execution")]
        self.assertEqual([event["value"] for event in events], ["1", "2", {"reason": "completed"}])

    async def test_a_refusal_is_raised(self):
        with self.assertRaises(RxdError) as caught:
            await anext(self.rxd.subscribe(action="nosuch"))
        self.assertEqual(caught.exception.name, "notFound")

    async def test_a_file_that_is_no_cursor_is_refused_and_left_alone(self):
        path = pathlib.Path(self.daemon.directory, "notes")
        path.write_text("shopping list\n")
        with self.assertRaisesRegex(ValueError, "not a cursor"):
            await anext(self.rxd.subscribe(action="echo", cursor_file=str(path)))
        self.assertEqual(path.read_text(), "shopping list\n")


if __name__ == "__main__":
    unittest.main()
