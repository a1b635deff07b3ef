# Connections that are held and do nothing: memory for each, and whether all of them still answer. A new server each
# round.

held_loads=("subscribers 1000" "connections 10000")
payload=$(printf 'x%.0s' {1..200})

# hold_round SERVER KIND COUNT REQUEST EXPECTED [PUBLICATION]
hold_round() {
    local server=$1 kind=$2
    "start_$server"
    record "held-$server-$kind" "$( (on_core 1 "$c/hold" "$work/$server.sock" "${server_pids[-1]}" "$3" 30 "${@:4}"))"
    stop_servers
}

for ((round = 0; round < rounds; round++)); do
    for entry in "${held_loads[@]}"; do
        read -r kind held <<<"$entry"
        case $kind in
        subscribers)
            hold_round rxd "$kind" "$held" \
                '{"jsonrpc":"2.0","id":1,"method":"subscribe","params":{"subscription":"s","action":"echo"}}' \
                '"snapshot"' \
                '{"jsonrpc":"2.0","id":2,"method":"action.execute","params":{"action":"echo","input":"'"$payload"'"}}'
            hold_round redis "$kind" "$held" 'SUBSCRIBE echo' subscribe "PUBLISH echo $payload"
            ;;
        connections)
            hold_round rxd "$kind" "$held" '{"jsonrpc":"2.0","id":1,"method":"server.hello"}' '"result"'
            hold_round redis "$kind" "$held" PING PONG
            ;;
        esac
    done
done

title "held: connections that do nothing; to reach: <= 8 KB for a subscriber, all of 10,000 connections answered" \
    "  open      the server's own memory for each, when all are open and answered once" \
    "  used      the same after each subscriber got an element, or each connection was answered again" \
    "  round us  that second round, for each"
printf '%11s %6s  %-6s %8s %8s %9s\n' held '' server 'open B' 'used B' 'round us'
for entry in "${held_loads[@]}"; do
    read -r kind held <<<"$entry"
    for server in rxd redis; do
        name=held-$server-$kind
        printf '%11s %6s  %-6s %8.0f %8.0f %9.2f\n' "$kind" "$held" "$server" \
            "$(median "$name" 1)" "$(median "$name" 2)" \
            "$(awk "BEGIN { print $(median "$name" 3) / $held }")"
    done
done
