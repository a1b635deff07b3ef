# What keeping output costs: two daemons that differ in `[history] output`, measured one after the other.

output_lines=1000000
output_runs=10 # the load generator's least
output_echoes=200000
output_run='{"jsonrpc":"2.0","id":1,"method":"action.execute","params":{"action":"lines"}}'
output_echo='{"jsonrpc":"2.0","id":1,"method":"action.execute","params":{"action":"echo","input":"x"}}'

declare -A output_pids
server_core=$(nproc) # any: the process that writes the lines inherits it

# start_output: both daemons. Two processes of one program differ by some percent, depending on where their memory is.
# Therefore each round starts new ones.
start_output() {
    local entry server size
    for entry in "kept 64KiB" "dropped 0"; do
        read -r server size <<<"$entry"
        rm -rf "${work:?}/$server" "$work/$server-state" "$work/$server.sock"
        mkdir -p "$work/$server" "$work/$server-state"
        printf '%s\n' '[history]' "output = \"$size\"" '[action.echo]' 'builtin = "echo"' \
            '[action.lines]' "run = [\"seq\", \"$output_lines\"]" >"$work/$server/rxd.toml"
        start_server "$server.log" "$work/$server.sock" \
            "$RXD" --config "$work/$server" --socket "$work/$server.sock" --state "$work/$server-state"
        output_pids[$server]=${server_pids[-1]}
    done
}

# measure_output NAME SERVER DEPTH REQUESTS UNITS TEXT EXPECTED: records the units/s of a round, and the daemon's cpu
# time for one in ns. A request is so many units.
measure_output() {
    local before after begin end
    before=$(cpu_us "${output_pids[$2]}")
    begin=$EPOCHREALTIME
    load line "$work/$2.sock" 1 "$3" "$4" 60 "$6" "$7" >/dev/null
    end=$EPOCHREALTIME
    after=$(cpu_us "${output_pids[$2]}")
    record "$1-$2" "$(awk "BEGIN { n = $4 * $5; print n / ($end - $begin), ($after - $before) * 1000 / n }")"
}

# Each order as often as the other.
for ((round = 0; round < 2 * rounds; round++)); do
    ((round % 2)) && output_order="dropped kept" || output_order="kept dropped"
    start_output
    for server in $output_order; do
        measure_output echoes "$server" 16 $output_echoes 1 "$output_echo" '"elements"'
    done
    for server in $output_order; do
        measure_output lines "$server" 1 $output_runs $output_lines "$output_run" '"truncated":true'
    done
    stop_servers
done
server_core=0

title "output: what keeping output costs; to reach: >= 0.97x the lines/s, >= 0.99x the echoes/s" \
    "  lines   of a process that writes $(with_commas $output_lines); 64 KiB of its output are kept, or none" \
    "  echoes  requests of the built-in echo, 16 at once"
printf '%-7s %12s %12s %8s | %11s %11s %7s\n' '' 'kept/s' 'dropped/s' '' 'cpu ns kept' dropped ''
for name in lines echoes; do
    printf '%-7s %12s %12s %8s | %11.0f %11.0f %7s\n' "$name" \
        "$(with_commas "$(median $name-kept 1)")" "$(with_commas "$(median $name-dropped 1)")" \
        "$(ratio $name-kept $name-dropped 1)" \
        "$(median $name-kept 2)" "$(median $name-dropped 2)" "$(ratio $name-kept $name-dropped 2)"
done
