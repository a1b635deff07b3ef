# Elements of one action to many subscribers, against redis PUBLISH.

element_bytes=200

# subscribers, publications on their way, publications of a round.
fanout_loads=("16 1 4000" "16 16 20000" "128 1 1000" "128 16 4000")

start_rxd
start_redis
for ((round = 0; round < rounds; round++)); do
    for entry in "${fanout_loads[@]}"; do
        read -r subscribers window publications <<<"$entry"
        for server in rxd redis; do
            figures=$( (on_core 1 "$c/fanout" "$server" "$work/$server.sock" "$subscribers" "$window" "$publications" 10 "$element_bytes"))
            record "fanout-$server-$subscribers-$window" "$figures"
        done
    done
done
stop_servers

title "fan-out: elements of $element_bytes bytes to every subscriber of one action; to reach: >= 1.5x redis's deliveries/s" \
    "  rxd    action.execute of echo; subscribers of its elements" \
    "  redis  PUBLISH; SUBSCRIBE" \
    "  depth  publications on their way at a time"
printf '%11s %5s  %-7s %14s  %s\n' subscribers depth server deliveries/s rxd
for entry in "${fanout_loads[@]}"; do
    read -r subscribers window _ <<<"$entry"
    key=$subscribers-$window
    printf '%11s %5s  %-7s %14s\n' "$subscribers" "$window" rxd "$(with_commas "$(median "fanout-rxd-$key" 1)")"
    printf '%11s %5s  %-7s %14s  %s\n' "$subscribers" "$window" redis "$(with_commas "$(median "fanout-redis-$key" 1)")" \
        "$(ratio "fanout-rxd-$key" "fanout-redis-$key" 1)"
done
