import json, os
board = {}
for line in os.popen("rxctl subscribe '*' --channel executions"):
    event = json.loads(line)
    board[event["action"]] = event["value"]["state"]
    print("\033c", board)
