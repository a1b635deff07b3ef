# Elements of one action to many subscribers, against redis PUBLISH and the C floor.

element_bytes=200

# subscribers, publications on their way, publications of a round.
fanout_loads=("16 1 4000" "16 16 20000" "128 1 1000" "128 16 4000" "1000 1 200" "1000 16 600")

declare -A fanout_pids
start_rxd
fanout_pids[rxd]=${server_pids[-1]}
start_redis
fanout_pids[redis]=${server_pids[-1]}
start_c_relay
fanout_pids[c]=${server_pids[-1]}

# measure_fanout NAME SOCKET PROTOCOL: one round of one server under $subscribers, $window and $publications.
measure_fanout() {
    local before after figures
    before=$(cpu_us "${fanout_pids[$1]}")
    figures=$( (
        on_core 1 "$c/fanout" "$3" "$work/$2.sock" "$subscribers" "$window" "$publications" 20 "$element_bytes"
    ))
    after=$(cpu_us "${fanout_pids[$1]}")
    record "fanout-$1-$subscribers-$window" "$figures" \
        "$(awk "BEGIN { print ($after - $before) / ($publications * $subscribers) }")"
}

for ((round = 0; round < rounds; round++)); do
    for entry in "${fanout_loads[@]}"; do
        read -r subscribers window publications <<<"$entry"
        measure_fanout rxd rxd rxd
        measure_fanout redis redis redis
        measure_fanout c c-relay rxd
    done
done
stop_servers

title "fan-out: elements of $element_bytes bytes to every subscriber of one action;" \
    "to reach: >= 1.5x redis's deliveries/s" \
    "  rxd     action.execute of echo; subscribers of its elements" \
    "  redis   PUBLISH; SUBSCRIBE" \
    "  C       lines as long as rxd's from a bare epoll loop in C: one write per turn and subscriber" \
    "  depth   publications on their way at a time" \
    "  cpu us  of the server for a delivery, system calls and subscribing included" \
    "  right of the bar: rxd's figure to that server's"
printf '%11s %5s  %-6s %14s %7s | %12s %7s\n' subscribers depth server deliveries/s 'cpu us' deliveries/s cpu
for entry in "${fanout_loads[@]}"; do
    read -r subscribers window _ <<<"$entry"
    key=$subscribers-$window
    for server in rxd redis c; do
        name=fanout-$server-$key
        printf '%11s %5s  %-6s %14s %7.2f |' "$subscribers" "$window" "${server/#c/C}" \
            "$(with_commas "$(median "$name" 1)")" "$(median "$name" 2)"
        [[ $server == rxd ]] ||
            printf ' %12s %7s' "$(ratio "fanout-rxd-$key" "$name" 1)" "$(ratio "fanout-rxd-$key" "$name" 2)"
        echo
    done
done
