# `action.execute` of the built-in echo through the full protocol, against redis ECHO and the C floor.

payload=$(printf 'x%.0s' {1..64})
request='{"jsonrpc":"2.0","id":1,"method":"action.execute","params":{"action":"echo","input":"'$payload'"}}'

# clients, depth, requests of a round: enough for half a second or so.
echo_loads=("1 1 10000" "16 1 40000" "64 1 40000" "1 16 60000" "16 16 200000")

declare -A echo_pids
start_rxd
echo_pids[rxd]=${server_pids[-1]}
start_redis
echo_pids[redis]=${server_pids[-1]}
start_c_echo
echo_pids[c-echo]=${server_pids[-1]}

# measure NAME SERVER PROTOCOL TEXT: one round of one server under the load of $clients, $depth and $requests.
measure() {
    local before after figures
    before=$(cpu_us "${echo_pids[$2]}")
    figures=$(load "$3" "$work/$2.sock" "$clients" "$depth" "$requests" 10 "$4" "$payload")
    after=$(cpu_us "${echo_pids[$2]}")
    record "$1-$clients-$depth" "$figures" "$(awk "BEGIN { print ($after - $before) / $requests }")"
}

for ((round = 0; round < rounds; round++)); do
    for entry in "${echo_loads[@]}"; do
        read -r clients depth requests <<<"$entry"
        measure rxd rxd line "$request"
        measure redis redis resp "$payload"
        measure redis-line redis resp "$request"
        measure c c-echo line "$request"
    done
done
stop_servers

title "echo: requests of ${#request} bytes with a payload of ${#payload};" \
    "to reach: >= 1.5x redis's requests/s, <= 1x its p50" \
    "  rxd         action.execute of the built-in echo" \
    "  redis       ECHO of the payload" \
    "  redis line  ECHO of the request's bytes" \
    "  C           the request's line sent back by an epoll loop in C" \
    "  cpu us      of the server for a request, system calls included; right of the bar: rxd's figure to that server's"
printf '%7s %5s  %-10s %11s %8s %8s %7s | %10s %7s %7s\n' \
    clients depth server requests/s 'p50 us' 'p99 us' 'cpu us' requests/s p50 cpu
for entry in "${echo_loads[@]}"; do
    read -r clients depth _ <<<"$entry"
    key=$clients-$depth
    for server in rxd redis redis-line c; do
        name=$server-$key
        printf '%7s %5s  %-10s %11s %8.1f %8.1f %7.2f |' "$clients" "$depth" "$(sed 's/-/ /; s/^c$/C/' <<<"$server")" \
            "$(with_commas "$(median "$name" 1)")" "$(median "$name" 2)" "$(median "$name" 3)" "$(median "$name" 4)"
        [[ $server == rxd ]] || printf ' %10s %7s %7s' \
            "$(ratio "rxd-$key" "$name" 1)" "$(ratio "rxd-$key" "$name" 2)" "$(ratio "rxd-$key" "$name" 4)"
        echo
    done
done
