# A reader of the log, as fast as it can be, beside another client's echo. The server may use every core: pages are read
# by another thread than the loop's. Each round starts with the same log.

# With three events each, a million.
catchup_executions=333334
catchup_request='{"jsonrpc":"2.0","id":1,"method":"action.execute","params":{"action":"echo","input":"x"}}'
catchup_fail='{"jsonrpc":"2.0","id":1,"method":"action.execute","params":{"action":"fail","input":{"n":1}}}'
catchup_subscribe='{"jsonrpc":"2.0","id":1,"method":"subscribe","params":{"subscription":"s","action":"fail",'
catchup_subscribe+='"channels":["errors","executions"],"from":"start"}}'

server_core=$(nproc) # any
start_rxd '[history]' "count = $catchup_executions" '[action.fail]' 'builtin = "fail"' 'history = true'
load line "$work/rxd.sock" 1 1 "$catchup_executions" 600 "$catchup_fail" '"error"' >/dev/null
for ((round = 0; round < rounds; round++)); do
    record catchup "$("$c/catchup" "$work/rxd.sock" 2 \
        "$catchup_request" '"elements"' "$catchup_subscribe" $((3 * catchup_executions)))"
done
stop_servers
server_core=0

title "catchup: a reader of $(with_commas $((3 * catchup_executions))) events that are kept, beside an echo each ms;" \
    "to reach: >= 200,000 events/s, echo's p99 <= 2x of what it is alone" \
    "  The load of others adds to both p99s, and more to that beside the reader, which needs a core of its own."
printf '%11s %9s %9s %10s %10s | %7s %7s\n' events/s 'p50 us' 'p99 us' 'beside p50' 'beside p99' p50 p99
printf '%11s %9.1f %9.1f %10.1f %10.1f | %7s %7s\n' "$(with_commas "$(median catchup 1)")" \
    "$(median catchup 2)" "$(median catchup 3)" "$(median catchup 4)" "$(median catchup 5)" \
    "$(awk '{ print $4 / $2 }' "$work/catchup" >"$work/catchup-p50" && printf '%.2fx' "$(median catchup-p50 1)")" \
    "$(awk '{ print $5 / $3 }' "$work/catchup" >"$work/catchup-p99" && printf '%.2fx' "$(median catchup-p99 1)")"
