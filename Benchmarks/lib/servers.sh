# Starting and stopping what is measured. A server has one core and the load another, where there are two.

server_pids=()

# The core of the servers that are started next; a case may set it to one that the machine lacks, which is any.
server_core=0

# Connections of one user that rxd is configured to allow: the most that a case opens, and some.
connections_allowed=12000

# on_core NUMBER COMMAND...: runs it there, or anywhere on a machine without that core.
on_core() {
    local core=$1
    shift
    if ((core < $(nproc))) && command -v taskset >/dev/null; then
        exec taskset -c "$core" "$@"
    fi
    exec "$@"
}

# start_server LOG SOCKET COMMAND...: on its core, with as many open files as may be; returns when something listens at
# SOCKET.
start_server() {
    local log=$work/$1 socket=$2 waited
    shift 2
    (ulimit -n "$(ulimit -Hn)" && on_core "$server_core" "$@") >"$log" 2>&1 &
    server_pids+=($!)
    for ((waited = 0; waited < 500; waited++)); do
        [[ -S $socket ]] && return
        kill -0 "${server_pids[-1]}" 2>/dev/null || break
        sleep 0.01
    done
    echo "Benchmarks/run: $1 does not start:" >&2
    cat "$log" >&2
    exit 1
}

# start_rxd LINE...: with these lines of configuration, too.
start_rxd() {
    local config=$work/config
    mkdir -p "$config" "$work/state"
    printf '%s\n' '[limits]' "connections = $connections_allowed" "connectionsPerUid = $connections_allowed" \
        '[action.echo]' 'builtin = "echo"' '[action.true]' 'run = ["/bin/true"]' "$@" >"$config/rxd.toml"
    start_server rxd.log "$work/rxd.sock" "$RXD" --config "$config" --socket "$work/rxd.sock" --state "$work/state"
}

start_todo() {
    start_server todo.log "$work/todo.sock" "$TODO" --socket "$work/todo.sock"
}

start_redis() {
    start_server redis.log "$work/redis.sock" \
        "$redis" --port 0 --unixsocket "$work/redis.sock" --save '' --appendonly no --dir "$work" \
        --maxclients "$connections_allowed"
}

start_c_echo() {
    start_server c-echo.log "$work/c-echo.sock" "$c/echo" "$work/c-echo.sock"
}

start_c_relay() {
    start_server c-relay.log "$work/c-relay.sock" "$c/relay" "$work/c-relay.sock"
}

# cpu_us PID: microseconds its threads have been on a core. Unlike the rest, the load of others leaves it alone.
cpu_us() {
    cat /proc/"$1"/task/*/schedstat | awk '{ sum += $1 } END { printf "%.0f", sum / 1000 }'
}

stop_servers() {
    local pid waited
    for pid in "${server_pids[@]}"; do
        kill "$pid" 2>/dev/null || continue
        for ((waited = 0; waited < 300; waited++)); do
            kill -0 "$pid" 2>/dev/null || break
            sleep 0.01
        done
        kill -9 "$pid" 2>/dev/null || true
        wait "$pid" 2>/dev/null || true
    done
    server_pids=()
}

# load ARGUMENT...: the load generator, on the other core.
load() {
    (on_core 1 "$c/load" "$@")
}
