# What actions can and cannot do, and see.

actions_work() {
    local output
    output=$(rxctl execute test-hardened | jq -r .)
    equal "the action's output" "$output" "$(
        printf '%s\n' rxd "writes state" "writes tmp" "cannot write etc" "opens sockets" forks "is nice" \
            "sees the machine" "CapBnd:0000000000000000"
    )"
}

environment_is_clean() {
    local output
    output=$(rxctl execute test-environment | jq -r .)
    grep '^RX_ACTION=test-environment$' <<<"$output"
    ! grep -E '^(NOTIFY_SOCKET|LISTEN_|WATCHDOG_)' <<<"$output"
}

signals_are_default() {
    # systemd ignores SIGPIPE in what it starts: a process of an action must not. Signals 32 and 33 do not count: they
    # are glibc's own, and its posix_spawn always leaves them ignored.
    local blocked ignored
    read -r blocked ignored < <(rxctl execute test-signals | jq -r . | cut -f 2 | xargs)
    equal "blocked signals" "$((16#$blocked))" 0
    equal "ignored signals" "$((16#$ignored & ~16#180000000))" 0
}

peers_have_names() {
    execute_in_background test-sleeper "sleep 9871"
    local execution
    execution=$(rxctl call execution.list '{"action":"test-sleeper"}' |
        jq -r '.executions[] | select(.state == "executing" and .by.uid == 2001) | .execution')
    [ -n "$execution" ] || fail "no execution by alice's uid"
    systemctl restart rxd.service
}

setuid_is_for_who_asks() {
    mkdir -p /srv
    install -m 4755 /usr/bin/id /srv/setuid-id
    equal "the user" "$(rxctl execute test-setuid)" '"rxd"'
    mkdir -p /etc/systemd/system/rxd.service.d
    cp /usr/local/share/doc/rxd/examples/more-rights.conf /etc/systemd/system/rxd.service.d/
    systemctl daemon-reload
    systemctl restart rxd.service
    equal "the user with more rights" "$(rxctl execute test-setuid)" '"root"'
}

check "process actions work under the hardening" actions_work
check "no child sees NOTIFY_SOCKET, LISTEN_* or WATCHDOG_*" environment_is_clean
check "children have default signal dispositions" signals_are_default
check "the daemon knows its peers' uid" peers_have_names
check "a setuid program gives rights only with examples/more-rights.conf" setuid_is_for_who_asks
rm -rf /etc/systemd/system/rxd.service.d
systemctl daemon-reload
systemctl restart rxd.service
