# What a check is made of. A check is a function; the first command in it that fails, fails it.

SOCKET=/run/rxd/rxd.sock
passed=0
failed=0

# check NAME FUNCTION
check() {
    set +e
    (
        set -eu -o pipefail
        "$2"
    ) >/tmp/output 2>&1
    local status=$?
    if [ $status = 0 ]; then
        passed=$((passed + 1))
        echo "ok $1" >>/results/log
    else
        failed=$((failed + 1))
        echo "FAILED $1: $(tail -n 5 /tmp/output | tr '\n' ' ')(status $status)" >>/results/log
    fi
}

fail() {
    echo "$*"
    exit 1
}

# equal WHAT ACTUAL EXPECTED
equal() { [ "$2" = "$3" ] || fail "$1 is '$2', not '$3'"; }

# eventually SECONDS COMMAND…: the command succeeds before the time is over.
eventually() {
    local deadline=$((SECONDS + $1))
    shift
    until "$@" >/dev/null 2>&1; do
        [ $SECONDS -lt $deadline ] || fail "never became true: $*"
        sleep 0.05
    done
}

# The users: alice belongs to group rxd, bob does not.
as() {
    local user=$1
    shift
    setpriv --reuid="$user" --regid="$user" --init-groups -- "$@"
}

# No client waits longer than this for an answer.
rxctl() { as alice timeout 60 /usr/local/bin/rxctl -s "$SOCKET" "$@"; }

property() { systemctl show --value --property="$1" "${2:-rxd.service}"; }

is_active() { [ "$(property ActiveState)" = active ] && [ "$(property MainPID)" != 0 ]; }

# restarted PID: active again, as another process.
restarted() { is_active && [ "$(property MainPID)" != "$1" ]; }

# journal MATCH…: the records, one JSON object per line.
journal() {
    journalctl --sync
    journalctl --quiet --output=json "$@"
}

# Whether a process runs with these words in its command line.
runs() { pgrep --full -- "$1" >/dev/null; }
runs_not() { ! runs "$1"; }

# A client that waits for an action which does not end by itself.
execute_in_background() {
    rxctl execute "$1" >/dev/null 2>&1 &
    eventually 60 runs "$2"
}

configure() { cat >/etc/rxd/conf.d/"$1"; }

# A service in good order to begin with.
fresh() {
    systemctl reset-failed rxd.service rxd.socket 2>/dev/null || true
    systemctl start rxd.socket rxd.service
}
