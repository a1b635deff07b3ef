# systemctl reload, with good and bad news.

takes_new_action() {
    fresh
    execute_in_background test-sleeper "sleep 9871"
    local pid
    pid=$(property MainPID)
    printf '[action.test-new]\nrun = ["/bin/echo", "new"]\n' | configure new.toml
    systemctl reload rxd.service
    eventually 60 rxctl execute test-new
    equal "rxctl's output" "$(rxctl execute test-new)" '"new"'
    equal MainPID "$(property MainPID)" "$pid"
    runs "sleep 9871" || fail "the reload ended an execution of an action that is the same"
}

keeps_old_configuration() {
    printf '[action.test-new]\nrun = 7 oops\n' | configure new.toml
    systemctl reload rxd.service
    eventually 60 complaint_is_logged
    equal "rxctl's output" "$(rxctl execute test-new)" '"new"'
    equal ActiveState "$(property ActiveState)" active
    runs "sleep 9871" || fail "the refused reload ended an execution"
}

complaint_is_logged() {
    journal _SYSTEMD_UNIT=rxd.service PRIORITY=3 |
        jq --exit-status --slurp 'any(.MESSAGE | tostring | contains("new.toml"))'
}

refuses_to_start() {
    systemctl stop rxd.service
    ! systemctl start rxd.service || fail "started with a broken configuration"
    equal ExecMainStatus "$(property ExecMainStatus)" 78
    equal NRestarts "$(property NRestarts)" 0
    equal ActiveState "$(property ActiveState)" failed
}

check "systemctl reload takes a new action and leaves executions alone" takes_new_action
check "a broken configuration keeps the old one, and the journal states why" keeps_old_configuration
check "a broken configuration at the start is exit 78, without a restart" refuses_to_start
rm -f /etc/rxd/conf.d/new.toml
