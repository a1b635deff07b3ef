#!/bin/sh
# rxd.sh SOCKET execute ACTION [INPUT]: elements, status 0 if completed; rxd.sh SOCKET subscribe ACTION: events
if [ "$2" = execute ]; then method=action.execute; else method=subscribe; fi
jq -nc --arg method "$method" --arg action "$3" --argjson input "${4:-null}" '{jsonrpc: "2.0", id: 1, $method,
    params: ({$action} + if $method == "subscribe" then {subscription: "s"} else {stream: "s", $input} end)}' |
    socat -t 2000000 - "UNIX-CONNECT:$1" |
    jq -c --unbuffered --arg verb "$2" 'if .error then .error.message + "\n" | halt_error(1) else .params // empty end |
        if .channel == "end" then (if .value.reason == "completed" then halt else halt_error(1) end)
        elif $verb == "subscribe" then . elif .error then .error.message + "\n" | stderr | empty
        else select(.channel == "elements").value end'
