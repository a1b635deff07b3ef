# With the section [eventlistener:board] of supervisord.conf: command = python3 dashboard.py, events = PROCESS_STATE
import sys
from supervisor import childutils
board = {}
while True:
    headers, payload = childutils.listener.wait()
    event = childutils.get_headers(payload)
    board[event["processname"]] = headers["eventname"]
    print("\033c", board, file=sys.stderr)
    childutils.listener.ok()
