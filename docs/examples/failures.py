#!/usr/bin/env python3
"""Appends each execution that fails or is canceled to a file, once, whatever is killed: failures.py SOCKET FILE"""
import asyncio, os, sys
from rxd import Client

async def main(socket: str, path: str) -> None:
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
    lines = os.read(file, os.fstat(file).st_size)  # each, in one write: an execution, the cursor behind its failure
    whole = lines.rfind(b"\n") + 1
    os.truncate(file, whole)
    start = {"cursor": lines[:whole].split()[-1].decode()} if whole else "start"
    async with Client(socket, wait=60) as rxd:
        async for event in rxd.subscribe(action="*", channels=["errors"], from_=start):
            if event["channel"] == "lag":  # what became of actions without a history before a restart, for one
                print(f"events may be missing: {event['value']}", file=sys.stderr)
            elif "execution" in event and not event["error"]["data"].get("startsAgain"):
                os.write(file, f"{event['execution']} {event['cursor']}\n".encode())

asyncio.run(main(*sys.argv[1:]))
