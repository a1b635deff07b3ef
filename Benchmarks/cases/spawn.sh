# An execution that runs a program, against posix_spawn and waitpid. Nothing is pinned: the child may run beside its
# parent.

executions=300
request='{"jsonrpc":"2.0","id":1,"method":"action.execute","params":{"action":"true"}}'

start_rxd
taskset -cap "0-$(($(nproc) - 1))" "${server_pids[-1]}" >/dev/null 2>&1 || true
for ((round = 0; round < rounds; round++)); do
    figures=$("$c/load" line "$work/rxd.sock" 1 1 "$executions" 30 "$request" '"elements":[]')
    record spawn-rxd "$figures"
    figures=$("$c/spawn" "$executions" /bin/true)
    record spawn-c "$figures"
done
stop_servers

title "spawn: one /bin/true after another; to reach: <= 2.5x the p50 of C" \
    "  rxd  action.execute of a process action" \
    "  C    posix_spawn and waitpid"
printf '%-6s %9s %9s  %s\n' server 'p50 us' 'p99 us' 'rxd p50'
printf '%-6s %9.1f %9.1f\n' rxd "$(median spawn-rxd 2)" "$(median spawn-rxd 3)"
printf '%-6s %9.1f %9.1f  %s\n' C "$(median spawn-c 2)" "$(median spawn-c 3)" "$(ratio spawn-rxd spawn-c 2)"
