#!/usr/bin/env python3
"""Executes an action, prints its elements, and reports its executing state: execute.py SOCKET ACTION [INPUT]"""
import json, socket, sys

path, action, text = (sys.argv + ["null"])[1:4]
connection = socket.socket(socket.AF_UNIX)
connection.connect(path)

def request(id, method, **params):
    line = json.dumps({"jsonrpc": "2.0", "id": id, "method": method, "params": params}) + "\n"
    connection.sendall(line.encode())

request(1, "subscribe", subscription="watch", action=action, channels=["executing"])
request(2, "action.execute", action=action, input=json.loads(text), stream="run", onDisconnect="cancel")
for line in connection.makefile("r", encoding="utf-8", newline="\n"):
    message = json.loads(line)
    if "error" in message:
        sys.exit(message["error"]["message"])
    if message.get("method") != "event":
        continue  # an answer, or what a newer daemon says
    event = message["params"]
    if event["channel"] == "executing":
        print(f"{action} is {'' if event['value'] else 'not '}executing", file=sys.stderr)
    elif event["channel"] == "elements":
        print(json.dumps(event["value"]), flush=True)
    elif event["channel"] in ("errors", "lag"):
        print(event.get("error") or event["value"], file=sys.stderr)
    elif event["channel"] == "end" and event["subscription"] == "run":
        sys.exit(event["value"]["reason"] != "completed")
sys.exit("the daemon went away")
