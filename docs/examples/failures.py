#!/usr/bin/env python3
"""Appends each failed execution to a file, exactly once, whatever is killed meanwhile: failures.py SOCKET FILE"""
import json, os, socket, sys, time
file = os.open(sys.argv[2], os.O_RDWR | os.O_CREAT | os.O_APPEND)
lines = os.read(file, os.fstat(file).st_size)  # each is an execution and the cursor behind its failure, in one write
os.truncate(file, lines.rfind(b"\n") + 1)
start = {"cursor": lines[:lines.rfind(b"\n")].split()[-1].decode()} if b"\n" in lines else "start"
while not time.sleep(0.05):  # until the daemon is back
    try:
        (connection := socket.socket(socket.AF_UNIX)).connect(sys.argv[1])
        params = {"subscription": "s", "action": "*", "channels": ["errors"], "from": start}
        request = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "subscribe", "params": params})
        connection.sendall(request.encode() + b"\n")
        for event in (message.get("params", message) for message in map(json.loads, connection.makefile())):
            if event.get("channel") == "errors":
                if "execution" in event and not event["error"]["data"].get("startsAgain"):
                    os.write(file, f"{event['execution']} {event['cursor']}\n".encode())
                start = {"cursor": event["cursor"]}
            elif "error" in event or event.get("channel") == "lag": sys.exit(f"events are missing: {event}")
    except (OSError, ValueError): pass  # the connection has ended, perhaps within a line
