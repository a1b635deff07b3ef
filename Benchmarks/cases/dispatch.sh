# Hosted reactors: in the process, then `reactor.dispatch` to TodoDaemon's `tasks` beside `action.execute` of rxd's
# built-in echo, and one changed task of ten thousand on the wire.

swift build -c release --package-path "$here" --product HostedReactorBenchmarks >&2
title "dispatch: in the process, ns of a core"
"$(swift build -c release --package-path "$here" --show-bin-path)/HostedReactorBenchmarks"

start_rxd
echo_pid=${server_pids[-1]}
start_todo
dispatch_pid=${server_pids[-1]}

# ask LINE...: sends them on one connection, prints the replies and what follows them.
ask() {
    printf '%s\n' "$@" | socat -t 2 - "UNIX:$work/todo.sock"
}

# dispatch ACTION: the request.
dispatch() {
    echo '{"jsonrpc":"2.0","id":1,"method":"reactor.dispatch","params":{"reactor":"tasks","action":'"$1"'}}'
}

ask "$(dispatch '{"create":{"title":"one"}}')" >/dev/null
task=$(ask '{"jsonrpc":"2.0","id":1,"method":"reactor.state","params":{"reactor":"tasks"}}' |
    jq -r '.result.state.tasks[0].id')
toggle=$(dispatch '{"toggle":"'"$task"'"}')
echo='{"jsonrpc":"2.0","id":1,"method":"action.execute","params":{"action":"echo","input":{"toggle":"'$task'"}}}'

# clients, depth, requests of a round
dispatch_loads=("1 1 10000" "16 1 40000" "16 16 100000")

# measure_dispatch NAME PID SOCKET TEXT EXPECTED: one round.
measure_dispatch() {
    local before after figures
    before=$(cpu_us "$2")
    figures=$(load line "$work/$3" "$clients" "$depth" "$requests" 20 "$4" "$5")
    after=$(cpu_us "$2")
    record "$1-$clients-$depth" "$figures" "$(awk "BEGIN { print ($after - $before) / $requests }")"
}

for ((round = 0; round < rounds; round++)); do
    for entry in "${dispatch_loads[@]}"; do
        read -r clients depth requests <<<"$entry"
        measure_dispatch dispatched "$dispatch_pid" todo.sock "$toggle" revision
        measure_dispatch echoed "$echo_pid" rxd.sock "$echo" elements
    done
done

# The rest of ten thousand tasks, then one of them.
create=$(dispatch '{"create":{"title":"a task that waits to be done","memo":"by someone"}}')
load line "$work/todo.sock" 1 64 9999 60 "$create" revision >/dev/null
subscribe='{"jsonrpc":"2.0","id":1,"method":"subscribe","params":{"subscription":"s","reactor":"tasks","patch":true}}'
event=$(ask "$subscribe" "$toggle" | grep '"event"')
state=$(ask '{"jsonrpc":"2.0","id":1,"method":"reactor.state","params":{"reactor":"tasks"}}' | wc -c)
stop_servers

title "dispatch: over the socket, beside echo; to reach: >= 0.67x its requests/s" \
    "  right of the bar: requests/s, p50 and cpu us of the daemon, each to that of echo"
printf '%7s %5s  %-8s %11s %8s %8s %7s | %10s %7s %7s\n' \
    clients depth what requests/s 'p50 us' 'p99 us' 'cpu us' requests/s p50 cpu
for entry in "${dispatch_loads[@]}"; do
    read -r clients depth _ <<<"$entry"
    key=$clients-$depth
    for what in dispatched echoed; do
        printf '%7s %5s  %-8s %11s %8.1f %8.1f %7.2f |' "$clients" "$depth" "${what%ed}" \
            "$(with_commas "$(median "$what-$key" 1)")" "$(median "$what-$key" 2)" "$(median "$what-$key" 3)" \
            "$(median "$what-$key" 4)"
        [[ $what == echoed ]] || printf ' %10s %7s %7s' "$(ratio "dispatched-$key" "echoed-$key" 1)" \
            "$(ratio "dispatched-$key" "echoed-$key" 2)" "$(ratio "dispatched-$key" "echoed-$key" 4)"
        echo
    done
done
echo "one of 10,000 tasks changed: an event of ${#event} bytes, of a state of $(with_commas "$state"); to reach: <= 300"
