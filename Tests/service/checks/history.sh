# What is kept of executions: in the journal, and in the state directory.

# The daemon's manager; alice may execute only.
manage() { timeout 60 /usr/local/bin/rxctl -s "$SOCKET" "$@"; }

logs_are_one_executions() {
    fresh
    local one other
    one=$(rxctl call action.execute '{"action":"test-grumble"}' | jq -r .execution)
    other=$(rxctl call action.execute '{"action":"test-grumble"}' | jq -r .execution)
    [ "$one" != "$other" ] || fail "one execution, not two"
    journalctl --sync
    manage logs "$one" >/tmp/logs
    # Who asked for it, what it wrote, how it ended, and why it ran.
    equal "its lines" "$(grep -c . /tmp/logs)" 5
    grep -q ' accepted  *by uid 2001 (alice), pid [0-9]*$' /tmp/logs || fail "no start: $(cat /tmp/logs)"
    grep -q ' started$' /tmp/logs || fail "no start of its work: $(cat /tmp/logs)"
    grep -q ' stderr  *careful now$' /tmp/logs || fail "no stderr: $(cat /tmp/logs)"
    grep -q ' completed$' /tmp/logs || fail "no end: $(cat /tmp/logs)"
    grep -q '^ *<- uid 2001 (alice), pid [0-9]*$' /tmp/logs || fail "no cause: $(cat /tmp/logs)"
    manage logs "$one" --json | jq --exit-status --slurp --arg one "$one" \
        'map(.kind) == ["accepted", "started", "stderr", "end"]
            and all(.execution == $one and .action == "test-grumble")'
    # The last execution of the action, by its name, and the journal alone with a daemon that is down: only the daemon
    # keeps when the work started.
    manage logs test-grumble --json | jq --exit-status --slurp --arg other "$other" \
        'map(.kind) == ["accepted", "started", "stderr", "end"] and all(.execution == $other)'
    manage logs test-grumble --all --json | jq --exit-status --slurp --arg one "$one" --arg other "$other" \
        'map(.execution) | contains([$one, $other])'
    equal "its lines while it is followed" "$(manage logs "$one" --follow | grep -c .)" 5
    systemctl stop rxd.socket rxd.service
    equal "its lines without a daemon" "$(manage logs "$one" | grep -c .)" 4
    fresh
}

logs_without_journal() {
    fresh
    local one status=0
    one=$(rxctl call action.execute '{"action":"test-grumble"}' | jq -r .execution)
    journalctl --sync
    # alice may not read the journal, so she gets what the daemon keeps.
    rxctl logs "$one" --json >/tmp/logs
    jq --exit-status --slurp --arg one "$one" \
        'map(.kind) == ["accepted", "started", "stderr", "end"] and all(.execution == $one)
            and .[2].text == "careful now"' /tmp/logs || fail "$(cat /tmp/logs)"
    rxctl logs 01a1fc74-5543-7000-b6c5-3532564cb263 2>/tmp/logs || status=$?
    equal "the exit code" "$status" 5
    equal "the message" "$(cat /tmp/logs)" "rxctl: no records of 01a1fc74-5543-7000-b6c5-3532564cb263 are kept"
}

state_is_private() {
    equal "the state directory" "$(stat -c '%U %a' /var/lib/rxd)" "rxd 700"
    [ -s /var/lib/rxd/rxd.db ] || fail "no database"
    equal "other modes in it than 600 of rxd" \
        "$(find /var/lib/rxd -type f ! \( -user rxd -perm 600 \) ! -name 'turns' ! -name 'go' ! -name 'probe')" ""
    ! as bob cat /var/lib/rxd/rxd.db >/dev/null 2>&1 || fail "bob reads the database"
}

queue_survives_kill() {
    fresh
    rm -f /var/lib/rxd/turns /var/lib/rxd/go
    seq 4 | rxctl execute test-turn --each --detach >/tmp/accepted
    eventually 60 test -s /var/lib/rxd/turns
    local pid
    pid=$(property MainPID)
    kill -KILL "$pid"
    eventually 60 restarted "$pid"
    touch /var/lib/rxd/go
    rxctl wait test-turn --timeout 50s
    equal "the order" "$(cat /var/lib/rxd/turns)" "$(cat /tmp/accepted)"
    equal "the states" "$(rxctl history test-turn | jq -r .state | xargs)" "interrupted completed completed completed"
    journal _SYSTEMD_UNIT=rxd.service "RXD_EXECUTION=$(head -n 1 /tmp/accepted)" |
        jq --exit-status --slurp 'any(.MESSAGE | contains("test-turn interrupted"))'
}

switch_survives_restart() {
    fresh
    local status=0
    rxctl disable test-hello || status=$?
    equal "alice's exit code" "$status" 4
    manage disable test-hello --reason "the disk is full"
    systemctl restart rxd.service
    status=0
    rxctl execute test-hello 2>/tmp/refusal || status=$?
    equal "the exit code" "$status" 3
    grep -q 'uid 0 (root).*: the disk is full' /tmp/refusal || fail "$(cat /tmp/refusal)"
    manage enable test-hello
    equal "rxctl's output" "$(rxctl execute test-hello)" '"hello"'
    journal _SYSTEMD_UNIT=rxd.service RXD_ACTION=test-hello RXD_PEER_UID=0 |
        jq --exit-status --slurp 'any(.MESSAGE == "test-hello is switched off: the disk is full")'
}

check "rxctl logs shows one execution's records, its stderr, its end, and its causes" logs_are_one_executions
check "rxctl logs shows what the daemon keeps to those who may not read the journal" logs_without_journal
check "the state directory is 0700 and what is in it 0600" state_is_private
check "kill -9 with a durable queue: one interrupted, the others once each in order" queue_survives_kill
check "a switched-off action stays off through systemctl restart; only managers may" switch_survives_restart
