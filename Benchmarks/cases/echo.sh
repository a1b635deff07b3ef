# `action.execute` of the built-in echo through the full protocol, against redis ECHO and the C floor.

payload=$(printf 'x%.0s' {1..64})
request='{"jsonrpc":"2.0","id":1,"method":"action.execute","params":{"action":"echo","input":"'$payload'"}}'

# clients, depth, requests of a round: enough for half a second or so.
echo_loads=("1 1 10000" "16 1 40000" "64 1 40000" "1 16 60000" "16 16 200000")

start_rxd
start_redis
start_c_echo
for ((round = 0; round < rounds; round++)); do
    for entry in "${echo_loads[@]}"; do
        read -r clients depth requests <<<"$entry"
        key=$clients-$depth
        figures=$(load line "$work/rxd.sock" "$clients" "$depth" "$requests" 10 "$request" "\"$payload\"")
        record "rxd-$key" "$figures"
        figures=$(load resp "$work/redis.sock" "$clients" "$depth" "$requests" 10 "$payload" "$payload")
        record "redis-$key" "$figures"
        figures=$(load resp "$work/redis.sock" "$clients" "$depth" "$requests" 10 "$request" "$payload")
        record "redis-line-$key" "$figures"
        figures=$(load line "$work/c-echo.sock" "$clients" "$depth" "$requests" 10 "$request" "$payload")
        record "c-$key" "$figures"
    done
done
stop_servers

title "echo: requests of ${#request} bytes with a payload of ${#payload}; to reach: >= 1.5x redis's requests/s, <= 1x its p50" \
    "  rxd         action.execute of the built-in echo" \
    "  redis       ECHO of the payload" \
    "  redis line  ECHO of the request's bytes" \
    "  C           the request's line sent back by an epoll loop in C"
printf '%7s %5s  %-10s %12s %9s %9s  %-14s %s\n' clients depth server requests/s 'p50 us' 'p99 us' 'rxd requests/s' 'rxd p50'
for entry in "${echo_loads[@]}"; do
    read -r clients depth _ <<<"$entry"
    key=$clients-$depth
    for server in rxd redis redis-line c; do
        name=$server-$key
        printf '%7s %5s  %-10s %12s %9.1f %9.1f' "$clients" "$depth" "$(sed 's/-/ /; s/^c$/C/' <<<"$server")" \
            "$(with_commas "$(median "$name" 1)")" "$(median "$name" 2)" "$(median "$name" 3)"
        if [[ $server == rxd ]]; then
            echo
        else
            printf '  %-14s %s\n' "$(ratio "rxd-$key" "$name" 1)" "$(ratio "rxd-$key" "$name" 2)"
        fi
    done
done
