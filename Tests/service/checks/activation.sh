# The way in: readiness, the socket and who may use it.

becomes_active() {
    systemctl start rxd.socket
    systemctl start rxd.service
    equal Type "$(property Type)" notify
    equal ActiveState "$(property ActiveState)" active
    [ -n "$(property StatusText)" ] || fail "no STATUS= in systemctl status"
}

socket_is_guarded() {
    equal "the socket" "$(stat -c '%U:%G %a' $SOCKET)" "root:rxd 660"
    equal "its directory" "$(stat -c '%U:%G %a' /run/rxd)" "root:root 755"
}

member_executes() {
    equal "rxctl's output" "$(rxctl execute test-hello)" '"hello"'
}

outsider_is_refused() {
    local status=0
    as bob timeout 60 /usr/local/bin/rxctl -s $SOCKET execute test-hello || status=$?
    equal "rxctl's exit status" $status 69
}

activates() {
    systemctl stop rxd.service
    equal ActiveState "$(property ActiveState)" inactive
    equal "rxctl's output" "$(rxctl execute test-hello)" '"hello"'
    equal ActiveState "$(property ActiveState)" active
}

survives_socket_restart() {
    systemctl restart rxd.socket
    equal "rxctl's output" "$(rxctl execute test-hello)" '"hello"'
}

check "the service is active once it sends READY=1" becomes_active
check "the socket is root:rxd 0660 in a directory of root's" socket_is_guarded
check "a member of group rxd executes an action" member_executes
check "a user outside the group is refused" outsider_is_refused
check "a client starts the daemon through its socket" activates
check "a restart of the socket unit keeps the socket's directory" survives_socket_restart
