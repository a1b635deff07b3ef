# How it ends, and begins again.

mkdir -p /etc/systemd/system/rxd.service.d
# Long enough for a daemon that a busy machine does not run for some seconds.
printf '[Service]\nWatchdogSec=10\n' >/etc/systemd/system/rxd.service.d/quick.conf
systemctl daemon-reload

watchdog_restarts() {
    fresh
    local pid
    pid=$(property MainPID)
    kill -STOP "$pid"
    # 10 s of silence, at most 5 until SIGKILL, and the restart.
    eventually 60 restarted "$pid"
    journal UNIT=rxd.service | jq --exit-status --slurp 'any(.MESSAGE | tostring | contains("Watchdog timeout"))'
    equal "rxctl's output" "$(rxctl execute test-hello)" '"hello"'
}

watchdog_is_fed() {
    fresh
    local pid
    pid=$(property MainPID)
    # Time itself is the condition: two intervals and more.
    sleep 25
    equal MainPID "$(property MainPID)" "$pid"
}

survives_kill() {
    fresh
    execute_in_background test-sleeper "sleep 9871"
    execute_in_background test-stubborn "sleep 9872"
    local pid
    pid=$(property MainPID)
    kill -KILL "$pid"
    eventually 60 restarted "$pid"
    eventually 60 runs_not "sleep 987"
    equal "rxctl's output" "$(rxctl execute test-hello)" '"hello"'
}

stop_leaves_nothing() {
    fresh
    execute_in_background test-sleeper "sleep 9871"
    execute_in_background test-stubborn "sleep 9872"
    systemctl stop rxd.service
    ! pgrep -u rxd --list-full || fail "processes of user rxd are left"
    runs_not "sleep 987" || fail "processes of actions are left"
    equal Result "$(property Result)" success
    equal ExecMainStatus "$(property ExecMainStatus)" 0
}

# ended_with STATUS: it has failed, and systemd does not start it again.
ended_with() {
    equal ExecMainStatus "$(property ExecMainStatus)" "$1"
    equal ActiveState "$(property ActiveState)" failed
    equal NRestarts "$(property NRestarts)" 0
}

damage_is_not_retried() {
    fresh
    rxctl execute test-hello
    systemctl stop rxd.service rxd.socket
    cp -a /var/lib/rxd /var/lib/rxd.whole
    head -c 4096 /dev/zero | dd of=/var/lib/rxd/rxd.db conv=notrunc status=none
    ! systemctl start rxd.service || fail "it starts from a damaged database"
    ended_with 74
    rm -r /var/lib/rxd
    mv /var/lib/rxd.whole /var/lib/rxd
    fresh
    rxctl execute test-hello
}

faulty_configuration_is_not_retried() {
    systemctl stop rxd.service rxd.socket
    configure faulty.toml <<<'[action.faulty]'
    ! systemctl start rxd.service || fail "it starts with a faulty configuration"
    ended_with 78
    rm /etc/rxd/conf.d/faulty.toml
    fresh
    rxctl execute test-hello
}

journal_has_no_priorities() {
    fresh
    rxctl execute test-hello
    journal _SYSTEMD_UNIT=rxd.service | grep -q '"MESSAGE"'
    ! journal _SYSTEMD_UNIT=rxd.service | grep "thread priority" || fail "threads complain about their priority"
}

check "a daemon that is stopped is ended by the watchdog and restarted" watchdog_restarts
check "a daemon with nothing to do is not" watchdog_is_fed
check "kill -9 of the daemon leaves no orphan, and it is restarted" survives_kill
check "systemctl stop exits 0 and leaves no process of an action" stop_leaves_nothing
check "a damaged database ends it with 74, and it is not started again" damage_is_not_retried
check "a faulty configuration ends it with 78, and it is not started again" faulty_configuration_is_not_retried
check "its threads leave no message about their priority in the journal" journal_has_no_priorities
rm -r /etc/systemd/system/rxd.service.d
systemctl daemon-reload
