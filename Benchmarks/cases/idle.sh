# A daemon that does nothing: how soon it serves, and what it holds. Both notify NOTIFY_SOCKET, as under systemd.

idle_ms=1000
list='{"jsonrpc":"2.0","id":1,"method":"action.list"}'
mkdir -p "$work/empty" "$work/state"

for ((round = 0; round < rounds; round++)); do
    figures=$("$c/ready" "$work/rxd.sock" "$idle_ms" "$list" \
        "$RXD" --config "$work/empty" --socket "$work/rxd.sock" --state "$work/state" 2>>"$work/idle.log")
    record idle-rxd "$figures"
    figures=$("$c/ready" "$work/redis.sock" "$idle_ms" PING \
        "$redis" --port 0 --unixsocket "$work/redis.sock" --save '' --appendonly no --dir "$work" \
        --logfile "$work/idle.log" --supervised systemd 2>>"$work/idle.log")
    record idle-redis "$figures"
done

title "idle: an empty configuration; to reach: READY within 10 ms, at most 12 MB" \
    "  READY  from before fork to READY=1; reply: to the first reply; RSS then, and after $idle_ms ms without a request"
printf '%-6s %9s %9s %9s %9s\n' server 'READY ms' 'reply ms' 'RSS MB' 'idle MB'
for server in rxd redis; do
    printf '%-6s' "$server"
    for column in 1 2 3 4; do
        scale=1000
        ((column > 2)) && scale=1024
        printf ' %9.1f' "$(awk "BEGIN { print $(median "idle-$server" "$column") / $scale }")"
    done
    echo
done
printf '%-6s' ratio
for column in 1 2 3 4; do printf ' %9s' "$(ratio idle-rxd idle-redis "$column")"; done
echo
